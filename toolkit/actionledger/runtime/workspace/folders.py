"""Operations within an open folder that never leave it; private files are accessible to their owner only.

Every operation uses the folder's descriptor and one plain name, and follows no symbolic link. So the checked file is the one
used, even if another process swaps it in between.
"""

import errno
import os
import stat
from pathlib import Path
from typing import Self

_ALWAYS = os.O_CLOEXEC | os.O_NOFOLLOW
_OTHERS = 0o077


def open_private(path: Path, flags: int) -> int:
    """Open a file that only its owner can read and write; return the descriptor."""
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
    """Make a folder and its parents, accessible to their owner only; an existing one is unchanged."""
    missing = [path]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    if not stat.S_ISDIR(path.lstat().st_mode):
        raise OSError(errno.ELOOP, "a link, and no folder", str(path))


def size_of(path: Path) -> int:
    """Return the size of a file, without following a link; 0 if missing."""
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0


NEW_FOLDER_MODE = 0o700
"""The permission bits of a new folder until its final ones are set."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Folder:
    """An open folder; each method takes a plain name in it and raises ``OSError``."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def at(cls, path: Path) -> Self:
        """Open the folder at a path; a link is refused."""
        return cls(os.open(path, _FOLDER))

    def open_folder(self, name: str) -> Self:
        """Open a subfolder; a link is refused."""
        return type(self)(os.open(name, _FOLDER, dir_fd=self._descriptor))

    def status(self, name: str) -> os.stat_result:
        """Return the status of a name, without following a link."""
        return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)

    def own_status(self) -> os.stat_result:
        """Return the folder's own status."""
        return os.fstat(self._descriptor)

    def names(self) -> list[str]:
        return os.listdir(self._descriptor)  # noqa: PTH208 - a descriptor is no path

    def open_file(self, name: str) -> int:
        """Open a name for reading, without following a link or waiting; return the descriptor."""
        return os.open(name, _READ, dir_fd=self._descriptor)

    def open_new(self, name: str) -> int:
        """Create a file for writing, for its owner only; return the descriptor."""
        return os.open(name, _CREATE, 0o600, dir_fd=self._descriptor)

    def create_file(self, name: str, content: bytes, mode: int) -> None:
        """Create a file and sync it to disk."""
        descriptor = self.open_new(name)
        try:
            write_all(descriptor, content)
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def make_folder(self, name: str, mode: int) -> None:
        """Create a folder."""
        os.mkdir(name, NEW_FOLDER_MODE, dir_fd=self._descriptor)
        try:
            self.set_mode(name, mode)
        except OSError:
            self.remove_folder(name)
            raise

    def make_link(self, name: str, target: str) -> None:
        """Create a symbolic link."""
        os.symlink(target, name, dir_fd=self._descriptor)

    def link_target(self, name: str) -> str:
        """Return the target of a symbolic link."""
        return os.readlink(name, dir_fd=self._descriptor)

    def set_mode(self, name: str, mode: int) -> None:
        """Set the permission bits of a file or folder, without following links."""
        descriptor = self.open_file(name)
        try:
            os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)

    def remove_file(self, name: str) -> None:
        """Remove a name that is not a folder."""
        os.unlink(name, dir_fd=self._descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(name, dir_fd=self._descriptor)

    def rename(self, name: str, into: Self, new_name: str) -> None:
        """Rename something, within this folder or into another; an existing file is replaced."""
        os.rename(name, new_name, src_dir_fd=self._descriptor, dst_dir_fd=into._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def write_all(descriptor: int, content: bytes) -> None:
    """Write a whole content, which a system may accept in parts."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
