"""Temporary folders that are removed with their process, files that are written completely or not at all, and a user's state and cache folders.

Next to each temporary folder is a lock that its process holds. The next process that makes a folder removes those of killed processes.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from weakref import finalize

from actionledger.core.errors import ActionLedgerError, SourceError, UsageError
from actionledger.core.ids import new_id
from actionledger.core.processes import FileLock

_PREFIX = "actionledger-"
_LOCK = ".lock"
_PATIENCE_SECONDS = 5.0


class TemporaryFolder:
    """A fresh folder that only this user can access, removed when this process ends at the latest."""

    def __init__(self, purpose: str) -> None:
        remove_abandoned(Path(tempfile.gettempdir()))
        name = f"{_PREFIX}{purpose}-{new_id()}"
        self.path = Path(tempfile.gettempdir(), name).resolve()
        self._lock = FileLock(_lock_of(self.path))
        self._lock.acquire(_PATIENCE_SECONDS)
        self.path.mkdir(mode=0o700)
        self._at_last = finalize(self, _remove, self.path, self._lock, os.getpid())

    def keep(self) -> None:
        """Keep the folder after this process, since another one will use it."""
        self._at_last.detach()
        self._lock.release(remove=True)

    def remove(self) -> None:
        """Remove the folder with its content; a second call does nothing."""
        self._at_last.detach()
        _remove(self.path, self._lock, os.getpid())


@cache
def remove_abandoned(parent: Path) -> None:
    """Remove the folders of dead processes, once in a process."""
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
    """Return whether a path has the expected type and belongs to this user; anybody may write to the folder of temporary files."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return is_kind(status.st_mode) and status.st_uid == os.getuid()


def _remove(folder: Path, lock: FileLock, process: int) -> None:
    """Remove a folder and its lock, unless this process is a forked child; they belong to its parent."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release(remove=True)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, and its missing folders; an existing one is replaced after the new one is complete. A link is followed, a pipe or device written to directly."""
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


@contextmanager
def writing(path: Path, kind: type[ActionLedgerError] = UsageError) -> Iterator[None]:
    """Report why a file that the user named can't be written, as one sentence."""
    try:
        yield
    except OSError as error:
        raise kind(f"The file {str(path)!r} can't be written: {error.strerror}; take another.") from error


def write_named(path: Path, content: str | bytes) -> None:
    """Write a file that the user named; see ``write_whole``.

    Raises:
        SourceError: it can't be written.
    """
    with writing(path, SourceError):
        write_whole(path, content.encode() if isinstance(content, str) else content)


def state_folder() -> Path:
    """Return this user's state folder, which belongs to no workspace: ``$XDG_STATE_HOME/actionledger`` (a relative one is ignored), else ``~/.local/state/actionledger``."""
    given = os.environ.get("XDG_STATE_HOME", "")
    try:
        base = Path(given) if Path(given).is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError as error:
        raise UsageError(f"There is no folder for this user's state: {error} Set XDG_STATE_HOME.") from error
    return base / "actionledger"


_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cached(name: str, key: bytes) -> bytes | None:
    """Return the content that ``keep_cached`` wrote for a key; None if missing, or if others could have written it."""
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
    """Cache content for this user's next process, if possible; it replaces another key's content."""
    with suppress(OSError, UsageError):
        write_whole(cache_folder() / name, key + content)


def cache_folder() -> Path:
    """Return this user's cache folder, for files that can be made again: ``$XDG_CACHE_HOME/actionledger``, else ``~/.cache/actionledger``."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(given) if Path(given).is_absolute() else Path.home() / ".cache"
    except RuntimeError as error:
        raise UsageError(f"There is no folder for this user's cache: {error} Set XDG_CACHE_HOME.") from error
    return base / "actionledger"
