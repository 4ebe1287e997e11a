"""Spans on their way into a ledger, whoever brings them: requests of OTLP, or a program's own tracer."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from time import monotonic
from typing import TypeAlias

from actionledger.core.ids import derived_id
from actionledger.core.processes import watch
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.formats.otel import SOURCE
from actionledger.imports.live.recording import PATIENCE, Recording, RecordingResult
from actionledger.imports.live.traces import EVERY, SETTLED, TraceBuffer, line_of, span_in
from actionledger.imports.prices import Prices
from actionledger.imports.shapes.spans import Span
from actionledger.imports.sources.base import Item, LeftOut
from actionledger.ledger import Ledger
from actionledger.ledger.queries.progress import next_turn_indexes
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.spool import LineSpool, SpooledLine, SpoolFile


@dataclass(frozen=True, slots=True)
class SpanBatch:
    """Spans that came together.

    Args:
        spans: returns them; called in the thread that writes.
        size: about how many bytes they hold.
        count: how many there are.
        line: the file that they are written down in, a line each; None while they aren't.
    """

    spans: Callable[[], Iterable[Span]]
    size: int
    count: int
    line: SpoolFile | None = None


@dataclass(frozen=True, slots=True)
class AbandonedSpans:
    """The spans that a dead process has left in its spool.

    Args:
        lines: the lines.
        file: the file that they stand in.
        size: how many bytes it holds.
        count: how many lines there are.
    """

    lines: list[SpooledLine]
    file: SpoolFile
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


Came: TypeAlias = SpanBatch | AbandonedSpans | Passed


class SpanReader:
    """Makes sessions of spans, in whatever order they come.

    Args:
        ledger: what knows how far a session has come.
        origin: where they come from, as records say it.
        settled: how long a trace that lacks nothing is quiet before it is told, in seconds.
    """

    def __init__(self, ledger: Ledger, origin: str, *, settled: float = SETTLED) -> None:
        self._origin = origin
        self._lines = LineSpool(LedgerFiles.at(ledger.path).held)
        # Asked once: what begins later begins here.
        indexes = cache(lambda source: next_turn_indexes(ledger, source))
        self._held = TraceBuffer(
            origin,
            lambda source, name: indexes(source).get(derived_id("session", source, name), 0),
            self._lines,
            settled=settled,
        )
        self._next_look = monotonic() + EVERY
        watch(self._held)

    def left_behind(self) -> Iterator[AbandonedSpans]:
        """Yield what processes that are dead have held."""
        for lines, file in self._lines.left_behind():
            if lines:
                yield AbandonedSpans(lines, file, file.path.stat().st_size, len(lines))

    def kept(self, batch: SpanBatch) -> SpanBatch:
        """Write spans down, so that they outlive this process; those that can't be written are held in memory alone."""
        try:
            spans = list(batch.spans())
            return replace(batch, spans=lambda: spans, line=self._lines.add(map(line_of, spans)))
        except Exception:  # noqa: BLE001 - whoever reads them says that they can't be read
            return batch

    def recorded(self, is_kept: bool, *, is_end: bool = False) -> None:
        """Hear that the ledger has all that was read so far, or that it won't have some of it; see ``TraceBuffer.recorded``."""
        self._held.recorded(is_kept, is_end=is_end)

    def read(self, came: Came) -> Iterator[Item]:
        """Yield what is due by now."""
        if isinstance(came, Passed):
            yield LeftOut(self._origin, came.reason, came.detail, came.count)
        elif isinstance(came, AbandonedSpans):
            yield from self._go_on(came)
        else:
            batch = came if came.line else self.kept(came)
            yield from self._held.add(batch.spans(), batch.size, batch.line)
        if monotonic() > self._next_look:  # nobody asks for the rest while there is no rest
            yield from self.rest(is_end=False)

    def _go_on(self, left: AbandonedSpans) -> Iterator[Item]:
        """Take up what a process that is dead has held; a line that says nothing is let go of."""
        for line in left.lines:
            try:
                if told := line.held.get("told"):
                    self._held.go_on(line.group, told, left.file)
                else:
                    yield from self._held.add(
                        [span_in(line.held["span"])], left.size // left.count, left.file
                    )
            except (LookupError, TypeError, ValueError, AttributeError):
                self._lines.done([left.file])
                yield LeftOut(self._origin, LeftOutReason.UNREADABLE, "held line")

    def rest(self, is_end: bool) -> Iterator[Item]:
        """Yield what is due though nothing came; all of it at the end."""
        yield from self._held.due(all_of_them=is_end)
        self._next_look = monotonic() + EVERY


class SpanRecording(Recording[Came]):
    """A recording of spans, which goes on first with what processes that are dead have held.

    Args:
        ledger: the ledger; it must stay open until the recording is closed.
        origin: where they come from, as records say it; a name that no other recording has.
        settled: how long a trace that lacks nothing is quiet before it is told, in seconds.
        prices: what responses cost of which only the tokens are known.
    """

    def __init__(
        self, ledger: Ledger, origin: str, *, settled: float = SETTLED, prices: Prices | None = None
    ) -> None:
        self._reader = reader = SpanReader(ledger, origin, settled=settled)
        super().__init__(
            ledger,
            reader.read,
            source=SOURCE.name,
            origin=origin,
            rest=reader.rest,
            every=EVERY,
            units=lambda came: came.count,
            written=reader.recorded,
            prices=prices,
        )
        for left in reader.left_behind():
            self.put(left)

    def close(self, patience: float = PATIENCE) -> RecordingResult:
        """Write what waits and is held, and end the run; see ``Recording.close``."""
        kept = super().close(patience)
        if not kept.error:
            self._reader.recorded(True, is_end=True)
        return kept

    def offer_spooled(self, thing: Came, otherwise: str) -> bool:
        """Do what ``offer`` does, and write spans down before: whoever is told that they are here need not send them again."""
        if isinstance(thing, SpanBatch) and self.has_room(thing):
            thing = self._reader.kept(thing)
        return self.offer(thing, otherwise)
