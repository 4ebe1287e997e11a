"""What the package's own rooms ask of an open ledger, and nobody else: locks, counts, and the ways that an import and a replay take."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager

from actionledger.core.locks import FileLock
from actionledger.ledger.storage.counting import SharedCounter
from actionledger.ledger.storage.direct import DirectRecorder
from actionledger.ledger.storage.ingest import Publishing
from actionledger.ledger.storage.journal import SegmentWriter
from actionledger.ledger.storage.segments import segment_sizes
from actionledger.ledger.storage.session_locks import SessionLock
from actionledger.ledger.storage.store import Store

_PATIENCE_SECONDS = 60.0


class Internals:
    """The same ledger, from within; one that may be written to.

    Args:
        store: where its tables lie.
        writer: writes its segments.
        before_close: what is done before it is closed, the last first.
    """

    def __init__(self, store: Store, writer: SegmentWriter, before_close: list[Callable[[], object]]) -> None:
        self._store = store
        self._files = store.files
        self._writer = writer
        self._before_close = before_close

    @property
    def host(self) -> str:
        """What this host is called among those of a lake; empty where there is but one."""
        return self._store.host

    def record_lines(self, lines: Iterable[bytes]) -> None:
        """Put events into the buffer that another process of this toolkit has encoded."""
        for line in lines:
            self._writer.append(line)

    def whole(self) -> AbstractContextManager[None]:
        """Return what keeps what is recorded within it from being flushed before it is over, unless somebody else flushes."""
        return self._writer.whole()

    def is_full(self) -> bool:
        """Return whether what waits to be flushed has grown so large that it is to be."""
        return self._writer.is_full()

    def before_close(self, finish: Callable[[], object]) -> None:
        """Have something done before the ledger is closed, such as writing what still waits to be recorded."""
        self._before_close.append(finish)

    def direct(self) -> DirectRecorder:
        """Return what records much at a time: it goes into the database without being flushed first; to be closed after use."""
        return DirectRecorder(self._store, self._writer)

    def settle(self) -> bool:
        """Have it decided whose what is that several writers have brought: of the same event, the first is kept."""
        self._writer.flush()
        others = any(not self._writer.is_own(name) for name in segment_sizes(self._files.segments))
        # Of a lake, other hosts may have brought the same, which shows where it is committed.
        if not others and not self._store.is_behind() and not self._store.host:
            return True
        return not self._store.ingest(Publishing.AT_THE_END, patience=_PATIENCE_SECONDS).was_busy

    def session_lock(self, session_id: str) -> FileLock:
        """Return the lock that lets one process at a time work on a session; nobody holds it yet."""
        self._files.make_folders()  # a session may begin after somebody has deleted them
        return SessionLock(self._files, session_id)

    def decisions_lock(self) -> FileLock:
        """Return the lock that lets one process at a time decide about approvals; nobody holds it yet."""
        return FileLock(self._files.decisions_lock)

    def counter(self) -> SharedCounter:
        """Return what counts actions for all sessions that write here, whatever their process."""
        return SharedCounter(self._files.rates)
