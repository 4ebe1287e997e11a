"""The commands that docs/orchestrator.md shows print what it shows."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

PAGE = (Path(__file__).parents[3] / "docs" / "orchestrator.md").read_text(encoding="utf-8")

VARIES = re.compile(r"\b(?P<id>[0-9a-f]{8})\b|(?P<moment>\b\d{4}-\d\d-\d\dT[\d:+]+)")
"""What is another one each time: the id of an approval, and the time."""


def fenced(label: str) -> list[str]:
    """Return the bodies of the page's fences of a label."""
    return re.findall(rf"^```{label}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def shown() -> Iterator[tuple[str, str]]:
    """Yield each command of the page with what it prints."""
    for part in re.split(r"^\$ ", fenced("console")[0], flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


def test_the_transcript_is_what_happens(run, tmp_path):
    """From top to bottom, in a folder with the scripts that it shows."""
    for name, script in zip(("first", "second"), fenced("jsonl"), strict=True):
        (tmp_path / f"{name}.jsonl").write_text(script)
    now: dict[str, str] = {}
    for command, printed in shown():
        words = [now.get(word, word) for word in shlex.split(command)]
        assert words[0] == "actionledger"
        done = run(*words[1:])
        assert done.err == ""
        assert VARIES.sub("…", done.out) == VARIES.sub("…", printed)
        now |= dict(zip(ids(printed), ids(done.out), strict=True))


def ids(text: str) -> list[str]:
    return [found["id"] for found in VARIES.finditer(text) if found["id"]]
