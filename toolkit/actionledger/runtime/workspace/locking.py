"""Who may change a workspace: one thread of one process at a time."""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.workspace.private_files import open_private
from actionledger.runtime.workspace.refusals import recording

_POLL_SECONDS = 0.01


class ChangeLock:
    """A lock between threads and processes; whoever holds it may take it again. The kernel frees a dead process's.

    Args:
        path: the file that is locked; it is made where it isn't there.
        patience: how long to wait for it, in seconds.
    """

    def __init__(self, path: Path, patience: float = 60.0) -> None:
        self._path = path
        self._patience = patience
        self._threads = threading.RLock()
        self._depth = 0

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Hold the lock; gives whether it was just taken, and not held already."""
        give_up_at = time.monotonic() + self._patience
        if not self._threads.acquire(timeout=self._patience):
            raise _busy(self._patience)
        try:
            if self._depth:
                with self._deeper():
                    yield False
                return
            descriptor = self._locked(give_up_at)
            try:
                with self._deeper():
                    yield True
            finally:
                os.close(descriptor)
        finally:
            self._threads.release()

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def _locked(self, give_up_at: float) -> int:
        """Return the descriptor that holds the lock between processes."""
        with recording():
            descriptor = open_private(self._path, os.O_CREAT | os.O_RDWR)
            try:
                while not (is_held := lock_alone(descriptor)) and time.monotonic() < give_up_at:
                    time.sleep(_POLL_SECONDS)
            except BaseException:
                os.close(descriptor)
                raise
        if not is_held:
            os.close(descriptor)
            raise _busy(self._patience)
        return descriptor


def lock_shared(descriptor: int) -> None:
    """Take the lock between processes beside others who take it so; wait until nobody has it alone."""
    fcntl.flock(descriptor, fcntl.LOCK_SH)


def lock_alone(descriptor: int) -> bool:
    """Take the lock between processes if nobody has it; return whether it is held now."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _busy(patience: float) -> ActionError:
    message = f"Another action has been changing the workspace for {patience:g} seconds. Try again later."
    return ActionError(Reason.UNAVAILABLE, message)
