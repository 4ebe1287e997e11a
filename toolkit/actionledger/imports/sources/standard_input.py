"""The standard input, which can be looked at before it is read: a format is recognised by what comes first."""

import io
import sys
from pathlib import Path
from typing import IO, Any
from weakref import WeakKeyDictionary

STANDARD_INPUT = Path("-")
"""Stands for what is piped in."""


class Piped(io.RawIOBase):
    """What is piped in, of which the beginning may be read twice.

    Args:
        file: the pipe.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._held = b""

    def readable(self) -> bool:
        return True

    def hold(self, data: bytes) -> None:
        """Put back what was read; it comes again before anything else."""
        self._held = data + self._held

    def read1(self, size: int = -1) -> bytes:
        """Return what is there, at most ``size`` bytes; waits only where there is nothing."""
        if self._held:
            size = len(self._held) if size < 0 else size
            data, self._held = self._held[:size], self._held[size:]
            return data
        # A pipe gives what is there: waiting for a full buffer would keep from us what somebody else is still writing.
        data = getattr(self._file, "read1", self._file.read)(size)
        return bytes(data)

    def readinto(self, buffer: Any, /) -> int:
        data = self.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)


_PIPES: WeakKeyDictionary[IO[bytes], Piped] = WeakKeyDictionary()


def piped() -> Piped:
    """Return the standard input of this process, always the same one."""
    return _PIPES.setdefault(sys.stdin.buffer, Piped(sys.stdin.buffer))
