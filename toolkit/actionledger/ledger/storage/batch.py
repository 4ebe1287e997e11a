"""Much that is recorded at once: events on their way into the database, or into a segment where that is all that they get."""

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
    """Events that are taken in together, each once.

    Attributes:
        size: about how many bytes their lines take.
    """

    def __init__(self) -> None:
        self._events: dict[str, Event] = {}
        self.size = 0

    def add(self, event: Event) -> None:
        """Add an event, unless it is there.

        Raises:
            EventTooLargeError: the event is larger than the ledger takes.
            UsageError: it holds a value that JSON has no form for.
        """
        if event.event_id in self._events:
            return
        size = small_size(event)
        if size is None:
            size = len(dumped(event, checked=True).line) + 1
        self._events[event.event_id] = event
        self.size += size

    def prepared(self) -> Prepared:
        """Return the events as rows.

        Raises:
            UsageError: one of them holds a value that JSON has no form for; the others are still there.
        """
        events = list(self._events.values())
        try:
            return prepare(events)
        except UnwritableEventError as error:
            del self._events[events[error.place].event_id]
            raise

    def lines(self) -> list[bytes]:
        """Return the events as lines, each with its line break; secrets are masked.

        Raises:
            UsageError: see ``prepared``.
        """
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
