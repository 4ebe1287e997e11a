"""Temporary folders: gone when nobody needs them, whatever way a process ends; kept where somebody comes back to them."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from forked_python import ForkedPython

from actionledger.core.errors import UsageError
from actionledger.core.files import remove_abandoned, state_folder

BEGIN = """
import os, sys, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background has it ignored
import actionledger as al
TEXT = "<create_file><path>a</path><content>x</content></create_file><execute_command><command>echo x</command></execute_command>"
runtime = al.Runtime("coder", auto=True)
runtime.handle(TEXT)
assert len(os.listdir(os.environ["TMPDIR"])) >= 2
"""


@pytest.fixture
def ended(forked: ForkedPython) -> Callable[[Path, str], int]:
    """Runs a program whose temporary files lie in a folder of their own; returns how it ended."""

    def run(folder: Path, code: str) -> int:
        return forked.run(code, folder.parent, TMPDIR=str(folder), is_taken_down=True).returncode

    return run


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("runtime.close()", 0),
        ("pass", 0),
        ("raise ValueError", 1),
        ("sys.exit(5)", 5),
        ("os.kill(os.getpid(), signal.SIGINT); import time; time.sleep(9)", -signal.SIGINT),
        ("child = os.fork()\nif not child: sys.exit()\nos.waitpid(child, 0); assert runtime.workspace.exists()", 0),
    ],
)  # fmt: skip
def test_nothing_is_left_at_the_end(tmp_path, ended, end, code):
    """Closed or not, in order or not."""
    assert ended(tmp_path, BEGIN + end) == code
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_goes_with_the_next(tmp_path, ended):
    """And nothing else: not what belongs to a living process, not what others have made."""
    assert ended(tmp_path, BEGIN + "os.kill(os.getpid(), signal.SIGKILL)") == -signal.SIGKILL
    left = {path.name for path in tmp_path.iterdir()}
    assert any(name.startswith("actionledger-session-") for name in left)
    (tmp_path / "actionledger-mine").mkdir()
    (tmp_path / "other").mkdir()
    target = tmp_path / "target"
    target.mkdir()
    (tmp_path / "actionledger-link").symlink_to(target)
    (tmp_path / "actionledger-link.lock").touch()
    alive = subprocess.Popen(
        [sys.executable, "-c", BEGIN + "print('ready', flush=True); sys.stdin.read()"],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert alive.stdout.readline() == b"ready\n"
        names = {path.name for path in tmp_path.iterdir()}
        assert not left & names
        remove_abandoned.__wrapped__(tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == names
        assert {"actionledger-mine", "other", "target", "actionledger-link"} <= names
    finally:
        alive.communicate()


def test_what_waits_for_a_person_is_kept(tmp_path, ended):
    """By the ledger another process finds the folder, however this one ended."""
    waits = """
import os, signal
import actionledger as al
ledger = al.open_ledger("team.duckdb")
runtime = al.Runtime("coder", ledger=ledger)
runtime.handle("<create_file><path>a</path><content>x</content></create_file>")
os.kill(os.getpid(), signal.SIGKILL)
"""
    (tmp_path / "tmp").mkdir()
    assert ended(tmp_path / "tmp", waits) == -signal.SIGKILL
    [folder] = (path for path in (tmp_path / "tmp").iterdir() if "session" in path.name)
    remove_abandoned.__wrapped__(tmp_path / "tmp")
    assert folder.is_dir()
    assert not folder.with_name(folder.name + ".lock").exists()


def test_whose_home_nobody_knows_is_told_what_to_set(monkeypatch):
    """As in a container under a number that no user has."""

    def unknown():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", unknown)
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    with pytest.raises(UsageError, match=r"Could not determine home directory\. Set XDG_STATE_HOME\."):
        state_folder()
