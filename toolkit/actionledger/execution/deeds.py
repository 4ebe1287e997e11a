"""What was done, as far as it matters for finding repetition: from calls and observations, live or recorded. Pure."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from actionledger.events import (
    ActionRecord,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    ResponseParsed,
    ResponseReceived,
)
from actionledger.recording import json_text
from actionledger.values import ActionCall, Issue, Observation, ParseResult
from actionledger.vocabulary import SENTENCES, ActionStatus, ExecutionStatus, Outcome, Reason

COMPARED = 2000
"""So much of an action's arguments is compared for likeness, in characters from their beginning."""

_END = 4000
"""So much of a long result is looked at from either end, in characters."""

_TELLING = 24
"""A shorter result, such as ``{"deleted":true}``, says too little to be evidence that nothing changes, in characters."""

_VARYING = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{8,}(?:-[0-9a-f]+)*\b|\d+(?:[.:,T-]\d+)*Z?", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")

_DONE = frozenset({ExecutionStatus.SUCCEEDED, ExecutionStatus.DRY_RUN})
_FAILED = frozenset(
    {
        ExecutionStatus.FAILED,
        ExecutionStatus.TIMED_OUT,
        ExecutionStatus.DENIED,
        ExecutionStatus.RATE_LIMITED,
        ExecutionStatus.SKIPPED,
    }
)
_BECAUSE_OF_OTHERS = frozenset(
    {Reason.DEPENDENCY_FAILED, Reason.ACTION_LIMIT, Reason.FAILURE_LIMIT, Reason.REPETITION}
)
"""Why actions are skipped that may be in order themselves."""


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that was done, or tried; ``deed`` makes one.

    Args:
        name: the action's name; empty for a response in which none could be read.
        arguments: what it was done with, in a normal form.
        outcome: what it came to, in a form that numbers and times make no difference to.
        error: how it failed, in the same form; empty where it didn't.
        yielded: the exact result, as a hash; empty where it says too little to tell a change.
    """

    name: str
    arguments: str
    outcome: str
    error: str = ""
    yielded: str = ""


def deed(name: str, arguments: str, *, result: str = "", error: str = "", is_unchanged: bool = False) -> Deed:
    """Return a deed in its normal form.

    Args:
        name: the action's name.
        arguments: its arguments as text.
        result: what it gave, as text.
        error: how it failed, as text; empty where it didn't.
        is_unchanged: whether it says itself that it changed nothing.
    """
    is_telling = not error and len(result) >= _TELLING
    return Deed(
        name=name,
        arguments=_folded(arguments),
        outcome=_hash(_loose(error or result)),
        error=_hash(_loose(error)) if error else "",
        yielded="unchanged" if is_unchanged else _hash(result) if is_telling else "",
    )


def observed_deed(call: ActionCall, observation: Observation) -> Deed | None:
    """Return what an action came to; None where it came to nothing yet, or was withheld because of others.

    Args:
        call: the action.
        observation: what came of it; a result that is an object with ``"changed": false`` says that nothing changed.
    """
    return _deed(json_text(call.arguments), observation)


def refused_deeds(result: ParseResult) -> Iterator[Deed]:
    """Yield a deed for a response that could not be read, or one for each of its actions that were refused."""
    if result.outcome is Outcome.FAILED:
        yield _unread(result.text, result.issues)
    for call in result.actions:
        if call.status in _REFUSED:
            why = " ".join(error.message for error in call.errors)
            yield deed(call.name, json_text(call.arguments), error=f"{call.reason}: {why}")


def recorded_deeds(events: Iterable[Event]) -> list[list[Deed]]:
    """Return what was done in one recorded session, one list for each thing that somebody asked for.

    Args:
        events: the session's events, in order.
    """
    stretches: list[dict[str, Deed]] = [{}]
    text = ""
    actions: dict[str, ActionRecord] = {}
    starts: dict[str, ExecutionStarted] = {}
    for event in events:
        match event:
            case ResponseReceived():
                text = event.text
                if event.prompt is not None and stretches[-1]:
                    stretches.append({})
            case ResponseParsed():
                actions.update({action.action_id: action for action in event.actions})
                stretches[-1].update(_recorded_refusals(event, text))
            case ExecutionStarted():
                starts[event.execution_id] = event
            case ExecutionFinished(execution_id=execution_id) if execution_id in starts:
                action_id = starts[execution_id].action_id
                done = _recorded_deed(event, actions.get(action_id), starts[execution_id])
                if done:
                    stretches[-1][action_id] = done  # of several tries, the last one counts
    return [list(stretch.values()) for stretch in stretches]


_REFUSED = frozenset({ActionStatus.INVALID, ActionStatus.UNKNOWN})


def _unread(text: str, issues: Sequence[Issue]) -> Deed:
    return deed("", text, error=issues[0].code if issues else Reason.NO_ACTION_FOUND)


def _recorded_refusals(event: ResponseParsed, text: str) -> Iterator[tuple[str, Deed]]:
    if event.outcome is Outcome.FAILED:
        yield event.attempt_id, _unread(text, event.issues)
    for action in event.actions:
        if action.status in _REFUSED:
            why = " ".join(error.message for error in action.errors)
            yield action.action_id, deed(action.name, action.arguments, error=f"{action.reason}: {why}")


def _recorded_deed(
    event: ExecutionFinished, action: ActionRecord | None, started: ExecutionStarted
) -> Deed | None:
    arguments = action.arguments if action else started.arguments or ""
    observation = Observation(
        execution_id=event.execution_id,
        action_index=started.action_index,
        name=started.name,
        status=event.status,
        reason=event.reason,
        result=json.loads(event.result),
        message=event.message,
    )
    return _deed(arguments, observation)


def _deed(arguments: str, observation: Observation) -> Deed | None:
    name, result, reason = observation.name, observation.result, observation.reason
    if observation.status in _DONE:
        is_unchanged = isinstance(result, dict) and result.get("changed") is False
        told = "" if result is None else json_text(result)
        return deed(name, arguments, result=told, is_unchanged=is_unchanged)
    if observation.status not in _FAILED or reason in _BECAUSE_OF_OTHERS:
        return None
    error = observation.message or (SENTENCES[reason] if reason else observation.status)
    return deed(name, arguments, error=error)


def _folded(arguments: str) -> str:
    """Return arguments with their blanks folded; of long ones the beginning, and a hash of all of it."""
    if len(arguments) <= COMPARED:
        return _BLANKS.sub(" ", arguments).strip()
    return _BLANKS.sub(" ", arguments[:COMPARED]) + _hash(arguments)


def _loose(text: str) -> str:
    """Return a text, or both ends of a long one, in which numbers, times and identifiers are all alike."""
    ends = text if len(text) <= 2 * _END else f"{text[:_END]}\n{text[-_END:]}"
    return _BLANKS.sub(" ", _VARYING.sub("#", ends)).strip()


def _hash(text: str) -> str:
    return blake2b(text.encode(errors="backslashreplace"), digest_size=12).hexdigest()
