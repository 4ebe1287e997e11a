"""Contents stored by digest, one file each, so that writers need no lock and each unused content can be removed alone."""

import errno
import os
import stat
import zlib
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from actionledger.core.ids import new_id
from actionledger.runtime.workspace.folders import make_private_folder, open_private, write_all
from actionledger.runtime.workspace.nodes import digest_of

_DIGITS = frozenset("0123456789abcdef")
_LENGTH = 64
_FAST = 1
_UNFINISHED = ".tmp"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL

NONE_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EINVAL})
"""The errors for a missing file, or a link or folder in its place: none of these is a stored content."""


class Objects:
    """A folder of contents by their digest.

    Args:
        folder: the folder; it is made with the first content.
        most_bytes: the largest content that is returned, in bytes.
    """

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._kept: set[str] = set()

    def keep(self, content: bytes, digest: str, /) -> None:
        """Store a content, unless it is stored already.

        Raises:
            OSError: it can't be stored.
        """
        if digest in self._kept:
            return
        path = self._path(digest)
        if _is_file(path):
            # Removal of unused contents spares those touched recently.
            os.utime(path, follow_symlinks=False)
        else:
            self._write(path, content)
        self._kept.add(digest)

    def get(self, digest: str, *, must: bool = False) -> bytes | None:
        """Return a content; None if it isn't stored or no longer matches its digest.

        Args:
            digest: the content's digest.
            must: whether an unreadable file is an error.

        Raises:
            OSError: the content must be read and can't be.
        """
        if len(digest) != _LENGTH or not _DIGITS.issuperset(digest):
            return None
        try:
            with os.fdopen(open_private(self._path(digest), os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
                content = zlib.decompressobj().decompress(file.read(), self._most_bytes + 1)
        except OSError as error:
            if must and error.errno not in NONE_THERE:
                raise
            return None
        except zlib.error:
            return None
        return content if digest_of(content) == digest else None

    def remove_all_but(self, digests: Collection[str], older_than: float) -> int:
        """Remove unused contents; return their number.

        Args:
            digests: the contents in use.
            older_than: remove only contents last kept before this time, in seconds since 1970.

        Raises:
            OSError: a content can't be removed.
        """
        removed = 0
        for path in self._folder.glob("*/*"):
            with suppress(FileNotFoundError):
                if path.name not in digests and path.lstat().st_mtime < older_than:
                    path.unlink()
                    removed += 1
        return removed

    def remove(self, digests: Collection[str]) -> int:
        """Remove contents; return how many existed."""
        removed = 0
        for digest in digests:
            with suppress(FileNotFoundError):
                self._path(digest).unlink()
                removed += 1
        return removed

    def remove_unfinished(self) -> None:
        """Remove every process's unfinished files; a live process writes its own again."""
        for path in self._folder.glob(f"*/.*{_UNFINISHED}"):
            path.unlink(missing_ok=True)

    def _path(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest

    def _write(self, path: Path, content: bytes) -> None:
        with suppress(FileNotFoundError):
            self._write_once(path, content)
            return
        self._write_once(path, content)  # another process erases a session: see ``remove_unfinished``

    def _write_once(self, path: Path, content: bytes) -> None:
        fresh = path.with_name(f".{new_id()}{_UNFINISHED}")
        try:
            descriptor = open_private(fresh, _NEW)
        except FileNotFoundError:
            make_private_folder(path.parent)
            descriptor = open_private(fresh, _NEW)
        try:
            write_all(descriptor, zlib.compress(content, _FAST))
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise
        finally:
            os.close(descriptor)
        fresh.replace(path)


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
