"""Recording beside traffic: a bounded queue, and a thread that records its items in a ledger.

Whoever puts something in never waits and never hears of an error. A ledger that is slow, full or broken makes the queue grow up to its bound; what comes
then is dropped and counted, and the count is the first that the ledger is told when it takes something again.
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
"""How much may wait to be written, in bytes."""

WAITING_ITEMS = 10_000
"""How many things may wait to be written."""

PATIENCE = 5.0
"""How long a ledger that takes nothing is asked again at the end, in seconds."""

_FAILED = "ledger_failed"
_FIRST_RETRY, _LONGEST_RETRY = 0.1, 5.0
_FLUSH_SECONDS = 1.0


class Sized(Protocol):
    """Something that is to be recorded."""

    @property
    def size(self) -> int:
        """How many bytes it holds."""


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
    """The result of a recording.

    Args:
        report: what the ledger has written.
        dropped: how much was not recorded, by the reason.
        error: why the ledger took nothing at the end; empty where it did.
    """

    report: ImportReport
    dropped: Counter[str] = field(default_factory=Counter)
    error: str = ""


class Recording(Generic[Taken]):
    """Takes things into a ledger beside what they come from.

    Args:
        ledger: the ledger; it must stay open until this is closed.
        read: makes sessions of one of them, in the order in which they are put in; called in the thread that writes.
        source: what records name the source of sessions that don't say.
        origin: where they come from, as records say it; a name that no other recording has.
        rest: makes sessions of what ``read`` has held back: what is due, or, told that it is the end, all of it.
        every: how often ``rest`` is asked while nothing comes, in seconds; None for never before the end.
        units: how much one of them counts as, where it is dropped.
        written: is told when the ledger has all that was read so far, or, with False, that it won't have some of it.
        waiting_bytes: how much may wait.
        waiting_items: how many may wait.
        prices: what responses cost of which only the tokens are known.
    """

    def __init__(
        self,
        ledger: Ledger,
        read: Callable[[Taken], Iterable[Item]],
        *,
        source: str,
        origin: str,
        rest: Callable[[bool], Iterable[Item]] = _nothing,
        every: float | None = None,
        units: Callable[[Taken], int] = _one,
        written: Callable[[bool], None] = _heard,
        waiting_bytes: int = WAITING_BYTES,
        waiting_items: int = WAITING_ITEMS,
        prices: Prices | None = None,
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
        """Begin anew in a forked child: what waits is the parent's to write."""
        self._begin()

    def put(self, thing: Taken) -> None:
        """Have something recorded, or drop and count it where too much waits; returns at once and raises nothing.

        Args:
            thing: what is to be recorded.
        """
        self.offer(thing, "queue_full")

    def price_by(self, prices: Prices) -> None:
        """Say what responses cost from now on of which only the tokens are known.

        Args:
            prices: the prices.

        Raises:
            UsageError: other prices hold already.
        """
        if self._prices not in {None, prices}:
            raise UsageError(
                "What is recorded into this ledger is priced by other prices already; give all of them the same."
            )
        self._prices = prices
        self._importers.price_by(prices)

    def offer(self, thing: Taken, otherwise: str) -> bool:
        """Have something recorded where there is room for it; returns at once and raises nothing.

        Args:
            thing: what is to be recorded.
            otherwise: what it is counted as where too much waits.

        Returns:
            Whether it was taken.
        """
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
        """Return whether something would be taken now."""
        is_full = len(self._waiting) >= self._bounds[1] or self._bytes + thing.size > self._bounds[0]
        return not (self._is_closing or is_full)

    def drain(self, patience: float) -> bool:
        """Have all that was put in so far written, with what is held back.

        Args:
            patience: how long that may take, in seconds.

        Returns:
            Whether the ledger has it by then.
        """
        drained = _Drain()
        with self._changed:
            if self._thread is None or self._is_closing:
                return not self._error
            self._waiting.append(drained)
            self._changed.notify()
        return drained.over.wait(patience) and drained.is_written

    def close(self, patience: float = PATIENCE) -> RecordingResult:
        """Write what waits, and end the run; a second time returns the same, or tries again what could not be written.

        Args:
            patience: how long a ledger that takes nothing is asked again, in seconds.

        Returns:
            What was kept and what was not.
        """
        with self._changed:
            self._is_closing = True
            self._deadline = monotonic() + patience
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()
            self._thread, self._has_taken = None, True
        if not self._is_finished and (self._has_taken or self._dropped):
            self._is_finished = self._finish()
        # Of what the ledger holds in its memory alone nobody is told: it is written when it is closed, or lost.
        held = Counter({_FAILED: self._unflushed}) if self._unflushed else Counter[str]()
        return RecordingResult(self._recorded, self._dropped + held, self._error)

    def drop(self, why: str, count: int = 1) -> None:
        """Count what could not even be put in.

        Args:
            why: the reason, in a word.
            count: how much it was.
        """
        with self._changed:
            self._dropped[why] += count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self) -> None:
        """Take what comes until nothing more will."""
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
        """Return what is to be taken next, or that it is time to flush or to ask for the rest, or that this is the end."""
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
        except Exception as error:  # noqa: BLE001 - one thing that can't be read doesn't end the recording
            items = [LeftOut(self._origin, LeftOutReason.UNREADABLE, type(error).__name__)]
        self._is_flushed = self._is_flushed and not items
        for place, item in enumerate(items):
            # Written whole or not at all: what was half written would be neither recorded nor dropped.
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
        """Do something to the ledger, again and again while it takes nothing; return whether it took it while anybody had patience."""
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
            except Exception as error:  # noqa: BLE001 - a fault of ours doesn't end the recording
                self._leave_out(LeftOutReason.UNREADABLE, type(error).__name__)
                return True
            else:
                self._error = ""
                return True

    def _waits(self, seconds: float) -> bool:
        """Wait before another attempt; return whether there is to be one."""
        with self._changed:
            left = self._deadline - monotonic()
            if left > 0:
                until = monotonic() + min(seconds, left)
                self._changed.wait_for(lambda: monotonic() >= min(until, self._deadline), min(seconds, left))
            return left > 0

    def _give_up(self, lost: int = 0) -> None:
        """Drop and count what waits, and what else is lost; what was not flushed is the ledger's to write when it is closed."""
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
        """End the run; return whether the ledger has all that it took."""
        for why, count in (self._dropped - self._told).items():
            self._leave_out(LeftOutReason.DROPPED, why, count)
        self._told = Counter(self._dropped)
        is_written = self._insist(self._importers.finish) and self._insist(self._ledger.flush)
        if is_written:
            self._flushed()
        return is_written


class _Pause:
    """It is time to flush."""


class _Tick:
    """Nothing has come for a while."""


class _End:
    """Nothing more will come."""


class _Drain:
    """A mark in the queue: what came before it is to be written now."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.is_written = False


_PAUSE, _TICK, _END = _Pause(), _Tick(), _End()
