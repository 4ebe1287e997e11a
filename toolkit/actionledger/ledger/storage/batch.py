"""Much that is recorded at once: events on their way into the database, or into a segment where that is all that they get."""

from actionledger.core.errors import UsageError
from actionledger.core.events import Event
from actionledger.ledger.storage.encoding import dumped, masked
from actionledger.ledger.storage.preparation import Prepared, UnwritableEventError, prepare
from actionledger.ledger.storage.smallness import small_size


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
