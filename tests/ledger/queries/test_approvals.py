"""What waits, what was decided and is still to be done, and how far a turn got."""

from datetime import timedelta

import pytest

from actionledger.core.ids import new_id
from actionledger.core.vocabulary import DecisionKind, ExecutionStatus, RunKind
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.progress import (
    approvals_called,
    approvals_of_turn,
    next_turn_index,
    open_approvals,
    turn_progress,
)


@pytest.fixture
def store(tmp_path):
    with open_ledger(tmp_path / "team.duckdb") as opened:
        yield opened


def record(store, *events) -> None:
    for event in events:
        store.record(event)


def test_what_waits_is_listed_oldest_first(store, make):
    """What was decided isn't in the list any more."""
    late = make.asked()
    early = make.asked(recorded_at=late.recorded_at - timedelta(hours=1))
    decided = make.asked()
    record(store, late, early, decided, make.decided(decided.approval_id))
    assert [each.approval_id for each in open_approvals(store)] == [early.approval_id, late.approval_id]


def test_a_decision_stands(store, make):
    """A second event of the same request is passed over, in whatever process it was written."""
    asked = make.asked()
    first = make.decided(asked.approval_id, decision=DecisionKind.REJECTED, changed_arguments="")
    second = make.decided(asked.approval_id, event_id=first.event_id, decided_by="bob")
    record(store, asked, first, second)
    (found,) = approvals_of_turn(store, asked.turn_id)
    assert (found.decision, found.decided_by, found.changed_arguments) == (DecisionKind.REJECTED, "ada", "")


@pytest.mark.parametrize(
    ("last", "is_listed"),
    [(ExecutionStatus.PENDING, True), (ExecutionStatus.SUCCEEDED, False), (ExecutionStatus.DENIED, False)],
)
def test_what_was_decided_and_not_done_is_listed(store, make, last, is_listed):
    """Until another try follows the one that waited."""
    asked = make.asked()
    waits = make.started(action_id=asked.action_id)
    again = make.started(action_id=asked.action_id, try_number=2)
    record(
        store,
        asked,
        waits,
        make.finished(execution_id=waits.execution_id, status=ExecutionStatus.PENDING),
        again,
        make.finished(execution_id=again.execution_id, status=last),
        make.decided(asked.approval_id),
    )
    assert bool(open_approvals(store)) is is_listed


def test_an_approval_is_found_by_the_beginning_of_its_id(store, make):
    """What is no beginning of an id finds nothing."""
    asked = make.asked()
    record(store, asked)
    for prefix in (asked.approval_id, asked.approval_id[:8], asked.approval_id[:9].upper()):
        assert [each.approval_id for each in approvals_called(store, prefix)] == [asked.approval_id]
    for nothing in ("", "zz", "' OR 1", "%", asked.approval_id + "0", "0000000" + "-"):
        assert approvals_called(store, nothing) == []


def test_a_turn_is_as_far_as_its_last_tries(store, make):
    """Of each action the last one counts; one without an end is not finished."""
    response = make.response()
    parsed = make.parsed(turn_id=response.turn_id)
    of_turn = {"turn_id": response.turn_id, "attempt_id": parsed.attempt_id}
    first, second = (make.started(**of_turn, try_number=number, execution_id=new_id()) for number in (1, 2))
    other = make.started(**of_turn, action_index=1)
    record(
        store,
        response,
        parsed,
        first,
        second,
        other,
        make.finished(execution_id=first.execution_id, status=ExecutionStatus.FAILED),
        make.finished(execution_id=second.execution_id),
    )
    turn, tries = turn_progress(store, response.turn_id)
    assert (turn.text, turn.parser_id, turn.is_finished) == ("hello", "f" * 64, False)
    by_action = {each.action_index: each for each in tries}
    assert (by_action[0].try_number, by_action[0].status, by_action[0].is_finished) == (2, "succeeded", True)
    assert (by_action[1].status, by_action[1].is_finished) == ("interrupted", False)


def test_a_turn_that_nobody_read_has_no_progress(store, make):
    """Nor has one that isn't there, or was only read again."""
    response = make.response()
    again = make.parsed(turn_id=response.turn_id, run_kind=RunKind.REPARSE)
    record(store, response, again)
    for turn_id in (response.turn_id, new_id(), "no id"):
        assert turn_progress(store, turn_id) is None


def test_a_sessions_next_turn_has_the_next_place(store, make):
    """The first one has place 0."""
    assert next_turn_index(store, make.session_id) == 0
    record(store, make.response(turn_index=4))
    assert next_turn_index(store, make.session_id) == 5
