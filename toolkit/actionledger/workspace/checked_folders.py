"""A folder on a system that has no calls relative to an open folder: each path is checked right before it is used.

Between the check and the use another process may exchange a name. ``Workspace.is_race_free`` tells which kind is in use.
"""

import errno
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Self

from actionledger.workspace.folders import NEW_FOLDER_MODE, is_link, write_all

_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


class CheckedFolder:
    """A folder by its path; see ``folders.Folder`` for the methods.

    Args:
        path: the folder, absolute.
    """

    def __init__(self, path: Path) -> None:
        status = path.lstat()
        if is_link(status) or not stat.S_ISDIR(status.st_mode):
            raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        self._path = path

    @classmethod
    def at(cls, path: Path) -> Self:
        """Open the folder at a path; one that is a link is refused."""
        return cls(path)

    def open_folder(self, name: str) -> Self:
        return type(self)(self._path / name)

    def status(self, name: str) -> os.stat_result:
        return (self._path / name).lstat()

    def own_status(self) -> os.stat_result:
        return self._path.lstat()

    def names(self) -> list[str]:
        return [path.name for path in self._path.iterdir()]

    def open_file(self, name: str) -> int:
        return os.open(self._unlinked(name), os.O_RDONLY | _BINARY)

    def create_file(self, name: str, content: bytes, mode: int) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
        descriptor = os.open(self._path / name, flags, 0o600)
        try:
            write_all(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self.set_mode(name, mode)

    def make_folder(self, name: str, mode: int) -> None:
        (self._path / name).mkdir(mode=NEW_FOLDER_MODE)
        try:
            self.set_mode(name, mode)
        except OSError:
            self.remove_folder(name)
            raise

    def make_link(self, name: str, target: str) -> None:
        (self._path / name).symlink_to(target)

    def link_target(self, name: str) -> str:
        return os.readlink(self._path / name)  # noqa: PTH115 - a Path would tidy the target up

    def set_mode(self, name: str, mode: int) -> None:
        self._unlinked(name).chmod(mode)

    def remove_file(self, name: str) -> None:
        (self._path / name).unlink()

    def remove_folder(self, name: str) -> None:
        self._unlinked(name).rmdir()

    def rename(self, name: str, into: Self, new_name: str) -> None:
        # Unlike rename(2) on Windows, this replaces a file everywhere.
        (self._path / name).replace(into._path / new_name)

    def close(self) -> None:
        """There is nothing to let go of."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _unlinked(self, name: str) -> Path:
        """Return the path of a name, unless it is a link."""
        path = self._path / name
        if is_link(path.lstat()):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return path
