"""Git lists what a repository sets once, and again where that may have changed."""

import os
import subprocess
from pathlib import Path

import pytest

from actionledger.runtime.commands.git_folders import Listings, Setting

ONE, TWO = "[user]\n\tname = one\n", "[user]\n\tname = two\n"


class Asked:
    """Runs git and counts how often; ``before`` is what somebody else does while it runs."""

    def __init__(self, before=lambda: None):
        self.times = 0
        self.before = before
        self.listings = Listings(self._ask)

    def _ask(self, words, environment):
        self.times += 1
        self.before()
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout

    def name(self, file):
        return [setting.value for setting in self.listings.of(file)]


@pytest.fixture
def file(tmp_path) -> Path:
    (tmp_path / "config").write_text(ONE)
    return tmp_path / "config"


def test_a_file_that_stays_as_it_is_is_listed_once(file):
    asked = Asked()
    assert [asked.listings.of(file) for _ in range(3)] == [[Setting("user.name", "one")]] * 3
    assert asked.times == 1


def test_a_file_that_has_changed_is_listed_again(file):
    """Though it has the same size and time."""
    asked, status = Asked(), file.stat()
    assert asked.name(file) == ["one"]
    file.write_text(TWO)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert asked.name(file) == ["two"]
    file.unlink()
    assert asked.name(file) == []


def test_what_changes_while_git_reads_is_not_kept(file):
    """Git may have read either."""
    asked = Asked(before=lambda: file.write_text(TWO))
    assert asked.name(file) == ["two"]
    file.write_text(ONE)
    asked.before = lambda: None
    assert asked.name(file) == ["one"]


def test_a_link_is_listed_each_time(file, tmp_path):
    """What it leads to is read by git alone, which is kept to the workspace."""
    (tmp_path / "link").symlink_to(file)
    asked = Asked()
    assert [asked.name(tmp_path / "link") for _ in range(2)] == [["one"]] * 2
    assert asked.times == 2


def test_nobody_can_spoil_what_is_kept(file):
    """Each caller has a list of its own."""
    asked = Asked()
    asked.listings.of(file).clear()
    assert asked.name(file) == ["one"]
