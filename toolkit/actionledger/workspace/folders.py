"""An open folder, and what can be done to the names in it without ever leaving it.

Everything goes by the folder's descriptor and one plain name, and no symbolic link is followed: what was checked is what is
used, whatever another process exchanges in between. Where a system has no such calls (Windows), ``CheckedFolder`` checks
each path right before it is used, which leaves a moment for a race.
"""

import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

HAS_DESCRIPTORS = {os.open, os.stat, os.mkdir, os.unlink, os.rename} <= os.supports_dir_fd
"""Whether this system takes names relative to an open folder."""

NEW_FOLDER_MODE = 0o700
"""The permission bits that a folder has until it is given its own."""

# What Windows lacks does nothing there.
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW | getattr(os, "O_CLOEXEC", 0)
_READ = os.O_RDONLY | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | getattr(os, "O_CLOEXEC", 0)


class Folder(Protocol):
    """An open folder; every method takes one plain name in it and raises ``OSError``."""

    @classmethod
    def at(cls, path: Path) -> Self:
        """Open the folder at a path; one that is a link is refused."""

    def open_folder(self, name: str) -> Self:
        """Open a folder in it; one that is a link is refused."""

    def status(self, name: str) -> os.stat_result:
        """Return what stands there, without following a link."""

    def own_status(self) -> os.stat_result:
        """Return the folder's own status."""

    def names(self) -> list[str]:
        """Return all names in it."""

    def open_file(self, name: str) -> int:
        """Open something to read, without following a link and without waiting; return the descriptor."""

    def create_file(self, name: str, content: bytes, mode: int) -> None:
        """Make a file that wasn't there, and see it safely on the disk."""

    def make_folder(self, name: str, mode: int) -> None:
        """Make a folder that wasn't there."""

    def make_link(self, name: str, target: str) -> None:
        """Make a symbolic link that wasn't there."""

    def link_target(self, name: str) -> str:
        """Return what a symbolic link says."""

    def set_mode(self, name: str, mode: int) -> None:
        """Set the permission bits of a file or folder, never of what a link points to."""

    def remove_file(self, name: str) -> None:
        """Remove a name that is no folder."""

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""

    def rename(self, name: str, into: Self, new_name: str) -> None:
        """Give something another name, here or in another folder; a file that has that name is replaced."""

    def close(self) -> None:
        """Let go of the folder."""

    def __enter__(self) -> Self:
        """Return the folder."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the folder."""


class DescriptorFolder:
    """A folder by its descriptor.

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
        return type(self)(os.open(name, _FOLDER, dir_fd=self._descriptor))

    def status(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)

    def own_status(self) -> os.stat_result:
        return os.fstat(self._descriptor)

    def names(self) -> list[str]:
        return os.listdir(self._descriptor)  # noqa: PTH208 - a descriptor is no path

    def open_file(self, name: str) -> int:
        return os.open(name, _READ, dir_fd=self._descriptor)

    def create_file(self, name: str, content: bytes, mode: int) -> None:
        descriptor = os.open(name, _CREATE, 0o600, dir_fd=self._descriptor)
        try:
            write_all(descriptor, content)
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def make_folder(self, name: str, mode: int) -> None:
        os.mkdir(name, NEW_FOLDER_MODE, dir_fd=self._descriptor)
        try:
            self.set_mode(name, mode)
        except OSError:
            self.remove_folder(name)
            raise

    def make_link(self, name: str, target: str) -> None:
        os.symlink(target, name, dir_fd=self._descriptor)

    def link_target(self, name: str) -> str:
        return os.readlink(name, dir_fd=self._descriptor)

    def set_mode(self, name: str, mode: int) -> None:
        descriptor = self.open_file(name)
        try:
            os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)

    def remove_file(self, name: str) -> None:
        os.unlink(name, dir_fd=self._descriptor)

    def remove_folder(self, name: str) -> None:
        os.rmdir(name, dir_fd=self._descriptor)

    def rename(self, name: str, into: Self, new_name: str) -> None:
        os.rename(name, new_name, src_dir_fd=self._descriptor, dst_dir_fd=into._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def write_all(descriptor: int, content: bytes) -> None:
    """Write all of a content; a system may take it in parts."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def is_link(status: os.stat_result) -> bool:
    """Whether a status is that of a symbolic link, or of what Windows has in its place."""
    reparse_point = getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0)
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_file_attributes", 0) & reparse_point)
