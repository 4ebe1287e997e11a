"""Files and folders: temporary ones that go with their process, ones that are there whole or not at all, and where a user's are kept.

Beside each folder lies a lock that its process holds. What a killed process left is removed by the next one that makes a folder.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from weakref import finalize

from actionledger.core.errors import UsageError
from actionledger.core.ids import new_id
from actionledger.core.processes import FileLock

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


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, and its folders where they are not there; one that is there is replaced when all of the new one is written.

    Args:
        path: the file; behind a link, what it leads to. What is no ordinary file, such as a pipe, is written to as it is.
        content: all of it.

    Raises:
        OSError: it can't be written; what was there is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    target = path.resolve()
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    beside = target.with_name(f".{target.name[:100]}.{os.getpid()}.new")
    try:
        beside.write_bytes(content)
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def state_folder() -> Path:
    """Return the folder that belongs to this user and no workspace: ``$XDG_STATE_HOME/actionledger``.

    Returns:
        The folder, absolute, which need not be there; ``~/.local/state/actionledger`` where the variable is not set, or
        relative, which its specification has everybody pass over.

    Raises:
        UsageError: nobody can say where the user's home is.
    """
    given = os.environ.get("XDG_STATE_HOME", "")
    try:
        base = Path(given) if Path(given).is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError as error:
        raise UsageError(f"There is no folder for this user's state: {error} Set XDG_STATE_HOME.") from error
    return base / "actionledger"


_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cached(name: str, key: bytes) -> bytes | None:
    """Return what ``keep_cached`` has kept under a key; None where there is none, or it may be somebody else's."""
    try:
        with (cache_folder() / name).open("rb") as file:
            status = os.fstat(file.fileno())
            if status.st_uid != os.getuid() or status.st_mode & _OTHERS_MAY_WRITE:
                return None
            content = file.read()
    except (OSError, UsageError):
        return None
    return content[len(key) :] if content.startswith(key) else None


def keep_cached(name: str, key: bytes, content: bytes) -> None:
    """Keep what takes long to make for the user's next process, if that can be done; what was kept of another key goes."""
    with suppress(OSError, UsageError):
        write_whole(cache_folder() / name, key + content)


def cache_folder() -> Path:
    """Return the folder of what this user's programs can make again: ``$XDG_CACHE_HOME/actionledger``.

    Returns:
        The folder, absolute, which need not be there; ``~/.cache/actionledger`` where the variable is not set, or relative.

    Raises:
        UsageError: nobody can say where the user's home is.
    """
    given = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(given) if Path(given).is_absolute() else Path.home() / ".cache"
    except RuntimeError as error:
        raise UsageError(f"There is no folder for this user's cache: {error} Set XDG_CACHE_HOME.") from error
    return base / "actionledger"
