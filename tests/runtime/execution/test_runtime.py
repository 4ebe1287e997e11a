"""One response from text to record: the order of the rooms, and what goes through each."""

from dataclasses import replace
from datetime import datetime

import pytest

from actionledger.core.errors import ActionError, LedgerError
from actionledger.core.vocabulary import ActionStatus, ExecutionStatus, Outcome, Reason
from actionledger.reading.parsers import parser_for
from actionledger.runtime.execution.handlers import no_handlers
from actionledger.runtime.execution.profile import Profile

NOON = datetime.fromisoformat("2026-05-04T12:00:00")
LOOK = '{"type": "look", "at": "the sky"}'
CHANGE = '{"type": "change", "what": "the colour"}'
DESTROY = '{"type": "destroy", "what": "the evidence"}'
DREAM = '{"type": "dream"}'


def block(*actions: str) -> str:
    return '```actions\n{"actions": [' + ", ".join(actions) + "]}\n```"


def statuses(turn) -> list[ExecutionStatus]:
    return [observation.status for observation in turn.observations]


def test_three_good_actions_and_one_bad_one(session):
    """They give three observations and one refusal: one mistake spoils nothing else."""
    turn = session().handle(block(LOOK, '{"type": "look"}', LOOK, LOOK), occurred_at=NOON)
    assert statuses(turn) == [ExecutionStatus.SUCCEEDED] * 3
    assert [observation.action_index for observation in turn.observations] == [0, 2, 3]
    assert [call.status for call in turn.result.actions].count(ActionStatus.INVALID) == 1
    (issue,) = turn.issues
    assert (issue.code, issue.span) == (Reason.MISSING_FIELD, turn.result.actions[1].span)
    answered = [line.split(":")[0] for line in turn.feedback.splitlines() if line.startswith("Action ")]
    assert [line.rpartition(" ")[2] for line in answered] == [
        "succeeded",
        "refused",
        "succeeded",
        "succeeded",
    ]


def test_the_events_come_in_the_order_of_the_rooms(session, events):
    """The text is safe before anyone looks at it, and the turn ends when all is done."""
    session().handle(block(LOOK, LOOK), occurred_at=NOON)
    assert [event.kind for event in events] == [
        "response_received",
        "response_parsed",
        *["execution_started", "execution_finished"] * 2,
        "turn_finished",
    ]


def test_the_turn_that_is_returned_is_the_one_that_is_recorded(session, events):
    """Ids, text, feedback and results are the same in the value and in the events."""
    turn = session().handle(block(LOOK), occurred_at=NOON, prompt="What is up?")
    received, parsed, started, finished, ended = events
    assert {event.turn_id for event in events} == {turn.turn_id}
    assert {event.session_id for event in events} == {turn.session_id}
    assert (received.text, received.prompt, received.occurred_at) == (turn.result.text, "What is up?", NOON)
    assert (parsed.outcome, parsed.actions[0].action_id) == (turn.result.outcome, started.action_id)
    assert finished.execution_id == turn.observations[0].execution_id
    assert ended.feedback == turn.feedback == 'Action 1 (look) succeeded: {"seen":"the sky"}'


def test_what_needs_approval_waits(session):
    """Without a person's yes it is pending, and there is no effect; the others run."""
    turn = session().handle(block(CHANGE, LOOK), occurred_at=NOON)
    assert statuses(turn) == [ExecutionStatus.PENDING, ExecutionStatus.SUCCEEDED]
    assert turn.observations[0].reason is Reason.NOT_APPROVED
    assert "waits for approval" in turn.feedback


def test_an_automatic_session_runs_what_would_wait_and_not_what_is_forbidden(session):
    """Automatic is not all-powerful."""
    turn = session(auto=True).handle(block(CHANGE, DESTROY), occurred_at=NOON)
    assert statuses(turn) == [ExecutionStatus.SUCCEEDED, ExecutionStatus.DENIED]


def test_what_is_forbidden_is_denied(session):
    """The model is told that it is not allowed here."""
    (denied,) = session().handle(block(DESTROY), occurred_at=NOON).observations
    assert (denied.status, denied.reason) == (ExecutionStatus.DENIED, Reason.NOT_APPROVED)
    assert "not allowed" in denied.message


@pytest.mark.parametrize("action", [CHANGE, DESTROY])
def test_what_is_not_approved_has_no_effect(session, action):
    """Its handler is never called."""
    effects = []
    handlers = dict.fromkeys(("change", "destroy"), lambda action, _context: effects.append(action))
    session(handlers).handle(block(action), occurred_at=NOON)
    assert effects == []


