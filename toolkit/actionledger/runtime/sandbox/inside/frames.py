"""The messages between host and process, including printed text: JSON objects with a length prefix of four bytes.

Both sides use this file. Neither trusts the other's lengths, and the receiver checks a frame's content.
"""

import codecs
import io
import json
import os
import re
import struct
from collections.abc import Callable
from typing import Any, Literal

HEADER = struct.Struct("<I")
"""A frame's length in bytes, without these four."""

Frame = dict[str, Any]
"""One message: a JSON object with its kind in ``kind``."""


_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[,\[\]{}]', re.DOTALL)
_QUOTE, _OPENING, _CLOSING = ord('"'), frozenset(b"[{"), frozenset(b"]}")


class FrameError(ValueError):
    """Bytes that are not a frame, or a frame larger than the receiver's limit."""


def packed(frame: Frame) -> bytes:
    """Return a frame as bytes with a length prefix."""
    # Text keeps its size in UTF-8; lone surrogates must not break the message that reports them.
    body = json.dumps(frame, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return HEADER.pack(len(body)) + body


def unpacked(body: bytes) -> Frame:
    """Parse a frame from the bytes after its length."""
    try:
        frame = json.loads(body.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError, MemoryError) as error:
        raise FrameError(f"a frame of {len(body):,} bytes is not JSON: {type(error).__name__}") from None
    if not isinstance(frame, dict):
        raise FrameError(f"a frame is an object, not {type(frame).__name__}")
    return frame


def beyond(body: bytes, values: int, depth: int) -> str:
    """Return which limit a frame's JSON exceeds, without parsing it: ``"values"``, ``"depth"``, or nothing.

    Ten bytes of JSON can be several hundred in memory. So an untrusted frame is scanned before it is parsed, token by token
    and no further than the limit.
    """
    counted, strings, level = 1, 0, 0
    for token in _TOKEN.finditer(body):
        first = body[token.start()]
        if first in _CLOSING:
            level -= 1
            continue
        if first == _QUOTE:
            strings += 1
        else:
            counted += 1
            level += first in _OPENING
        # Each text is a value or a key, so there are at most two per value.
        if counted > values or strings > 2 * values:
            return "values"
        if level > depth:
            return "depth"
    return ""


def send(descriptor: int, frame: Frame) -> None:
    """Write a frame to a blocking descriptor."""
    rest = memoryview(packed(frame))
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def receive(descriptor: int) -> Frame:
    """Read a frame from a blocking descriptor."""
    (length,) = HEADER.unpack(_exactly(descriptor, HEADER.size))
    return unpacked(_exactly(descriptor, length))


def _exactly(descriptor: int, count: int) -> bytes:
    parts = []
    while count:
        part = os.read(descriptor, min(count, 1 << 20))
        if not part:
            raise EOFError("the other side is gone")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


Stream = Literal["stdout", "stderr"]
STREAMS: tuple[Stream, ...] = ("stdout", "stderr")
Sink = Callable[[dict[str, Any]], None]
"""Sends a frame to the host."""


def captured(name: Stream, most: int, sink: Sink) -> io.TextIOWrapper:
    """Return a text stream that sends its text to the host."""
    # Buffered by line, so that text printed before the process is killed has reached the host.
    return io.TextIOWrapper(
        _Capture(name, most, sink),
        encoding="utf-8",
        errors="backslashreplace",
        newline="\n",
        line_buffering=True,
    )


class _Capture(io.BufferedIOBase):
    """A byte stream that sends its text to the host."""

    def __init__(self, name: Stream, most: int, sink: Sink) -> None:
        self.name = name
        self._left = most
        self._sink = sink
        self._cut = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        size = len(data)
        if not self._cut:
            self._send(self._decoder.decode(bytes(data)))
        return size

    def _send(self, text: str) -> None:
        kept, self._cut = text[: self._left], len(text) > self._left
        self._left -= len(kept)
        if kept or self._cut:
            self._sink({"kind": "output", "stream": self.name, "text": kept, "cut": self._cut})
