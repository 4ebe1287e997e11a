"""What others have taken in, on disk until somebody asks: of an import of millions of turns that is half a kilobyte for each in memory."""

import pickle
from collections.abc import Iterator
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO

from actionledger.ledger.queries.recorded import Added

_IN_MEMORY_BYTES = 2**20
"""What is less stays in memory."""


def packed(added: Added, started: frozenset[str]) -> bytes:
    """Return what ``KeptNews`` keeps."""
    return pickle.dumps((added, started), pickle.HIGHEST_PROTOCOL)


class KeptNews:
    """Keeps what was taken in elsewhere until it is asked for."""

    def __init__(self) -> None:
        self._in_memory: list[bytes] = []
        self._file: IO[bytes] | None = None
        self._in_file = 0

    def add(self, news: bytes) -> None:
        """Keep some more."""
        self._in_memory.append(news)
        if sum(map(len, self._in_memory)) > _IN_MEMORY_BYTES:
            with suppress(OSError):  # of a disk that is full: it stays in memory
                self._write()

    def take(self) -> Iterator[tuple[Added, frozenset[str]]]:
        """Yield all that is kept, in order, and keep it no longer."""
        in_memory, self._in_memory = self._in_memory, []
        if self._file is not None:
            self._file.seek(0)
            while self._file.tell() < self._in_file:
                yield pickle.load(self._file)  # noqa: S301 - from a process that we started
            self._file.close()
            self._file, self._in_file = None, 0
        for news in in_memory:
            yield pickle.loads(news)  # noqa: S301 - likewise

    def _write(self) -> None:
        if self._file is None:
            self._file = TemporaryFile(buffering=0)  # noqa: SIM115 - until it is asked for
        self._file.seek(self._in_file)  # behind what is whole
        whole = memoryview(b"".join(self._in_memory))
        while whole:
            whole = whole[self._file.write(whole) :]
        self._in_file = self._file.tell()
        self._in_memory = []