def test_without_a_handler_an_action_is_skipped(session, profile):
    """It was understood and not done; that goes for one action as for a profile without any handler."""
    (skipped,) = session().handle(block(DREAM), occurred_at=NOON).observations
    assert (skipped.status, skipped.reason) == (ExecutionStatus.SKIPPED, Reason.NO_HANDLER)
    bare = Profile(profile.name, profile.parser, profile.catalogue, profile.policy, no_handlers)
    assert (
        statuses(session(profile=bare).handle(block(LOOK, DREAM), occurred_at=NOON))
        == [ExecutionStatus.SKIPPED] * 2
    )


def test_actions_run_in_the_order_of_the_text(session):
    order = []
    handlers = {"look": lambda action, _context: order.append(action.at)}
    looks = [f'{{"type": "look", "at": "{n}"}}' for n in range(4)]
    session(handlers).handle(block(*looks[:2]) + "\nand\n" + block(*looks[2:]), occurred_at=NOON)
    assert order == ["0", "1", "2", "3"]


def test_a_handler_that_fails_does_not_end_the_turn(session):
    """What stands behind the failure runs all the same."""

    def fail_at_first(action, _context):
        if action.at == "first":
            raise ActionError(Reason.NOT_FOUND, "There is no such thing.")
        return action.at

    text = block('{"type": "look", "at": "first"}', LOOK)
    turn = session({"look": fail_at_first}).handle(text, occurred_at=NOON)
    assert statuses(turn) == [ExecutionStatus.FAILED, ExecutionStatus.SUCCEEDED]
    assert "There is no such thing." in turn.feedback


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (block('{"type": "fly"}'), ActionStatus.UNKNOWN),
        (block('{"type": "look"}'), ActionStatus.INVALID),
        ("```xml\n<read_file><path>a</path></read_file>\n```", ActionStatus.ILLUSTRATION),
    ],
)
def test_an_action_that_is_not_valid_never_reaches_a_handler(session, profile, text, status):
    """Unknown, invalid and illustrated actions have no execution at all, in an automatic session neither."""
    called = []
    names = (*profile.catalogue.names, "fly", "read_file")
    handlers = dict.fromkeys(names, lambda action, _context: called.append(action))
    watched = replace(profile, parser=parser_for(("actions", "xml_tags")))
    turn = session(handlers, profile=watched, auto=True).handle(text, occurred_at=NOON)
    assert [call.status for call in turn.result.actions] == [status]
    assert turn.observations == ()
    assert called == []


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("", Outcome.EMPTY),
        ("Good morning.", Outcome.NO_ACTION),
        ("```actions\n{oops", Outcome.FAILED),
        ("\0\ud800\x1b[31m\n```actions\n", Outcome.FAILED),
    ],
)
def test_a_response_without_a_runnable_action_is_a_turn_too(session, events, text, outcome):
    """Any text is recorded, read and answered."""
    turn = session().handle(text, occurred_at=None)
    assert (turn.result.outcome, turn.observations) == (outcome, ())
    assert [event.kind for event in events] == ["response_received", "response_parsed", "turn_finished"]


def test_turns_are_numbered(session):
    """Each has the next place; a given place is taken, and counted on from."""
    running = session()
    assert [running.handle("x", occurred_at=None).index for _ in range(3)] == [0, 1, 2]
    assert running.handle("x", occurred_at=None, index=7).index == 7
    assert running.handle("x", occurred_at=None).index == 8


def test_the_same_turn_has_the_same_id_and_every_turn_its_own(session):
    """A turn's id is derived from its session and its place."""
    first, again = session(), session()
    ids = [first.handle("x", occurred_at=None).turn_id for _ in range(3)]
    assert len(set(ids)) == 3
    assert again.handle("other", occurred_at=None).turn_id == ids[0]


def test_one_turn_records_no_event_twice(session, events):
    """Two equal actions in one response are two executions."""
    session().handle(block(LOOK, LOOK), occurred_at=NOON)
    ids = [event.event_id for event in events]
    assert len(set(ids)) == len(ids)


def test_it_works_where_nothing_is_recorded(session):
    """The recorder is handed in: one that forgets everything is as good as any."""
    turn = session(record=lambda event: None).handle(block(LOOK), occurred_at=NOON)
    assert statuses(turn) == [ExecutionStatus.SUCCEEDED]


def test_nothing_runs_where_the_response_cannot_be_recorded(session):
    """The recorder's error comes through, before any effect."""
    effects = []
    handlers = {"look": lambda action, _context: effects.append(action)}

    def full(_event):
        raise LedgerError("The disk is full.")

    with pytest.raises(LedgerError):
        session(handlers, record=full).handle(block(LOOK), occurred_at=NOON)
    assert effects == []
