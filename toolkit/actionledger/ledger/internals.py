"""What the package's own rooms ask of an open ledger, and nobody else: locks, counts, and the way that an import takes."""

from actionledger.ledger.counting import SharedCounter
from actionledger.ledger.direct import DirectRecorder
from actionledger.ledger.journal import SegmentWriter
from actionledger.ledger.session_locks import SessionLock
from actionledger.ledger.stores import Store
from actionledger.locks import FileLock


class Internals:
    """The same ledger, from within; one that may be written to.

    Args:
        store: where its tables lie.
        writer: writes its segments.
    """

    def __init__(self, store: Store, writer: SegmentWriter) -> None:
        self._store = store
        self._files = store.files
        self._writer = writer

    def direct(self) -> DirectRecorder:
        """Return what records much at a time: it goes into the database without being flushed first; to be closed after use."""
        return DirectRecorder(self._store, self._writer)

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
