"""Spans on their way into a ledger, whoever brings them: requests of OTLP, or a program's own tracer."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from time import monotonic
from typing import TypeAlias

from actionledger.capture.recording import Recording
from actionledger.capture.traces import EVERY, SETTLED, HeldTraces
from actionledger.forking import watch
from actionledger.ids import derived_id
from actionledger.importing.prices import Prices
from actionledger.ledger import Ledger
from actionledger.ledger.queries.progress import next_turn_indexes
from actionledger.sources.base import Item, LeftOut
from actionledger.sources.formats.otel import SOURCE
from actionledger.sources.shapes.spans import Span
from actionledger.vocabulary import LeftOutReason


@dataclass(frozen=True, slots=True)
class Batch:
    """Spans that came together.

    Args:
        spans: returns them; called in the thread that writes.
        size: about how many bytes they hold.
        count: how many there are.
    """

    spans: Callable[[], Iterable[Span]]
    size: int
    count: int


@dataclass(frozen=True, slots=True)
class Passed:
    """Something that came and is nothing to be recorded.

    Args:
        reason: why.
        detail: what it is.
        count: how much of it.
    """

    reason: LeftOutReason
    detail: str
    count: int = 1
    size: int = 0


Came: TypeAlias = Batch | Passed


class SpanReader:
    """Makes sessions of spans, in whatever order they come.

    Args:
        ledger: what knows how far a session has come.
        origin: where they come from, as records say it.
        settled: how long a trace that lacks nothing is quiet before it is told, in seconds.
    """

    def __init__(self, ledger: Ledger, origin: str, *, settled: float = SETTLED) -> None:
        self._origin = origin
        # Asked once: what begins later begins here.
        indexes = cache(lambda source: next_turn_indexes(ledger, source))
        self._held = HeldTraces(
            origin,
            lambda source, name: indexes(source).get(derived_id("session", source, name), 0),
            settled=settled,
        )
        self._next_look = monotonic() + EVERY
        watch(self._held)

    def read(self, came: Came) -> Iterator[Item]:
        """Yield what is due by now.

        Args:
            came: what came.
        """
        if isinstance(came, Passed):
            yield LeftOut(self._origin, came.reason, came.detail, came.count)
        else:
            yield from self._held.add(came.spans(), came.size)
        if monotonic() > self._next_look:  # nobody asks for the rest while there is no rest
            yield from self.rest(is_end=False)

    def rest(self, is_end: bool) -> Iterator[Item]:
        """Yield what is due though nothing came; all of it at the end."""
        yield from self._held.due(all_of_them=is_end)
        self._next_look = monotonic() + EVERY


def recording_of_spans(
    ledger: Ledger, origin: str, *, settled: float = SETTLED, prices: Prices | None = None
) -> Recording[Came]:
    """Return a recording of spans.

    Args:
        ledger: the ledger; it must stay open until the recording is closed.
        origin: where they come from, as records say it; a name that no other recording has.
        settled: how long a trace that lacks nothing is quiet before it is told, in seconds.
        prices: what responses cost of which only the tokens are known.
    """
    reader = SpanReader(ledger, origin, settled=settled)
    return Recording(
        ledger,
        reader.read,
        source=SOURCE.name,
        origin=origin,
        rest=reader.rest,
        every=EVERY,
        units=lambda came: came.count,
        prices=prices,
    )
