"""What is recorded beside traffic: a bounded queue, and a thread that takes what is in it into a ledger.

Whoever puts something in never waits and never hears of an error. A ledger that is slow, full or broken makes the queue grow up to its bound; what comes
then is dropped and counted, and the count is the first that the ledger is told when it takes something again.
"""

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Generic, Protocol, Self, TypeVar

from actionledger.errors import EventTooLargeError, LedgerError
from actionledger.forking import watch
from actionledger.importing import Importer, ImportReport, Prices
from actionledger.ledger import Ledger
from actionledger.ledger.queries.recorded import known
from actionledger.sources.base import Item, LeftOut
from actionledger.vocabulary import LeftOutReason

WAITING_BYTES = 128 * 2**20
"""How much may wait to be written, in bytes."""

WAITING_ITEMS = 10_000
"""How many things may wait to be written."""

_FIRST_RETRY, _LONGEST_RETRY = 0.1, 5.0
_FLUSH_SECONDS = 1.0


class Sized(Protocol):
    """Something that is to be recorded."""

    @property
    def size(self) -> int:
        """How many bytes it holds."""


Taken = TypeVar("Taken", bound=Sized)


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a recording.

    Args:
        report: what the ledger has taken in.
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
        source: what records name their source.
        origin: where they come from, as records say it; a name that no other recording has.
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
        waiting_bytes: int = WAITING_BYTES,
        waiting_items: int = WAITING_ITEMS,
        prices: Prices | None = None,
    ) -> None:
        self._ledger = ledger
        self._read = read
        self._origin = origin
        self._bounds = (waiting_bytes, waiting_items)
        self._importer = Importer(
            ledger.record, source=source, origin=origin, known=known(ledger, source), prices=prices
        )
        self._begin()
        watch(self)

    def _begin(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[Taken] = deque()
        self._bytes = 0
        self._dropped: Counter[str] = Counter()
        self._error = ""
        self._is_closing = False
        self._unflushed = 0
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
        with self._changed:
            if self._is_closing:
                self._dropped["closed"] += 1
            elif len(self._waiting) >= self._bounds[1] or self._bytes + thing.size > self._bounds[0]:
                self._dropped["queue_full"] += 1
            else:
                self._waiting.append(thing)
                self._bytes += thing.size
                self._changed.notify()
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._write, name="actionledger-recording", daemon=True
                    )
                    self._thread.start()

    def close(self, patience: float = 5.0) -> Kept:
        """Write what waits, and end the run; a second time returns the same.

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
            self._thread = None
            self._finish()
        return Kept(self._importer.report, self._dropped, self._error)

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
            else:
                self._unflushed += 1
                self._take(thing)

    def _next(self, flushed_at: float) -> "Taken | _Pause | _End":
        """Return what is to be taken next, or that it is time to flush, or that this is the end."""
        with self._changed:
            if self._unflushed and (not self._waiting or monotonic() - flushed_at > _FLUSH_SECONDS):
                return _PAUSE
            while not self._waiting:
                if self._is_closing:
                    return _END
                self._changed.wait()
            thing = self._waiting.popleft()
            self._bytes -= thing.size
            return thing

    def _take(self, thing: Taken) -> None:
        try:
            items = list(self._read(thing))
        except Exception as error:  # noqa: BLE001 - one thing that can't be read doesn't end the recording
            items = [LeftOut(self._origin, LeftOutReason.UNREADABLE, type(error).__name__)]
        for item in items:
            if not self._insist(partial(self._importer.take, item)):
                self._give_up()
                return

    def _flush(self) -> None:
        if self._insist(self._ledger.flush):
            self._unflushed = 0
        else:
            self._give_up()

    def _insist(self, write: Callable[[], object]) -> bool:
        """Do something to the ledger, again and again while it takes nothing; return whether it took it while anybody had patience."""
        wait = _FIRST_RETRY
        while True:
            try:
                write()
            except EventTooLargeError:
                self._importer.report.left_out[self._origin, LeftOutReason.TOO_LARGE, "event"] += 1
                return True
            except LedgerError as error:
                self._error = str(error)
                if not self._waits(wait):
                    return False
                wait = min(wait * 2, _LONGEST_RETRY)
            except Exception as error:  # noqa: BLE001 - a fault of ours doesn't end the recording
                self._importer.report.left_out[
                    self._origin, LeftOutReason.UNREADABLE, type(error).__name__
                ] += 1
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

    def _give_up(self) -> None:
        with self._changed:
            self._dropped["ledger_failed"] += self._unflushed + len(self._waiting)
            self._unflushed = 0
            self._waiting.clear()
            self._bytes = 0

    def _finish(self) -> None:
        for why, count in self._dropped.items():
            self._importer.take(LeftOut(self._origin, LeftOutReason.DROPPED, why, count))
        if self._insist(self._importer.finish):
            self._insist(self._ledger.flush)


class _Pause:
    """It is time to flush."""


class _End:
    """Nothing more will come."""


_PAUSE, _END = _Pause(), _End()
