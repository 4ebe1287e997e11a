"""What the README shows is what happens."""

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def fenced(label: str) -> str:
    """Return the body of the README's first fence of a label."""
    return re.search(rf"^```{label}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)[1]


def test_the_example_prints_what_is_below_it(tmp_path):
    """The example runs in an empty folder as it stands and prints just the lines that the README shows."""
    done = subprocess.run(
        [sys.executable, "-c", fenced("python")], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout == fenced("text")


def test_the_example_is_short():
    """It has at most twelve lines of code."""
    lines = [line for line in fenced("python").splitlines() if line.strip()]
    assert len(lines) <= 12


def test_every_folder_and_picture_that_is_named_is_there():
    """The map names folders that exist, and the pictures and pages that it links to are checked in."""
    root = Path(__file__).parents[1]
    named = re.findall(r"`(toolkit|dashboard|notebooks|data|tests)`", README)
    linked = re.findall(r"\]\(([\w./-]+)\)", README)
    assert len(named) == 5
    assert [path for path in (*named, *linked) if not (root / path).exists()] == []


def test_it_has_eighty_lines_at_most():
    """The rest is in docs."""
    assert len(README.splitlines()) <= 80
