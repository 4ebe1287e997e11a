"""The host's side of a run: frames over two pipes, with limits on time and size. The process is untrusted once it has the code.

Its frames are checked against a list of allowed kinds and fields. Any other frame ends the run.
"""

import os
import select
from dataclasses import asdict, dataclass
from typing import Any

from actionledger.runtime.sandbox import ending
from actionledger.runtime.sandbox.base import Limits
from actionledger.runtime.sandbox.budget import BUDGET, Deadline
from actionledger.runtime.sandbox.ending import HostCalls, LimitExceededError, Output, Raised, RunEnding
from actionledger.runtime.sandbox.inside.frames import HEADER, Frame, FrameError, beyond, packed, unpacked
from actionledger.runtime.sandbox.inside.modules import rare_modules_in

_CHUNK = 64 * 1024
_FRAME_VALUES = 16
"""The maximum number of values in a frame besides its payload."""
_FRAME_DEPTH = 4
"""The maximum nesting of the payload in a frame."""


class Channel:
    """Two descriptors connected to a process."""

    def __init__(self, reader: int, writer: int) -> None:
        self._reader, self._writer = reader, writer
        os.set_blocking(reader, False)
        os.set_blocking(writer, False)
        self._buffer = bytearray()
        # poll, because select can't handle descriptors above 1024.
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(reader, select.POLLIN)
        self._writable.register(writer, select.POLLOUT)
        self._received = 0

    def send(self, frame: Frame, deadline: Deadline) -> None:
        rest = memoryview(packed(frame))
        while rest:
            if self._writable.poll(_milliseconds(deadline)):
                rest = rest[os.write(self._writer, rest[:_CHUNK]) :]

    def receive(self, limits: Limits, deadline: Deadline) -> Frame:
        (length,) = HEADER.unpack(self._take(HEADER.size, deadline))
        if length > limits.frame_size:
            # An honest process keeps to this size, so these four bytes are no length.
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
    # Never 0, which would not wait.
    return int(deadline.wait() * 1000) + 1


_MAX_WORDS = 200
"""The maximum length of short texts from the process, in characters."""


class NotConfinedError(Exception):
    """The process did not report that it is confined; it must not get code."""


@dataclass(slots=True)
class RunConversation:
    """One run, from the host's side."""

    channel: Channel  # the channel to the process
    host: HostCalls  # answers its calls, and has the limits
    output: Output  # stores its output
    code: str  # the code; the process gets it only after it is confined

    def confine(self, deadline: Deadline) -> Frame:
        """Give the process its task, and wait until it is confined."""
        self.channel.send(self._task(), deadline)
        try:
            walls = self._receive(deadline)
        except (FrameError, LimitExceededError) as error:
            raise NotConfinedError(str(error)) from error
        if walls.get("kind") != "confined" or walls.get("seccomp") is not True:
            raise NotConfinedError(str(walls.get("why", walls))[:_MAX_WORDS])
        return walls

    def run(self, deadline: Deadline) -> RunEnding:
        """Give a confined process its code, and serve it until it ends."""
        self.channel.send({"kind": "run", "code": self.code}, deadline)
        while True:
            frame = self._receive(deadline)
            match frame:
                case {"kind": "output", "stream": str(stream), "text": str(text), "cut": bool(cut)}:
                    self.output.add(stream, text, cut=cut)
                case {"kind": "log", "message": str(message)}:
                    self.host.log(message)
                case {"kind": "call", "method": str(path), "arguments": list(given), "keywords": dict(named)}:
                    self._answer(path, given, named, deadline)
                case {"kind": "done", "value": value}:
                    # The process has measured it already, but an untrusted process's measure doesn't count.
                    return ending.succeeded(value, self.host.limits)
                case {"kind": "too_large", "what": str(what)}:
                    return ending.too_large(what)
                case {
                    "kind": "raised",
                    "type": str(kind),
                    "message": str(text),
                    "line": int() | None as line,
                }:
                    return ending.raised(kind, text, line, self.code, self.host)
                case _:
                    raise FrameError(
                        f"a frame of the kind {str(frame.get('kind'))[:_MAX_WORDS]!r} is not expected"
                    )

    def _task(self) -> Frame:
        limits = self.host.limits
        return {
            "kind": "prepare",
            "api": self.host.api.name,
            "methods": sorted(self.host.api.methods),
            "modules": rare_modules_in(self.code),
            "bounds": asdict(limits.value_bounds),
            "result_bounds": asdict(limits.result_bounds),
            "output": limits.output,
            "memory": limits.memory,
            "seconds": limits.seconds,
        }

    def _receive(self, deadline: Deadline) -> Frame:
        return self.channel.receive(self.host.limits, deadline)

    def _answer(self, path: str, arguments: list[Any], keywords: dict[str, Any], deadline: Deadline) -> None:
        answer = self.host.call(path, arguments, keywords)
        if isinstance(answer, Raised):
            frame = {"kind": "raised", "type": answer.type, "message": answer.message}
        else:
            frame = {"kind": "returned", "value": answer.value}
        self.channel.send(frame, deadline)
