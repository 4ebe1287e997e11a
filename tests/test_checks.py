"""The scripts of ``make check``: subjects of commits, and names of classes."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKS = Path(__file__).parent / "checks"
SUBJECTS = runpy.run_path(str(CHECKS / "subjects.py"))
CLASSES = runpy.run_path(str(CHECKS / "class_names.py"))


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(folder), *who, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def clone(tmp_path) -> tuple[Path, str, int]:
    """A repository with an old long subject, a base, and two commits after it; the base and its time."""
    folder = tmp_path / "whole"
    folder.mkdir()
    git(folder, "init", "-q")
    for seconds, subject in enumerate(("x" * 99, "Base", "Short", "y" * 73)):
        when = f"--date=@{1_700_000_000 + seconds} +0000"
        subprocess.run(
            [
                "git",
                "-C",
                folder,
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b.c",
                "commit",
                "-q",
                "--allow-empty",
                when,
                "-m",
                subject,
            ],
            check=True,
            env={
                "GIT_COMMITTER_DATE": f"@{1_700_000_000 + seconds} +0000",
                "PATH": "/usr/bin:/bin:/usr/local/bin",
            },
        )
    return folder, git(folder, "rev-parse", "HEAD~2"), 1_700_000_001


def test_subjects_after_the_base_are_looked_at(clone):
    """What is older is history."""
    folder, base, time = clone
    found = [subject for _, subject in SUBJECTS["subjects_since"](folder, base, time)]
    assert found == ["y" * 73, "Short"]
    assert [SUBJECTS["too_long"](subject) for subject in found] == [True, False]


def test_a_bot_words_its_subjects_as_it_does(clone):
    """What raises dependencies names the package and both versions."""
    folder, base, time = clone
    git(folder, "commit", "-q", "--allow-empty", "--author=dependabot[bot] <a@b.c>", "-m", "z" * 90)
    found = [subject for _, subject in SUBJECTS["subjects_since"](folder, base, time)]
    assert found == ["y" * 73, "Short"]


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_a_shallow_clone_is_looked_at_as_far_as_it_goes(clone, tmp_path, depth):
    """Without the base, its time says what came after it."""
    folder, base, time = clone
    git(tmp_path, "clone", "-q", "--depth", str(depth), folder.as_uri(), "shallow")
    found = [subject for _, subject in SUBJECTS["subjects_since"](tmp_path / "shallow", base, time)]
    assert found == ["y" * 73, "Short"][:depth]


def test_the_list_of_names_is_what_the_packages_have():
    """So that it can only get shorter."""
    there = CLASSES["repeated"](CLASSES["public_classes"](CLASSES["PACKAGES"]))
    assert CLASSES["differences"](CLASSES["read_list"](), there) == ([], [])


def test_a_second_class_of_a_name_is_refused_and_a_joined_one_lowers_the_list(tmp_path):
    """Private classes, and classes within others, may have any name."""
    (tmp_path / "a.py").write_text("class Call: ...\nclass _Own: ...\nclass Row:\n    class Call: ...\n")
    (tmp_path / "b.py").write_text("class Call: ...\nclass _Own: ...\n")
    there = CLASSES["repeated"](CLASSES["public_classes"]([tmp_path]))
    assert there == {"Call": 2}
    assert CLASSES["differences"]({}, there) == (["Call"], [])
    assert CLASSES["differences"]({"Call": 3, "Gone": 2}, there) == ([], ["Call", "Gone"])
    assert CLASSES["differences"]({"Call": 2}, there) == ([], [])


def test_what_the_demo_leaves_behind_is_not_checked_for_spelling(tmp_path):
    """``make demo`` keeps its ledger in the folder that ``make test`` looks through."""
    command = shutil.which("codespell", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("codespell is not installed here")
    beside = tmp_path / "demo.duckdb.d" / "objects"
    beside.mkdir(parents=True)
    (beside / "a").write_text("teh\n")
    settings = ["--toml", str(CHECKS.parents[1] / "pyproject.toml")]
    assert subprocess.run([command, *settings], cwd=tmp_path, check=False).returncode == 0
    (tmp_path / "b.md").write_text("teh\n")
    assert (
        subprocess.run([command, *settings], cwd=tmp_path, check=False, capture_output=True).returncode != 0
    )
