"""The short way for what comes in by the thousand, as an import does: events go into the working file, a batch in one transaction.

They are neither written to a segment nor read back from one. What is little goes to the segments nevertheless, where a flush is
all that it costs, and so does what comes while somebody else is the ingester, who takes it in then. An import's events have the
same identifiers whenever it is tried: of one that was killed, what it had handed over is known, and the rest comes again.
"""

from types import TracebackType
from typing import Self

from actionledger.core.errors import LedgerError
from actionledger.core.events import Event
from actionledger.ledger.storage.batch import Batch
from actionledger.ledger.storage.ingest import Publishing
from actionledger.ledger.storage.journal import SegmentWriter
from actionledger.ledger.storage.preparation import Prepared
from actionledger.ledger.storage.store import Store

BATCH_BYTES = 3 * 1024 * 1024
"""How much is made ready and taken in at a time, in bytes of lines: with more, a small import takes more than 200 MB of memory."""

LITTLE_BYTES = 2 * 1024 * 1024
"""What is less in all, in bytes of lines, goes to the segments: the statements for a batch, however small it is, take as long as so much
takes line by line."""

_PATIENCE_SECONDS = 30.0
_LAST_PATIENCE_SECONDS = 60.0


class DirectRecorder:
    """Records much at a time; of one thread.

    Args:
        store: where the ledger's tables lie.
        writer: takes what does not go the short way.

    Attributes:
        is_direct: whether anything went the short way.
    """

    def __init__(self, store: Store, writer: SegmentWriter) -> None:
        self._store = store
        self._intake = store.intake()
        self._writer = writer
        self._batch = Batch()
        self.is_direct = False

    def record(self, event: Event) -> None:
        """Record an event; see ``Ledger.record``."""
        self._batch.add(event)
        if self._batch.size >= max(BATCH_BYTES, self._intake.least_bytes):
            self._take_in()

    def take_in(self, prepared: Prepared) -> bool:
        """Record what others have made ready, behind what was recorded before."""
        self._take_in()
        return self._is_taken_in(prepared)

    def close(self) -> None:
        """Hand over the rest; what went the short way is published."""
        try:
            if self.is_direct or self._batch.size >= LITTLE_BYTES:
                self._take_in()
            else:
                self._write()
        finally:
            self._intake.close()
        if self.is_direct:
            self._store.ingest(Publishing.AT_THE_END, patience=_LAST_PATIENCE_SECONDS)

    def _take_in(self) -> None:
        if not self._batch:
            return
        if self._is_taken_in(self._batch.prepared()):
            self._batch = Batch()
        else:
            self._write()

    def _is_taken_in(self, prepared: Prepared) -> bool:
        try:
            is_taken = self._intake.take_in(prepared, patience=_PATIENCE_SECONDS)
        except LedgerError:
            return False  # the next ingester tries again, and knows what was taken in
        self.is_direct |= is_taken
        return is_taken

    def _write(self) -> None:
        for line in self._batch.lines():
            self._writer.append(line)
        self._batch = Batch()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
