"""Temporary folders that are gone when nobody needs them: closed, forgotten, at the end of the process, or after its death.

Beside each folder lies a lock that its process holds. What a killed process left is removed by the next one that makes a folder.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from weakref import finalize

from actionledger.core.ids import new_id
from actionledger.core.locks import FileLock

_PREFIX = "actionledger-"
_LOCK = ".lock"
_PATIENCE_SECONDS = 5.0


class TemporaryFolder:
    """A fresh folder that nobody else may look into, removed at the latest when this process ends.

    Args:
        purpose: what it is for, in one word; a part of its name.
    """

    def __init__(self, purpose: str) -> None:
        remove_abandoned(Path(tempfile.gettempdir()))
        name = f"{_PREFIX}{purpose}-{new_id()}"
        self.path = Path(tempfile.gettempdir(), name).resolve()
        self._lock = FileLock(_lock_of(self.path))
        self._lock.acquire(_PATIENCE_SECONDS)
        self.path.mkdir(mode=0o700)
        self._at_last = finalize(self, _remove, self.path, self._lock, os.getpid())

    def keep(self) -> None:
        """Leave it where it is, whatever becomes of this process: somebody will come back to it."""
        self._at_last.detach()
        self._lock.release(remove=True)

    def remove(self) -> None:
        """Remove it and all that is in it; a second time does nothing."""
        self._at_last.detach()
        _remove(self.path, self._lock, os.getpid())


@cache
def remove_abandoned(parent: Path) -> None:
    """Remove what processes that are dead left behind, once in a process."""
    for path in parent.glob(f"{_PREFIX}*{_LOCK}"):
        if _is_ours(path, stat.S_ISREG):
            lock = FileLock(path)
            if lock.acquire():
                folder = path.with_name(path.name.removesuffix(_LOCK))
                if _is_ours(folder, stat.S_ISDIR):
                    shutil.rmtree(folder, ignore_errors=True)
                lock.release(remove=True)


def _lock_of(folder: Path) -> Path:
    return folder.with_name(folder.name + _LOCK)


def _is_ours(path: Path, is_kind: Callable[[int], bool]) -> bool:
    """Return whether a path is what it should be, and this user's: the folder for temporary files is everybody's."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return is_kind(status.st_mode) and status.st_uid == os.getuid()


def _remove(folder: Path, lock: FileLock, process: int) -> None:
    """Remove a folder and its lock, unless this is a forked child: they are its parent's."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release(remove=True)
