"""Refuse a commit whose subject is too long: ``python tests/checks/subjects.py``, or with ``--message FILE`` as a hook of git's.

Commits up to a base are history. A shallow clone may lack the base; what is there and younger than it is looked at.
"""

import argparse
import subprocess
import sys
from pathlib import Path

MOST = 72
BASE = "d18dc8f659b9589fc47bae613ce8c4cb69fd475b"
BASE_TIME = 1796000402
"""When the base was committed, in seconds: a clone that lacks it can't be asked."""

_FORMAT = "--format=%h%x09%ct%x09%aN%x09%s"


def too_long(subject: str) -> bool:
    """Return whether a subject is longer than a list of commits shows."""
    return len(subject) > MOST


def subjects_since(folder: Path, base: str = BASE, base_time: int = BASE_TIME) -> list[tuple[str, str]]:
    """Return the commits of a clone that came after a base, each with its subject; merges and bots aside, whose words are not ours."""
    known = _git(folder, "cat-file", "-e", f"{base}^{{commit}}").returncode == 0
    listed = _git(folder, "log", "--no-merges", _FORMAT, f"{base}..HEAD" if known else "HEAD")
    listed.check_returncode()
    rows = (line.split("\t", 3) for line in listed.stdout.splitlines())
    return [
        (name, subject)
        for name, time, author, subject in rows
        if (known or int(time) > base_time) and not author.endswith("[bot]")
    ]


def main() -> int:
    """Return 1, after a line for each, where a subject is too long."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument(
        "--message", type=Path, help="a file with one commit's message, as a hook of git's gets it"
    )
    message = asked.parse_args().message
    root = Path(__file__).parents[2]
    if message is not None:
        found = [("this commit", message.read_text(encoding="utf-8").partition("\n")[0])]
    elif _git(root, "rev-parse", "--verify", "HEAD").returncode:
        print("no subjects to look at: this is not a clone of the repository")
        return 0
    else:
        found = subjects_since(root)
    wrong = [(name, subject) for name, subject in found if too_long(subject)]
    for name, subject in wrong:
        print(
            f"{name}: the subject has {len(subject)} characters, {MOST} at most: {subject}", file=sys.stderr
        )
    return 1 if wrong else 0


def _git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False
    )


if __name__ == "__main__":
    sys.exit(main())
