"""An orchestration whose process is killed goes on from there: nothing is lost and nothing done twice."""

import signal
from pathlib import Path

import pytest
from effort import soaked

from .crashing import main

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


@pytest.mark.parametrize("point", soaked(POINTS, [POINTS[0], "received", "effect", "finished"]))
def test_a_killed_orchestration_goes_on_where_it_stopped(tmp_path, capsys, forked, point):
    """One issue, two messages, two turns and one success, wherever the process was killed."""
    killed = forked.run(PROGRAM.read_text(encoding="utf-8"), tmp_path, tmp_path, point)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    main(tmp_path, "none")
    assert capsys.readouterr().out.split() == ["1", "2", "1", "2"]
