"""What actions have changed is taken back by action, by turn, back to a turn, and recorded as undone."""

import json
import signal
import sys

import pytest

import actionledger as al
from actionledger.core.errors import ActionError, UsageError
from actionledger.core.rates import Rate
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.ledger.queries.agreement import timings
from actionledger.ledger.queries.funnel import funnel
from actionledger.runtime.session.undo import Undoing
from actionledger.runtime.workspace import UndoRefusedError

PYTHON = sys.executable
COMMAND = f"{PYTHON} -c \"open('made', 'w').write('x'); open('x', 'a').write('more')\""


@pytest.fixture
def recorded(open_session, ledger):
    """A recorded session with three turns: a file, a file and a command, a file."""
    session = open_session(ledger=ledger)
    with session.runtime:
        yield _worked(session)


def _worked(session):
    session.turns = [
        session.handle(("create_file", {"path": "x", "content": "one\n"})).turn_id,
        session.handle(
            ("create_file", {"path": "y", "content": "y\n"}), ("execute_command", {"command": COMMAND})
        ).turn_id,
        session.handle(("modify_file", {"path": "y", "search": "y", "replace": "Y"})).turn_id,
    ]
    return session


def fates(ledger):
    """What came of each try and what was done to it later, by turn and action."""
    rows = ledger.sql(
        "SELECT turn_index, action_index, status, started_at FROM executions "
        "UNION ALL SELECT turn_index, action_index, kind, reversed_at FROM reversals ORDER BY 1, 2, 4"
    ).fetchall()
    found = {}
    for turn, action, status, _ in rows:
        found.setdefault((turn, action), []).append(status)
    return found


ALL = {"x": "one\nmore", "y": "Y\n", "made": "x"}


def test_the_last_turn_is_undone_and_done_again(recorded, ledger):
    """Each time the ledger says so, beside the tries at each of its actions."""
    assert recorded.tree() == ALL
    undone = recorded.runtime.undo()
    assert recorded.tree() == ALL | {"y": "y\n"}
    assert fates(ledger)[2, 0] == ["succeeded", "undone"]
    recorded.runtime.redo(undone)
    assert recorded.tree() == ALL
    assert fates(ledger)[2, 0] == ["succeeded", "undone", "redone"]


def test_undoing_goes_on_turn_by_turn(recorded, ledger):
    """A turn with a command as well, until nothing is left."""
    recorded.runtime.undo()
    assert set(recorded.runtime.undo().paths) == {"made", "x", "y"}
    assert recorded.tree() == {"x": "one\n"}
    recorded.runtime.undo()
    assert recorded.tree() == {}
    assert {pair: statuses[-1] for pair, statuses in fates(ledger).items()} == dict.fromkeys(
        [(0, 0), (1, 0), (1, 1), (2, 0)], "undone"
    )
    with pytest.raises(UsageError, match="left to be undone"):
        recorded.runtime.undo()


def test_one_action_is_undone(recorded, ledger):
    """The command alone, by its place in its turn."""
    recorded.runtime.undo(recorded.turns[1], action=1)
    assert recorded.tree() == {"x": "one\n", "y": "Y\n"}
    assert fates(ledger) == {
        (0, 0): ["succeeded"],
        (1, 0): ["succeeded"],
        (1, 1): ["succeeded", "undone"],
        (2, 0): ["succeeded"],
    }


def test_all_behind_a_turn_is_undone(recorded, ledger):
    """Everything is as that turn left it."""
    recorded.runtime.undo_back_to(recorded.turns[0])
    assert recorded.tree() == {"x": "one\n"}
    assert fates(ledger)[0, 0] == ["succeeded"]
    assert fates(ledger)[1, 1] == fates(ledger)[2, 0] == ["succeeded", "undone"]


def test_what_somebody_changed_since_is_not_undone(recorded, ledger):
    """Nothing is then; the error names the path, and nothing is recorded."""
    recorded.write("y", "mine\n")
    with pytest.raises(UndoRefusedError) as refusal:
        recorded.runtime.undo()
    assert [one.path for one in refusal.value.conflicts] == ["y"]
    assert recorded.tree() == ALL | {"y": "mine\n"}
    assert fates(ledger)[2, 0] == ["succeeded"]


def test_an_action_that_changed_nothing_has_nothing_to_undo(recorded):
    """Such as one that was undone already."""
    recorded.runtime.undo(recorded.turns[2], action=0)
    with pytest.raises(ActionError) as refusal:
        recorded.runtime.undo(recorded.turns[2], action=0)
    assert refusal.value.reason is Reason.NOT_FOUND


