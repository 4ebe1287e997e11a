"""An open folder and its names, without ever leaving it; private files are for their owner only.

Everything goes by the folder's descriptor and one plain name, and no symbolic link is followed: what was checked is what is
used, whatever another process exchanges in between.
"""

import errno
import os
import stat
from pathlib import Path
from typing import Self

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


NEW_FOLDER_MODE = 0o700
"""The permission bits that a folder has until it is given its own."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Folder:
    """An open folder; every method takes one plain name in it and raises ``OSError``.

    Args:
        descriptor: of the open folder; it is closed with this.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def at(cls, path: Path) -> Self:
        """Open the folder at a path; one that is a link is refused."""
        return cls(os.open(path, _FOLDER))

    def open_folder(self, name: str) -> Self:
        """Open a folder in it; one that is a link is refused."""
        return type(self)(os.open(name, _FOLDER, dir_fd=self._descriptor))

    def status(self, name: str) -> os.stat_result:
        """Return what stands there, without following a link."""
        return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)

    def own_status(self) -> os.stat_result:
        """Return the folder's own status."""
        return os.fstat(self._descriptor)

    def names(self) -> list[str]:
        """Return all names in it."""
        return os.listdir(self._descriptor)  # noqa: PTH208 - a descriptor is no path

    def open_file(self, name: str) -> int:
        """Open something to read, without following a link and without waiting; return the descriptor."""
        return os.open(name, _READ, dir_fd=self._descriptor)

    def open_new(self, name: str) -> int:
        """Open a file that wasn't there to write, for its owner alone; return the descriptor."""
        return os.open(name, _CREATE, 0o600, dir_fd=self._descriptor)

    def create_file(self, name: str, content: bytes, mode: int) -> None:
        """Make a file that wasn't there, and see it safely on the disk."""
        descriptor = self.open_new(name)
        try:
            write_all(descriptor, content)
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def make_folder(self, name: str, mode: int) -> None:
        """Make a folder that wasn't there."""
        os.mkdir(name, NEW_FOLDER_MODE, dir_fd=self._descriptor)
        try:
            self.set_mode(name, mode)
        except OSError:
            self.remove_folder(name)
            raise

    def make_link(self, name: str, target: str) -> None:
        """Make a symbolic link that wasn't there."""
        os.symlink(target, name, dir_fd=self._descriptor)

    def link_target(self, name: str) -> str:
        """Return what a symbolic link says."""
        return os.readlink(name, dir_fd=self._descriptor)

    def set_mode(self, name: str, mode: int) -> None:
        """Set the permission bits of a file or folder, never of what a link points to."""
        descriptor = self.open_file(name)
        try:
            os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)

    def remove_file(self, name: str) -> None:
        """Remove a name that is no folder."""
        os.unlink(name, dir_fd=self._descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(name, dir_fd=self._descriptor)

    def rename(self, name: str, into: Self, new_name: str) -> None:
        """Give something another name, here or in another folder; a file that has that name is replaced."""
        os.rename(name, new_name, src_dir_fd=self._descriptor, dst_dir_fd=into._descriptor)

    def close(self) -> None:
        """Let go of the folder."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def write_all(descriptor: int, content: bytes) -> None:
    """Write all of a content; a system may take it in parts."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
