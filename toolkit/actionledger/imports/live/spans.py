"""Spans on their way into a ledger, from OTLP requests or a program's own tracer."""

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
    """Spans that came together."""

    spans: Callable[[], Iterable[Span]]  # returns them; called in the writing thread
    size: int  # their approximate size in bytes
    count: int  # their number
    line: SpoolFile | None = None


@dataclass(frozen=True, slots=True)
class AbandonedSpans:
    """The spans that a dead process left in its spool."""

    lines: list[SpooledLine]
    file: SpoolFile
    size: int  # its size in bytes
    count: int  # the number of lines


@dataclass(frozen=True, slots=True)
class Passed:
    """Something received that is not recorded."""

    reason: LeftOutReason
    detail: str
    count: int = 1
    size: int = 0


Came: TypeAlias = SpanBatch | AbandonedSpans | Passed


class SpanReader:
    """Makes sessions of spans, in whatever order they come, once a complete trace is quiet for ``settled`` seconds."""

    def __init__(self, ledger: Ledger, origin: str, *, settled: float = SETTLED) -> None:
        self._origin = origin
        self._lines = LineSpool(LedgerFiles.at(ledger.path).held)
        # Queried once: sessions that begin later begin here.
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
        """Yield what dead processes have left in their spools."""
        for lines, file in self._lines.left_behind():
            if lines:
                yield AbandonedSpans(lines, file, file.path.stat().st_size, len(lines))

    def kept(self, batch: SpanBatch) -> SpanBatch:
        """Spool spans, so that they outlive this process; if that fails, they are buffered in memory only."""
        try:
            spans = list(batch.spans())
            return replace(batch, spans=lambda: spans, line=self._lines.add(map(line_of, spans)))
        except Exception:  # noqa: BLE001 - their reader reports the error
            return batch

    def recorded(self, is_kept: bool, *, is_end: bool = False) -> None:
        """Note that the ledger has everything read so far, or that some of it is lost; see ``TraceBuffer.recorded``."""
        self._held.recorded(is_kept, is_end=is_end)

    def read(self, came: Came) -> Iterator[Item]:
        """Yield what is due."""
        if isinstance(came, Passed):
            yield LeftOut(self._origin, came.reason, came.detail, came.count)
        elif isinstance(came, AbandonedSpans):
            yield from self._go_on(came)
        else:
            batch = came if came.line else self.kept(came)
            yield from self._held.add(batch.spans(), batch.size, batch.line)
        if monotonic() > self._next_look:  # ``rest`` is not called while spans keep coming
            yield from self.rest(is_end=False)

    def _go_on(self, left: AbandonedSpans) -> Iterator[Item]:
        """Continue with a dead process's spool; a line that says nothing is dropped."""
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
        """Yield what is due while nothing comes; everything at the end."""
        yield from self._held.due(all_of_them=is_end)
        self._next_look = monotonic() + EVERY


class SpanRecording(Recording[Came]):
    """A recording of spans, which first continues with the spools of dead processes."""

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
        """Write what is queued and buffered, and end the run; see ``Recording.close``."""
        kept = super().close(patience)
        if not kept.error:
            self._reader.recorded(True, is_end=True)
        return kept

    def offer_spooled(self, thing: Came, otherwise: str) -> bool:
        """Spool spans, then do the same as ``offer``: a sender who gets a receipt need not send them again."""
        if isinstance(thing, SpanBatch) and self.has_room(thing):
            thing = self._reader.kept(thing)
        return self.offer(thing, otherwise)