def test_a_later_process_undoes_what_an_earlier_one_did(recorded, ledger):
    """The journal lies beside the ledger, by the workspace's path."""
    session_id = recorded.runtime.session_id
    recorded.runtime.close()
    with al.Runtime.reopen(ledger, session_id) as runtime:
        runtime.undo_back_to(recorded.turns[0])
    assert recorded.tree() == {"x": "one\n"}
    assert fates(ledger)[2, 0] == ["succeeded", "undone"]


def test_undoing_changes_no_past(session, open_session, ledger):
    """Four files made, two of them taken back, one put there again: four executions that succeeded, one taken back."""
    session = open_session(ledger=ledger)
    with session.runtime as runtime:
        turn = session.handle(*(("create_file", {"path": name, "content": name}) for name in "abcd"))
        runtime.undo(turn.turn_id, action=0)
        runtime.redo(runtime.undo(turn.turn_id, action=1))
    counted = funnel(ledger)
    assert counted.execution == Rate(4, 4)
    assert counted.tries == {ExecutionStatus.SUCCEEDED: 4}
    assert counted.taken_back == Rate(1, 4)
    assert timings(ledger).count == 4


def test_what_takes_a_redoing_back_undoes(recorded, ledger):
    """Whatever it is called, the changes are gone."""
    runtime = recorded.runtime
    runtime.redo(runtime.redo(runtime.undo()))
    assert recorded.tree()["y"] == "y\n"
    assert fates(ledger)[2, 0] == ["succeeded", "undone", "redone", "undone"]
    assert funnel(ledger).taken_back == Rate(1, 4)


def test_each_action_is_recorded_with_its_own_paths(recorded, ledger):
    """Not with those of all that was undone with it."""
    recorded.runtime.undo_back_to(recorded.turns[0])
    found = ledger.sql(
        "SELECT turn_index, action_index, paths, path_count FROM reversals ORDER BY 1, 2"
    ).fetchall()
    assert [(*row[:2], sorted(json.loads(row[2])), row[3]) for row in found] == [
        (1, 0, ["y"], 1),
        (1, 1, ["made", "x"], 2),
        (2, 0, ["y"], 1),
    ]
    assert ledger.sql("SELECT count(DISTINCT reversal_id) FROM reversals").fetchone() == (1,)


def test_an_undoing_that_was_not_recorded_is_recorded_when_the_session_goes_on(recorded, ledger, monkeypatch):
    """Its process was killed between the effect and the record."""
    recorded.runtime.undo()
    with monkeypatch.context() as killed:
        killed.setattr(Undoing, "catch_up", lambda _: None)
        recorded.runtime.undo()
    assert recorded.tree() == {"x": "one\n"}
    assert fates(ledger)[1, 0] == ["succeeded"]
    session_id = recorded.runtime.session_id
    recorded.runtime.close()
    for _ in range(2):
        with al.Runtime.reopen(ledger, session_id) as runtime:
            runtime.handle("")
        assert fates(ledger) == {
            (0, 0): ["succeeded"],
            (1, 0): ["succeeded", "undone"],
            (1, 1): ["succeeded", "undone"],
            (2, 0): ["succeeded", "undone"],
        }


def test_a_session_that_nobody_records_is_undone_as_well(session):
    session.done("create_file", path="x", content="x")
    session.runtime.undo()
    assert session.tree() == {}


KILLED = """
import os, signal, sys
import actionledger as al
from actionledger.runtime.session.undo import Undoing

Undoing.catch_up = lambda self: self.session and os.kill(os.getpid(), signal.SIGKILL)
with al.open_ledger(sys.argv[1]) as ledger:
    session = al.Runtime.reopen(ledger, sys.argv[2])
    session.undo(sys.argv[3], action=0)
"""


def test_a_process_that_is_killed_between_the_effect_and_its_record(recorded, ledger, forked, tmp_path):
    """The file is gone, the ledger doesn't say so; the next process finds it in the journal, once."""
    session_id = recorded.runtime.session_id
    recorded.runtime.close()
    done = forked.run(KILLED, tmp_path, ledger.path, session_id, recorded.turns[2])
    assert done.returncode == -signal.SIGKILL
    assert recorded.tree()["y"] == "y\n"
    assert fates(ledger)[2, 0] == ["succeeded"]
    for _ in range(2):
        with al.Runtime.reopen(ledger, session_id) as runtime:
            runtime.handle("")
        assert fates(ledger)[2, 0] == ["succeeded", "undone"]
