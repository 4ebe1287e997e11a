"""Claude Code's recorded calls under a stricter policy, counted once more from the lines with none of this project's code."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from corpus_files import CORPORA

import actionledger as al

FOLDER = CORPORA / "agents-more" / "claude-code"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="no recordings of agents here")

POLICY = """
[[rule]]
action = "Bash"
verdict = "reject"
when = { command = ["rm"] }
[[rule]]
action = "*"
verdict = "approve"
"""


def values(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file; two may stand on one line."""
    decoder = json.JSONDecoder()
    for line in filter(None, text.split("\n")):
        at = 0
        while at < len(line.rstrip()):
            value, at = decoder.raw_decode(line, at)
            if isinstance(value, dict):
                yield value


def called() -> dict[str, tuple[str, str]]:
    """Return each call's name and command by its id."""
    found = {}
    for path in sorted(FOLDER.glob("*.jsonl.gz")):
        for value in values(gzip.decompress(path.read_bytes()).decode()):
            content = value.get("message", {}).get("content") if value.get("type") == "assistant" else []
            for part in content if isinstance(content, list) else []:
                if part.get("type") == "tool_use":
                    found[part["id"]] = (part["name"], str(part["input"].get("command", "")))
    return found


@pytest.mark.soak
def test_every_call_is_asked_and_what_removes_is_held(tmp_path):
    """The counts by name are those of the lines; no command is held that doesn't have the word, and each that begins with it is."""
    (tmp_path / "policy.toml").write_text(POLICY)
    held = []
    with al.open_ledger(tmp_path / "claude.duckdb") as ledger:
        al.import_path(FOLDER, ledger)
        report = al.recheck(
            ledger,
            policy=tmp_path / "policy.toml",
            each=lambda call: (
                held.append(json.loads(call.arguments)["command"])
                if call.is_stopped and call.name == "Bash"
                else None
            ),
        )
    calls = called()
    assert {each.name: each.calls for each in report.by_name} == dict(
        Counter(name for name, _ in calls.values())
    )
    removing = [command for name, command in calls.values() if name == "Bash" and command.startswith("rm ")]
    assert removing
    assert len(removing) <= len(held)
    assert not Counter(command for command in removing if "***" not in command) - Counter(held)
