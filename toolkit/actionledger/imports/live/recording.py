"""Recording alongside traffic: a bounded queue, and a thread that records its items in a ledger.

A producer never waits and never gets an error. If the ledger is slow, full or broken, the queue grows up to its limit; later items are dropped and
counted. The count is the first thing recorded when the ledger works again.
"""

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Generic, Protocol, Self, TypeAlias, TypeVar

from actionledger.core.errors import EventTooLargeError, LedgerError, UsageError
from actionledger.core.processes import watch
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports import ImportReport, Prices
from actionledger.imports.sessions import SourcesImporter
from actionledger.imports.sources.base import Item, LeftOut
from actionledger.ledger import Ledger

WAITING_BYTES = 128 * 2**20
"""The limit of the queue, in bytes."""

WAITING_ITEMS = 10_000
"""The limit of the queue, in items."""

PATIENCE = 5.0
"""How long to retry a failing ledger at the end, in seconds."""

_FAILED = "ledger_failed"
_FIRST_RETRY, _LONGEST_RETRY = 0.1, 5.0
_FLUSH_SECONDS = 1.0


class Sized(Protocol):
    """An item to be recorded."""

    @property
    def size(self) -> int:
        """Its size in bytes."""


Taken = TypeVar("Taken", bound=Sized)
Reads: TypeAlias = Callable[[], Iterable[Item]]


def _nothing(_is_end: bool, /) -> Iterable[Item]:
    return ()


def _one(_thing: Sized, /) -> int:
    return 1


def _heard(_is_kept: bool, /) -> None:
    pass


@dataclass(frozen=True, slots=True)
class RecordingResult:
    """The result of a recording."""

    report: ImportReport  # what was recorded
    dropped: Counter[str] = field(default_factory=Counter)  # how much was not recorded, by reason
    error: str = ""  # why the ledger failed at the end; empty if it didn't


