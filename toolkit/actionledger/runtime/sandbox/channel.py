"""The host's end of the two pipes to a process: frames out and in, within a time and a number of bytes."""

import os
import select

from actionledger.runtime.sandbox.budget import BUDGET
from actionledger.runtime.sandbox.deadline import Deadline
from actionledger.runtime.sandbox.host_calls import LimitExceededError
from actionledger.runtime.sandbox.inside.frames import HEADER, Frame, FrameError, beyond, packed, unpacked
from actionledger.runtime.sandbox.limits import Limits

_CHUNK = 64 * 1024
_FRAME_VALUES = 16
"""How many values a frame has besides what it carries."""
_FRAME_DEPTH = 4
"""How deep what it carries may lie in it."""


class Channel:
    """Two descriptors that a process reads and writes at the other end.

    Args:
        reader: what the process writes can be read here.
        writer: what is written here the process reads.
    """

    def __init__(self, reader: int, writer: int) -> None:
        self._reader, self._writer = reader, writer
        os.set_blocking(reader, False)
        os.set_blocking(writer, False)
        self._buffer = bytearray()
        # poll, since select knows no descriptor above 1024.
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(reader, select.POLLIN)
        self._writable.register(writer, select.POLLOUT)
        self._received = 0

    def send(self, frame: Frame, deadline: Deadline) -> None:
        """Send a frame."""
        rest = memoryview(packed(frame))
        while rest:
            if self._writable.poll(_milliseconds(deadline)):
                rest = rest[os.write(self._writer, rest[:_CHUNK]) :]

    def receive(self, limits: Limits, deadline: Deadline) -> Frame:
        """Receive a frame."""
        (length,) = HEADER.unpack(self._take(HEADER.size, deadline))
        if length > limits.frame_size:
            # The process keeps to this size by itself: these four bytes were never meant as a length.
            raise FrameError(f"a frame has at most {limits.frame_size:,} bytes, this one {length:,}")
        self._received += length
        if self._received > limits.run_size:
            raise LimitExceededError("sent the host more than it takes in one run")
        with BUDGET.reading(length, deadline):
            body = self._take(length, deadline)
            too_much = beyond(body, limits.value_nodes + _FRAME_VALUES, limits.value_depth + _FRAME_DEPTH)
            if too_much == "values":
                raise LimitExceededError(f"sent the host more than {limits.value_nodes:,} values at once")
            if too_much:
                raise LimitExceededError(
                    f"sent the host values that are nested deeper than {limits.value_depth} levels"
                )
            return unpacked(body)

    def _take(self, count: int, deadline: Deadline) -> bytes:
        while len(self._buffer) < count:
            if self._readable.poll(_milliseconds(deadline)):
                self._fill()
        with memoryview(self._buffer) as held:
            taken = bytes(held[:count])
        del self._buffer[:count]
        return taken

    def _fill(self) -> None:
        chunk = os.read(self._reader, _CHUNK)
        if not chunk:
            raise EOFError
        self._buffer += chunk


def _milliseconds(deadline: Deadline) -> int:
    # Never 0, which would look without waiting.
    return int(deadline.wait() * 1000) + 1
