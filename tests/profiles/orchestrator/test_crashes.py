"""An orchestration whose process is killed goes on from there: nothing is lost and nothing done twice."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("crashing.py")
POINTS = [
    "saved-1",
    "saved-2",
    "saved-3",
    "saved-4",
    "saved-5",
    "received",
    "started",
    "effect",
    "finished",
    "ended",
]
"""After each save of the state, right after each kind of event of the last layer's turn, and between effect and event."""


def run(folder: Path, point: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, str(PROGRAM), str(folder), point], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_orchestration_goes_on_where_it_stopped(tmp_path, point):
    """One issue, two messages, two turns and one success, wherever the process was killed."""
    killed = run(tmp_path, point)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    done = run(tmp_path, "none")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1", "2", "1", "2"]
