"""The contents of files as they were and as they were left, kept by their digest in one file that grows until contents are let go.

One file, because many contents are then safe on the disk after one wait instead of many.
"""

import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from actionledger.runtime.workspace.folders import write_all
from actionledger.runtime.workspace.nodes import digest_of
from actionledger.runtime.workspace.private_files import open_private, size_of


class Contents:
    """Contents by their digest; whoever uses it holds the journal's lock.

    Args:
        path: the file; it is made with the first content.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0

    def catch_up(self) -> None:
        """Take in what others kept meanwhile; cut off what a crash left half written."""
        size = size_of(self._path)
        if size == self._end:
            return
        with os.fdopen(open_private(self._path, os.O_RDWR), "r+b") as file:
            while self._end < size:
                file.seek(self._end)
                digest, _, length = file.readline(100).decode("ascii", "replace").strip().partition(" ")
                start = file.tell()
                if not length.isdigit() or start + int(length) + 1 > size:
                    file.truncate(self._end)
                    return
                self._places[digest] = start, int(length)
                self._end = start + int(length) + 1

    def keep(self, content: bytes, digest: str) -> None:
        """Keep a content, unless it is kept already."""
        if digest in self._places:
            return
        head = f"{digest} {len(content)}\n".encode()
        descriptor = open_private(self._path, os.O_WRONLY | os.O_CREAT)
        try:
            os.lseek(descriptor, self._end, os.SEEK_SET)
            write_all(descriptor, head + content + b"\n")
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, self._end)
            raise
        finally:
            os.close(descriptor)
        self._places[digest] = self._end + len(head), len(content)
        self._end += len(head) + len(content) + 1

    def get(self, digest: str) -> bytes | None:
        """Return a content; None where it isn't kept, or no longer what it was."""
        if digest not in self._places:
            return None
        start, length = self._places[digest]
        with os.fdopen(open_private(self._path, os.O_RDONLY), "rb") as file:
            file.seek(start)
            content = file.read(length)
        return content if digest_of(content) == digest else None

    def keep_only(self, digests: Collection[str]) -> None:
        """Let go of all other contents; a crash on the way leaves either all that was kept or what is kept now."""
        new = self._path.with_name(f"{self._path.name}.new")
        new.unlink(missing_ok=True)
        if self._places.keys() <= set(digests):
            return
        kept = Contents(new)
        os.close(open_private(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        for digest in self._places:
            if digest in digests and (content := self.get(digest)) is not None:
                kept.keep(content, digest)
        kept.sync()
        new.replace(self._path)
        self._places, self._end = kept._places, kept._end

    def sync(self) -> None:
        """Make all that is kept survive a power loss."""
        if size_of(self._path):
            descriptor = open_private(self._path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