class Recording(Generic[Taken]):
    """Records items in a ledger from a thread of its own."""

    def __init__(
        self,
        ledger: Ledger,  # the ledger; it must stay open until this is closed
        # makes sessions of an item, in queue order; called in the writing thread
        read: Callable[[Taken], Iterable[Item]],
        *,
        source: str,  # the source's name for sessions that name none
        origin: str,  # where they come from, as records say it; unique among recordings
        # makes sessions of what `read` has buffered: what is due, or all of it if the argument says that this is the
        # end
        rest: Callable[[bool], Iterable[Item]] = _nothing,
        # how often `rest` is called while nothing comes, in seconds; None for only at the end
        every: float | None = None,
        units: Callable[[Taken], int] = _one,  # how much an item counts as if it is dropped
        # called with True when the ledger has all that was read so far, with False when some of it is lost
        written: Callable[[bool], None] = _heard,
        waiting_bytes: int = WAITING_BYTES,  # the limit of the queue, in bytes
        waiting_items: int = WAITING_ITEMS,  # the limit of the queue, in items
        prices: Prices | None = None,  # prices for responses with tokens but without a cost
    ) -> None:
        self._ledger = ledger
        self._read = read
        self._rest = rest
        self._every = every
        self._units = units
        self._written = written
        self._source = source
        self._origin = origin
        self._bounds = (waiting_bytes, waiting_items)
        self._importers = SourcesImporter(ledger, origin=origin, prices=prices, is_live=True)
        self._prices = prices
        self._importers.begin(source)
        self._recorded = self._importers.report
        self._begin()
        watch(self)

    def _begin(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[Taken | _Drain] = deque()
        self._bytes = 0
        self._dropped: Counter[str] = Counter()
        self._error = ""
        self._is_closing = False
        self._has_taken = False
        self._is_finished = False
        self._told: Counter[str] = Counter()
        self._unflushed = 0
        self._is_flushed = True
        self._deadline = float("inf")
        self._thread: threading.Thread | None = None

    def start_over(self) -> None:
        """Begin anew in a forked child: the parent records what is queued."""
        self._begin()

    def put(self, thing: Taken) -> None:
        """Queue an item, or drop and count it if the queue is full; returns at once and raises nothing."""
        self.offer(thing, "queue_full")

    def price_by(self, prices: Prices) -> None:
        """Set the prices for responses with tokens but without a cost from now on."""
        if self._prices not in {None, prices}:
            raise UsageError(
                "What is recorded into this ledger is priced by other prices already; give all of them the same."
            )
        self._prices = prices
        self._importers.price_by(prices)

    def offer(self, thing: Taken, otherwise: str) -> bool:
        """Queue an item if there is room and return whether; else it is counted under ``otherwise``. Returns at once and raises nothing."""
        with self._changed:
            if not self.has_room(thing):
                self._dropped["closed" if self._is_closing else otherwise] += self._units(thing)
                return False
            self._waiting.append(thing)
            self._bytes += thing.size
            self._changed.notify()
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._write, name="actionledger-recording", daemon=True
                )
                self._thread.start()
            return True

    def has_room(self, thing: Taken) -> bool:
        """Return whether an item would be queued now."""
        is_full = len(self._waiting) >= self._bounds[1] or self._bytes + thing.size > self._bounds[0]
        return not (self._is_closing or is_full)

    def drain(self, patience: float) -> bool:
        """Write everything queued so far, and what is buffered; return whether the ledger has it within ``patience`` seconds."""
        drained = _Drain()
        with self._changed:
            if self._thread is None or self._is_closing:
                return not self._error
            self._waiting.append(drained)
            self._changed.notify()
        return drained.over.wait(patience) and drained.is_written

    def close(self, patience: float = PATIENCE) -> RecordingResult:
        """Write what is queued, and end the run; return what was recorded and what was not. A second call retries for ``patience`` seconds what could not be written."""
        with self._changed:
            self._is_closing = True
            self._deadline = monotonic() + patience
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()
            self._thread, self._has_taken = None, True
        if not self._is_finished and (self._has_taken or self._dropped):
            self._is_finished = self._finish()
        # Not reported as written while only in memory: it is written when the ledger is closed, or lost.
        held = Counter({_FAILED: self._unflushed}) if self._unflushed else Counter[str]()
        return RecordingResult(self._recorded, self._dropped + held, self._error)

    def drop(self, why: str, count: int = 1) -> None:
        """Count items that could not even be queued."""
        with self._changed:
            self._dropped[why] += count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self) -> None:
        """Record queued items until the end."""
        flushed_at = monotonic()
        while not isinstance(thing := self._next(flushed_at), _End):
            if isinstance(thing, _Pause):
                self._flush()
                flushed_at = monotonic()
            elif isinstance(thing, _Tick):
                self._take(partial(self._rest, False))
            elif isinstance(thing, _Drain):
                self._take(partial(self._rest, True))
                thing.is_written = self._flush()
                thing.over.set()
            else:
                self._unflushed += self._units(thing)
                self._take(partial(self._read, thing))
        self._take(partial(self._rest, True))

    def _next(self, flushed_at: float) -> "Taken | _Pause | _Tick | _Drain | _End":
        """Return the next item, or a sign to flush, to ask for the rest, or to end."""
        with self._changed:
            if not self._is_flushed and (not self._waiting or monotonic() - flushed_at > _FLUSH_SECONDS):
                return _PAUSE
            while not self._waiting:
                if self._is_closing:
                    return _END
                if not self._changed.wait(self._every) and not self._waiting:
                    return _TICK
            thing = self._waiting.popleft()
            self._bytes -= 0 if isinstance(thing, _Drain) else thing.size
            return thing

    def _take(self, read: Reads) -> None:
        try:
            items: Sequence[Item] = list(read())
        except Exception as error:  # noqa: BLE001 - one unreadable item doesn't end the recording
            items = [LeftOut(self._origin, LeftOutReason.UNREADABLE, type(error).__name__)]
        self._is_flushed = self._is_flushed and not items
        for place, item in enumerate(items):
            # All or nothing: a half-written item would be neither recorded nor dropped.
            with self._ledger.internals.whole():
                is_taken = self._insist(partial(self._importers.take, item, self._source))
            if not is_taken:
                rest = (each for each in items[place:] if isinstance(each, RecordedSession))
                lost = self._unflushed or sum(len(each.turns) for each in rest)
                self._unflushed = 0
                self._give_up(lost)
                return
            if self._ledger.internals.is_full() and not self._flush():
                return

    def _flush(self) -> bool:
        if self._insist(self._ledger.flush):
            self._flushed()
            return True
        self._give_up()
        return False

    def _flushed(self) -> None:
        self._unflushed, self._is_flushed = 0, True
        self._recorded = self._importers.report
        self._written(True)

    def _insist(self, write: Callable[[], object]) -> bool:
        """Write to the ledger, and retry while it fails; return whether it succeeded in time."""
        wait = _FIRST_RETRY
        while True:
            try:
                write()
            except EventTooLargeError:
                self._leave_out(LeftOutReason.TOO_LARGE, "event")
                return True
            except LedgerError as error:
                self._error = str(error)
                if not self._waits(wait):
                    return False
                wait = min(wait * 2, _LONGEST_RETRY)
            except Exception as error:  # noqa: BLE001 - an error of ours doesn't end the recording
                self._leave_out(LeftOutReason.UNREADABLE, type(error).__name__)
                return True
            else:
                self._error = ""
                return True

    def _waits(self, seconds: float) -> bool:
        """Wait before another attempt; return whether there is one."""
        with self._changed:
            left = self._deadline - monotonic()
            if left > 0:
                until = monotonic() + min(seconds, left)
                self._changed.wait_for(lambda: monotonic() >= min(until, self._deadline), min(seconds, left))
            return left > 0

    def _give_up(self, lost: int = 0) -> None:
        """Drop and count what is queued or lost; the ledger writes unflushed events when it is closed."""
        self._written(False)
        with self._changed:
            waited = [each for each in self._waiting if not isinstance(each, _Drain)]
            for each in self._waiting:
                if isinstance(each, _Drain):
                    each.over.set()
            if gone := sum(map(self._units, waited)) + lost:
                self._dropped[_FAILED] += gone
            self._is_flushed = True
            self._waiting.clear()
            self._bytes = 0

    def _leave_out(self, reason: LeftOutReason, detail: str, count: int = 1) -> None:
        self._importers.take(LeftOut(self._origin, reason, detail, count), self._source)

    def _finish(self) -> bool:
        """End the run; return whether the ledger has everything."""
        for why, count in (self._dropped - self._told).items():
            self._leave_out(LeftOutReason.DROPPED, why, count)
        self._told = Counter(self._dropped)
        is_written = self._insist(self._importers.finish) and self._insist(self._ledger.flush)
        if is_written:
            self._flushed()
        return is_written


class _Pause:
    """Time to flush."""


class _Tick:
    """Nothing has come for a while."""


class _End:
    """Nothing more will come."""


class _Drain:
    """A mark in the queue: everything before it is to be written now."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.is_written = False


_PAUSE, _TICK, _END = _Pause(), _Tick(), _End()
