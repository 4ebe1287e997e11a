"""Locks that elect one of several processes, the ingester first; the kernel lets go of one when its holder dies."""

import fcntl
import os
import time
from pathlib import Path

from actionledger.core.forking import watch

POLL_SECONDS = 0.02
"""How often whoever waits for a lock asks for it: who lets others have their turn leaves it for longer."""

STALE_SECONDS = 3600.0
"""After how long the file of a lock that nobody holds is one that a killed process left."""


class FileLock:
    """An exclusive ``flock`` on a file, held by at most one process and one thread.

    Args:
        path: the file; created where it doesn't exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None
        watch(self)

    def acquire(self, patience: float = 0.0) -> bool:
        """Take the lock if it is free.

        Args:
            patience: how long to wait for it, in seconds.

        Returns:
            Whether the lock is held now.
        """
        give_up_at = time.monotonic() + patience
        while not self._try():
            if time.monotonic() >= give_up_at:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def release(self, *, remove: bool = False) -> None:
        """Let go of the lock.

        Args:
            remove: whether to remove the file as well; only of a lock that every process takes by this class.
        """
        if self._descriptor is not None:
            if remove:
                self._path.unlink(missing_ok=True)
            # Closing alone would leave the lock to a child that was forked meanwhile.
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            self._close()

    def start_over(self) -> None:
        """Close the parent's descriptor in a forked child, which leaves the lock to the parent."""
        self._close()

    def _try(self) -> bool:
        while True:
            self._descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._close()
                return False
            if os.fstat(self._descriptor).st_nlink:
                return True
            # Its last holder removed the file between our opening and our locking it.
            self._close()

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def remove_free(folder: Path) -> None:
    """Remove the files of locks that nobody holds and that have been there for an hour: their holders were killed.

    Args:
        folder: holds nothing but files that every process locks by ``FileLock``.
    """
    with os.scandir(folder) as entries:
        stale = [Path(entry) for entry in entries if time.time() - entry.stat().st_mtime > STALE_SECONDS]
    for path in stale:
        lock = FileLock(path)
        if lock.acquire():
            lock.release(remove=True)
