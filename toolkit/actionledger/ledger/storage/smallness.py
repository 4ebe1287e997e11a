"""Which events are surely smaller than what a ledger takes: told by a look at their texts, not by writing them."""

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from actionledger.core.events import (
    ActionRecord,
    Event,
    ExecutionRecorded,
    ResponseParsed,
    ResponseReceived,
    SessionDescribed,
    SessionFinished,
    SessionStarted,
    TurnFinished,
)
from actionledger.ledger.storage.columns import annotation, getter

SMALL_CHARACTERS = 128 * 1024
"""So many characters are small: a character takes twelve bytes at most, so a line is a fortieth of the longest."""

_SMALL_COUNT = 64
"""So many blocks, actions, issues, repairs, errors and conversions are few."""

_BESIDE_BYTES = 600
"""About how many bytes of a line are the names of its fields, and identifiers."""


def _texts_in(kind: type) -> Callable[[Any], tuple[str | None, ...]]:
    """Return what gives a value's texts, but for identifiers of our own; None stands for one that there is not."""
    found = {each.name: annotation(kind, each.name) for each in fields(kind)}
    return getter(
        [
            name
            for name, (of, stored, _) in found.items()
            if of is str and (stored is None or stored.sql_type != "UUID")
        ]
    )


_TEXTS: dict[type, Callable[[Any], tuple[str | None, ...]]] = {
    kind: _texts_in(kind)
    for kind in (
        SessionStarted,
        SessionDescribed,
        SessionFinished,
        ResponseReceived,
        TurnFinished,
        ResponseParsed,
        ExecutionRecorded,
    )
}
_TEXTS_OF_ACTION = _texts_in(ActionRecord)


def small_size(event: Event) -> int | None:
    """Return about how many bytes an event's line takes; None where it may be large, or nobody can tell so quickly."""
    texts_in = _TEXTS.get(type(event))
    if texts_in is None:
        return None
    try:
        size = _characters(texts_in(event))
        if isinstance(event, ResponseParsed):
            size += _characters_found(event)
        elif (isinstance(event, SessionFinished) and (event.scores or event.labels)) or (
            isinstance(event, SessionDescribed) and event.pull_requests
        ):
            return None
    except TypeError:  # a value of another type than its field's
        return None
    return size + _BESIDE_BYTES if size <= SMALL_CHARACTERS else None


def _characters_found(event: ResponseParsed) -> int:
    """Return how long the texts are of what was found in a response; more than is small where much was found."""
    count = len(event.blocks) + len(event.actions) + len(event.issues)
    texts: list[str | None] = [issue.detail for issue in event.issues]
    for block in event.blocks:
        count += len(block.repairs) + len(block.issues)
        for repair in block.repairs:
            texts += (repair.before, repair.after)
        for issue in block.issues:
            texts.append(issue.detail)
    for action in event.actions:
        count += len(action.errors) + len(action.conversions)
        texts += _TEXTS_OF_ACTION(action)
        for error in action.errors:
            texts += (error.path, error.value, error.expected)
        for conversion in action.conversions:
            texts += conversion
    return _characters(texts) if count <= _SMALL_COUNT else SMALL_CHARACTERS + 1


def _characters(texts: Iterable[str | None]) -> int:
    return sum(map(len, filter(None, texts)))
