"""The lock of a session: one process at a time works on it, and none on one that is being forgotten."""

from pathlib import Path
from uuid import UUID

from actionledger.core.errors import LedgerError
from actionledger.core.locks import FileLock
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.upkeep.forgetting.intent import intent_of


class SessionLock(FileLock):
    """The lock of one session.

    What is being forgotten is written down before anybody looks for its locks, and looked for here once the lock is held: so either
    sees the other. Nobody need hold the locks of all the sessions that go, of which there may be more than a process can have files open.

    Args:
        files: the ledger's files.
        session_id: the session.
    """

    def __init__(self, files: LedgerFiles, session_id: str) -> None:
        super().__init__(path_of_lock(files, session_id))
        self._files = files
        self._session_id = str(UUID(session_id))

    def acquire(self, patience: float = 0.0) -> bool:
        """Take the lock if it is free; see ``FileLock.acquire``."""
        if not super().acquire(patience):
            return False
        try:
            self._refuse_forgotten()
        except BaseException:
            self.release(remove=True)
            raise
        return True

    def _refuse_forgotten(self) -> None:
        intent = intent_of(self._files)
        if intent is not None and self._session_id in intent.events:
            raise LedgerError(
                f"The session {self._session_id} is being forgotten; where nobody is at it, 'actionledger forget' goes on with what was begun."
            )


def open_sessions(files: LedgerFiles, session_ids: list[str]) -> list[str]:
    """Return which of some sessions a live process has open; locks that nobody holds are removed.

    Args:
        files: the ledger's files.
        session_ids: the sessions, which are being forgotten: nobody opens them from now on.
    """
    held = []
    for session_id in session_ids:
        path = path_of_lock(files, session_id)
        if path.exists():
            lock = FileLock(path)
            if lock.acquire():
                lock.release(remove=True)
            else:
                held.append(session_id)
    return held


def is_any_open(files: LedgerFiles) -> bool:
    """Return whether a live process has any session of a ledger open.

    Args:
        files: the ledger's files.
    """
    for path in files.sessions.glob("*.lock"):
        lock = FileLock(path)
        if not lock.acquire():
            return True
        lock.release(remove=True)
    return False


def path_of_lock(files: LedgerFiles, session_id: str) -> Path:
    """Return the file of a session's lock."""
    return files.sessions / f"{UUID(session_id)}.lock"
