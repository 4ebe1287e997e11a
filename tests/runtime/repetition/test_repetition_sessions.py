"""Whole sessions before the guard, as a live one would put them: ordinary work is let be, real loops are stopped."""

import json

import pytest
from repetition_sessions import LOOPS, ORDINARY, Session

from actionledger.runtime.repetition.fingerprints import fingerprint
from actionledger.runtime.repetition.forms import call_form
from actionledger.runtime.repetition.guard import RepetitionGuard
from actionledger.runtime.repetition.limits import STANDARD_REPETITION, Pattern, RepetitionLimits

TOLD = {
    "a build that takes its time": {Pattern.POLLING},
    "a command that asks whether it is done": {Pattern.POLLING},
    "sleeping between two looks": {Pattern.POLLING},
    "trying again after a time-out": {Pattern.RETRY, Pattern.SAME_ERROR},
    "trying again when it is overloaded": {Pattern.RETRY},
    "a closed door for each of many": {Pattern.SAME_ERROR},
    "edit and test": set(),
    "indenting rightly": {Pattern.SAME_ERROR},
}
"""Ordinary work of which the model is told something all the same, and what: all of it true, none of it a stop."""


def put(session: Session, limits: RepetitionLimits = STANDARD_REPETITION) -> tuple[str, set[Pattern]]:
    """Return why a session is stopped, empty where it isn't, and what its model is told before."""
    guard = RepetitionGuard(limits)
    told: set[Pattern] = set()
    is_asked = True
    for turn in session:
        if turn is None:
            is_asked = True
            continue
        guard.begin_turn(is_new_request=is_asked)
        is_asked = False
        for name, arguments, outcome, how in turn:
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            if how != "refused" and (why := guard.refuse(call_form(name, text))):
                return why, told
            said = outcome if isinstance(outcome, str) else json.dumps(outcome)
            result, error = (said, "") if how == "done" else ("", said)
            guard.note([fingerprint(name, text, result=result, error=error, is_refused=how == "refused")])
        if why := guard.spent():
            return why, told
        if guard.found:
            told.add(guard.found.pattern)
    return "", told


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_work_is_not_stopped(name):
    """Nor is its model told that it repeats itself, unless it does wait, or meets one error after another."""
    why, told = put(ORDINARY[name])
    assert why == ""
    assert told <= TOLD.get(name, set())


@pytest.mark.parametrize("name", LOOPS)
def test_real_loops_are_stopped(name):
    why, told = put(LOOPS[name])
    assert why.startswith("Stopped due to repetition: ")
    assert told


@pytest.mark.parametrize("name", LOOPS)
def test_what_is_not_told_is_not_stopped(name):
    """In one response, however long, nobody could have heard."""
    turns = [call for turn in LOOPS[name] if turn for call in turn]
    assert put([turns])[0] == ""


def test_there_are_enough_of_them():
    """Forty sessions of ordinary work and twenty loops."""
    assert (len(ORDINARY) >= 40, len(LOOPS) >= 20) == (True, True)
