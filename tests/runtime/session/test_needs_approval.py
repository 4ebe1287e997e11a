"""A call that was cut off waits in every session, is recorded as such, and runs once a person has approved it."""

import pytest

import actionledger as al
from actionledger.core.vocabulary import ActionStatus, DecisionKind, ExecutionStatus, Outcome, Reason

CUT = "<tool_call>put_note\n<arg_key>text</arg_key>\n<arg_value>a</arg_value>\n"
WHOLE = '<tool_call>\n{"name": "put_note", "arguments": {"text": "a"}}'
P, S, D = ExecutionStatus.PENDING, ExecutionStatus.SUCCEEDED, ExecutionStatus.DENIED


@pytest.fixture
def notes():
    return []


@pytest.fixture
def profile(notes):
    actions = al.ActionSet("notes")

    @actions.action(example={"text": "a"})
    def put_note(text: str, count: int = 1) -> None:
        """Put a note somewhere.

        Args:
            text: what it says.
            count: how often.
        """
        notes.append((text, count))

    return al.custom_profile("notes", actions=actions, dialects=["glm", "hermes"])


def statuses(turn):
    return [each.status for each in turn.observations]


@pytest.mark.parametrize("auto", [True, False])
def test_a_cut_call_runs_only_once_a_person_approves_it(ledger, profile, notes, auto):
    """A policy that lets everything run says nothing of a call whose end nobody saw."""
    with al.Runtime(profile, ledger=ledger, auto=auto) as runtime:
        turn = runtime.handle(CUT)
        assert (statuses(turn), notes) == ([P], [])
        assert "Action 1 (put_note) pending" in turn.feedback
        resumed = runtime.resume(turn.turn_id, {0: al.Decision(DecisionKind.APPROVED, by="ann")})
        assert (statuses(resumed), notes) == ([S], [("a", 1)])
        again = runtime.handle(CUT)
        rejected = runtime.resume(again.turn_id, {0: al.Decision(DecisionKind.REJECTED, by="ann")})
        assert (statuses(rejected), notes) == ([D], [("a", 1)])


def test_a_person_may_say_what_was_meant(ledger, profile, notes):
    """The arguments are the person's then."""
    with al.Runtime(profile, ledger=ledger) as runtime:
        turn = runtime.handle(CUT)
        changed = al.Decision(DecisionKind.MODIFIED, by="ann", arguments={"text": "b", "count": 2})
        assert statuses(runtime.resume(turn.turn_id, {0: changed})) == [S]
    assert notes == [("b", 2)]


@pytest.mark.parametrize(
    ("finish_reason", "status"), [("stop", S), (None, S), ("length", P), ("max_tokens", P)]
)
def test_why_the_model_stopped_decides_where_only_a_mark_is_missing(
    ledger, profile, notes, finish_reason, status
):
    """A server takes the closing mark away where the model ended by itself, and a limit takes more."""
    with al.Runtime(profile, ledger=ledger) as runtime:
        turn = runtime.handle(WHOLE, finish_reason=finish_reason)
        assert statuses(turn) == [status]
    assert len(notes) == (status is S)
    kept = ledger.sql("SELECT finish_reason FROM turns").fetchall()
    assert kept == [(finish_reason,)]


def test_a_turn_is_resumed_as_it_was_read(ledger, profile, notes):
    """Another process reads the response once more, and knows why the model stopped."""
    with al.Runtime(profile, ledger=ledger) as runtime:
        turn = runtime.handle(WHOLE, finish_reason="length")
        session_id = runtime.session_id
    with al.Runtime.reopen(ledger, session_id, profile=profile) as runtime:
        assert statuses(runtime.resume(turn.turn_id)) == [P]
        approved = runtime.resume(turn.turn_id, {0: al.Decision(DecisionKind.APPROVED, by="ann")})
        assert statuses(approved) == [S]
    assert notes == [("a", 1)]


def test_the_record_says_why_and_counts_it_in_no_rate(ledger, profile):
    """SQL, the funnel and a reading under another configuration agree."""
    with al.Runtime(profile, ledger=ledger) as runtime:
        runtime.handle(CUT)
    asked = "SELECT DISTINCT status, reason FROM actions"
    assert ledger.sql(asked).fetchall() == [(ActionStatus.NEEDS_APPROVAL, Reason.TRUNCATED)]
    found = al.funnel(ledger)
    assert (found.need_approval, found.decoded, found.runnable, found.validation.count) == (1, 1, 0, 0)
    assert found.outcomes[Outcome.PARTIAL] == 1
    [run_id] = ledger.sql("SELECT run_id::VARCHAR FROM runs").fetchone()
    report = al.reparse(ledger, run=run_id, parser=profile.parser)
    assert report.counts["same"] == 1
    assert ledger.sql(asked).fetchall() == [(ActionStatus.NEEDS_APPROVAL, Reason.TRUNCATED)]
