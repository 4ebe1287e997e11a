"""Many events recorded at once, on their way into the database, or into a segment if they can't be ingested directly."""

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from actionledger.core.errors import UsageError
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
from actionledger.ledger.storage.encoding import dumped, masked
from actionledger.ledger.storage.preparation import Prepared, UnwritableEventError, prepare


class Batch:
    """Events that are ingested together, each once."""

    def __init__(self) -> None:
        self._events: dict[str, Event] = {}
        self.size = 0

    def add(self, event: Event) -> None:
        """Add an event, unless the batch already has it."""
        if event.event_id in self._events:
            return
        size = small_size(event)
        if size is None:
            size = len(dumped(event, checked=True).line) + 1
        self._events[event.event_id] = event
        self.size += size

    def prepared(self) -> Prepared:
        """Return the events as rows."""
        events = list(self._events.values())
        try:
            return prepare(events)
        except UnwritableEventError as error:
            del self._events[events[error.place].event_id]
            raise

    def lines(self) -> list[bytes]:
        """Return the events as lines, each with its line break; secrets are masked."""
        events = list(self._events.values())
        unmasked = []
        for event in events:
            try:
                unmasked.append(dumped(event, checked=True))
            except UsageError:
                del self._events[event.event_id]
                raise
        return [line for line, _ in masked(unmasked)]

    def __bool__(self) -> bool:
        return bool(self._events)


SMALL_CHARACTERS = 128 * 1024
"""The maximum characters of a small event: at twelve bytes each at most, its line is a fortieth of the longest."""

_SMALL_COUNT = 64
"""The maximum number of blocks, actions, issues, repairs, errors and conversions of a small event."""

_BESIDE_BYTES = 600
"""About how many bytes of a line are field names and identifiers."""


def _texts_in(kind: type) -> Callable[[Any], tuple[str | None, ...]]:
    """Return a getter of a type's texts, except our own identifiers; a missing text is None."""
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
    """Return about how many bytes an event's line has; None if it may be large, or can't be estimated quickly."""
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
    """Return the total length of the texts found in a response; more than a small event's if there are many items."""
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
