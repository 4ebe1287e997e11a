"""What actions have changed is taken back by action, by turn, back to a turn, and recorded as undone."""

import sys

import pytest

import actionledger as al
from actionledger.errors import ActionError, UsageError
from actionledger.execution.workspace import UndoRefusedError
from actionledger.ledger.queries.funnel import funnel
from actionledger.vocabulary import Reason

PYTHON = sys.executable
COMMAND = f"{PYTHON} -c \"open('made', 'w').write('x'); open('x', 'a').write('more')\""


@pytest.fixture
def ledger(tmp_path):
    with al.open_ledger(tmp_path / "l.duckdb") as opened:
        yield opened


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


def tries(ledger):
    """What came of each try, by turn and action."""
    rows = ledger.sql(
        "FROM executions SELECT turn_index, action_index, status ORDER BY 1, 2, try_number"
    ).fetchall()
    found = {}
    for turn, action, status in rows:
        found.setdefault((turn, action), []).append(status)
    return found


ALL = {"x": "one\nmore", "y": "Y\n", "made": "x"}


def test_the_last_turn_is_undone_and_done_again(recorded, ledger):
    """Each time the ledger says so, as a further try at each of its actions."""
    assert recorded.tree() == ALL
    undone = recorded.runtime.undo()
    assert recorded.tree() == ALL | {"y": "y\n"}
    assert tries(ledger)[2, 0] == ["succeeded", "undone"]
    recorded.runtime.redo(undone)
    assert recorded.tree() == ALL
    assert tries(ledger)[2, 0] == ["succeeded", "undone", "succeeded"]


def test_undoing_goes_on_turn_by_turn(recorded, ledger):
    """A turn with a command as well, until nothing is left."""
    recorded.runtime.undo()
    assert set(recorded.runtime.undo().paths) == {"made", "x", "y"}
    assert recorded.tree() == {"x": "one\n"}
    recorded.runtime.undo()
    assert recorded.tree() == {}
    assert {pair: statuses[-1] for pair, statuses in tries(ledger).items()} == dict.fromkeys(
        [(0, 0), (1, 0), (1, 1), (2, 0)], "undone"
    )
    with pytest.raises(UsageError, match="left to be undone"):
        recorded.runtime.undo()


def test_one_action_is_undone(recorded, ledger):
    """The command alone, by its place in its turn."""
    recorded.runtime.undo(recorded.turns[1], action=1)
    assert recorded.tree() == {"x": "one\n", "y": "Y\n"}
    assert tries(ledger) == {
        (0, 0): ["succeeded"],
        (1, 0): ["succeeded"],
        (1, 1): ["succeeded", "undone"],
        (2, 0): ["succeeded"],
    }


def test_all_behind_a_turn_is_undone(recorded, ledger):
    """Everything is as that turn left it."""
    recorded.runtime.undo_back_to(recorded.turns[0])
    assert recorded.tree() == {"x": "one\n"}
    assert tries(ledger)[0, 0] == ["succeeded"]
    assert tries(ledger)[1, 1] == tries(ledger)[2, 0] == ["succeeded", "undone"]


def test_what_somebody_changed_since_is_not_undone(recorded, ledger):
    """Nothing is then; the error names the path, and nothing is recorded."""
    recorded.write("y", "mine\n")
    with pytest.raises(UndoRefusedError) as refusal:
        recorded.runtime.undo()
    assert [one.path for one in refusal.value.conflicts] == ["y"]
    assert recorded.tree() == ALL | {"y": "mine\n"}
    assert tries(ledger)[2, 0] == ["succeeded"]


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
    assert tries(ledger)[2, 0] == ["succeeded", "undone"]


def test_an_undone_action_counts_once_as_tried_and_done(recorded, ledger):
    """The rates speak of actions, and it did succeed."""
    recorded.runtime.undo()
    counted = funnel(ledger)
    assert (counted.tried, counted.done) == (4, 4)


def test_a_session_that_nobody_records_is_undone_as_well(session):
    """Only the record is missing."""
    session.done("create_file", path="x", content="x")
    session.runtime.undo()
    assert session.tree() == {}


def test_a_ledger_inside_of_the_workspace_keeps_no_journal_there(tmp_path):
    """Where actions could change it; undoing works while the session lasts."""
    with (
        al.open_ledger(tmp_path / "l.duckdb") as ledger,
        al.Runtime("coder", ledger=ledger, workspace=tmp_path, auto=True) as runtime,
    ):
        runtime.handle("<create_file><path>x</path><content>x</content></create_file>")
        assert not ledger.effects.exists()
        runtime.undo()
        assert not (tmp_path / "x").exists()
