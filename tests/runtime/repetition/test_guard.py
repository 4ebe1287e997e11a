"""What comes of repetition in a session: told in the feedback, then stopped, and recorded both times."""

from dataclasses import replace
from datetime import datetime

import pytest

from actionledger.core.errors import ActionError
from actionledger.core.events import SystemNoted
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.runtime.execution.limits import RateLimit
from actionledger.runtime.repetition.limits import NO_REPETITION, RepetitionLimits

NOON = datetime.fromisoformat("2026-05-04T12:00:00")


def look(at: str = "the sky") -> str:
    return f'{{"type": "look", "at": "{at}"}}'


def block(*actions: str) -> str:
    return '```actions\n{"actions": [' + ", ".join(actions) + "]}\n```"


def notes(events) -> list[tuple[str, str]]:
    return [(event.code, event.message) for event in events if isinstance(event, SystemNoted)]


def said(runtime, *texts: str, **given):
    return [runtime.handle(text, occurred_at=NOON, **given) for text in texts]


def test_the_model_is_told_first(session, events):
    """At the third time its feedback says so, the record does, and nothing is held back."""
    *before, turn = said(session(), *[block(look())] * 3)
    assert not any("repeating yourself" in each.feedback for each in before)
    assert turn.feedback.splitlines()[-1] == (
        "You are repeating yourself: the same action 3 times in a row, with the same outcome (last: look). "
        "Do something else, or say what is in the way."
    )
    assert [code for code, _message in notes(events)] == ["repetition_nudged"]
    assert turn.observations[0].status is ExecutionStatus.SUCCEEDED
    assert turn.stopped == ""


WHY = "Stopped due to repetition: the same action 3 times in a row, with the same outcome, and now once more (last: look)."


def test_whoever_goes_on_is_stopped(session, events):
    """The fourth time is not done, and the turn says why nobody should go on by themselves."""
    *_, turn = said(session(), *[block(look())] * 3, block(look(), look()))
    assert turn.stopped == WHY
    assert notes(events)[-1] == ("repetition_stopped", WHY)
    for skipped in turn.observations:
        assert (skipped.status, skipped.reason, skipped.message) == (
            ExecutionStatus.SKIPPED,
            Reason.REPETITION,
            WHY,
        )
    assert turn.feedback.splitlines()[-1] == WHY


def test_only_what_repeats_is_not_done(session, events):
    """Something else in the same turn is work, and whoever does it goes on."""
    *_, turn = said(session(), *[block(look())] * 3, block(look(), look("the sea")))
    repeated, other = turn.observations
    assert repeated.reason is Reason.REPETITION
    assert other.status is ExecutionStatus.SUCCEEDED
    assert turn.stopped == ""
    assert notes(events)[-1] == ("repetition_stopped", WHY)


def test_a_circle_is_not_closed_once_more(session):
    """To and fro: the call that would end the third round is not made, nor the one behind it."""
    runtime = session()
    turns = said(runtime, *[block(look()), block(look("the sea"))] * 4)
    stopped = [turn.observations[0].reason is Reason.REPETITION for turn in turns]
    assert stopped == [False] * 5 + [True] * 3
    assert turns[-1].stopped.startswith("Stopped due to repetition: the same few actions in turn, 3 rounds")


def test_who_was_told_of_one_call_is_told_of_another(session):
    """That a model was told of one streak is no reason to stop the next one unheard."""
    *_, turn = said(session(), *[block(look())] * 3, block(*[look("the sea")] * 9))
    assert {each.status for each in turn.observations} == {ExecutionStatus.SUCCEEDED}


def test_whoever_turns_round_goes_on(session):
    """After a stop another action runs as ever."""
    runtime = session()
    *_, stopped, turn = said(runtime, *[block(look())] * 5, block(look("the sea")))
    assert stopped.stopped
    assert turn.stopped == ""
    assert turn.observations[0].status is ExecutionStatus.SUCCEEDED


def test_nobody_is_stopped_unheard(session):
    """One response with the same action nine times is told of it and not stopped, by default."""
    (turn,) = said(session(), block(*[look()] * 9))
    assert {each.status for each in turn.observations} == {ExecutionStatus.SUCCEEDED}
    assert "9 times in a row" in turn.feedback
    assert turn.stopped == ""


def test_a_profile_may_stop_within_a_response(session, profile):
    """Where a response is a sequence of its own, it ends where it begins to turn."""
    strict = replace(profile, repetition=RepetitionLimits(needs_nudge=False))
    (turn,) = said(session(profile=strict), block(*[look()] * 7))
    statuses = [each.status for each in turn.observations]
    assert statuses == [ExecutionStatus.SUCCEEDED] * 3 + [ExecutionStatus.SKIPPED] * 4


def test_a_stop_may_end_the_turn(session, profile):
    """As a profile wishes; then what stands behind is not done, whatever it is."""
    strict = replace(profile, repetition=RepetitionLimits(needs_nudge=False, ends_turn=True))
    (turn,) = said(session(profile=strict), block(*[look()] * 4, look("the sea")))
    assert turn.observations[-1].reason is Reason.REPETITION
    assert turn.stopped


def test_a_new_request_begins_anew(session, events):
    """Somebody who asks five times for the same gets it five times."""
    said(session(), *[block(look())] * 6, prompt="And now?")
    assert notes(events) == []


def test_feedback_that_is_handed_back_is_no_new_request(session):
    """A loop that shows the model its feedback as a prompt, with words around it, asks for nothing new."""
    runtime = session()
    (turn,) = said(runtime, block(look()))
    for _ in range(4):
        (turn,) = said(runtime, block(look()), prompt=f"Go on.\n{turn.feedback}")
    assert turn.stopped


@pytest.mark.parametrize(
    "text",
    ["```actions\n{oops", block('{"type": "fly"}'), block('{"type": "look"}'), block('{"type": "dream"}')],
)
def test_the_same_mistake_again_is_repetition_too(session, text):
    """Unreadable, unknown, invalid, without a handler: what never ran is counted like what failed."""
    *_, turn = said(session(), *[text] * 3)
    assert "You are repeating yourself" in turn.feedback


def test_the_same_failure_again_is_repetition(session):
    """The same call that failed the same way is not made again."""

    def nothing(action, _context):
        raise ActionError(Reason.NOT_FOUND, f"There is no picture {action.at}.")

    *_, turn = said(session({"look": nothing}), *[block(look())] * 4)
    assert turn.stopped == WHY
    *_, turn = said(session({"look": nothing}), *[block(look(str(n))) for n in range(9)])
    assert turn.stopped == ""


def test_what_a_rate_holds_back_is_no_repetition(session, profile, events):
    """Different actions over many turns are no error that is made again."""
    limits = replace(profile.limits, rates=(("look", RateLimit(1, 60)),))
    turns = said(session(profile=replace(profile, limits=limits)), *[block(look(str(n))) for n in range(30)])
    assert all(turn.observations[0].status is ExecutionStatus.RATE_LIMITED for turn in turns[1:])
    assert not any("repeating" in turn.feedback for turn in turns)
    assert notes(events) == []


def test_what_waits_for_a_person_is_no_repetition(session, events):
    """Nothing has come of it yet."""
    said(session(), *[block('{"type": "change", "what": "the colour"}')] * 6)
    assert notes(events) == []


def test_a_profile_may_do_without(session, profile, events):
    """Then nothing is told and nothing stopped."""
    said(session(profile=replace(profile, repetition=NO_REPETITION)), *[block(look())] * 9)
    assert notes(events) == []
