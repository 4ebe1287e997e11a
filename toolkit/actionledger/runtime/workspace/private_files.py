"""The files of a journal: for their owner only, whatever the process's mask, and never something that a link points to."""

import errno
import os
import stat
from pathlib import Path

_ALWAYS = os.O_CLOEXEC | os.O_NOFOLLOW
_OTHERS = 0o077


def open_private(path: Path, flags: int) -> int:
    """Open a file that only its owner may read and write; return the descriptor.

    Args:
        path: the file.
        flags: as ``os.open`` takes them.

    Raises:
        OSError: it can't be opened, or is a link or no file.
    """
    descriptor = os.open(path, flags | _ALWAYS, 0o600)
    try:
        _make_private(descriptor, path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _make_private(descriptor: int, path: Path) -> None:
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "no ordinary file", str(path))
    if mode & _OTHERS:
        os.fchmod(descriptor, 0o600)


def make_private_folder(path: Path) -> None:
    """Make a folder, and those above it, that only their owner may look into; one that is there stays as it is."""
    missing = [path]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    if not stat.S_ISDIR(path.lstat().st_mode):
        raise OSError(errno.ELOOP, "a link, and no folder", str(path))


def size_of(path: Path) -> int:
    """Return the size of a file, 0 where it isn't there, without following a link."""
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0
