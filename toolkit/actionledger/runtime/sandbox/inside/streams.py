"""What the code prints, sent to the host as it comes, up to a limit."""

import codecs
import io
from collections.abc import Callable
from typing import Any, Literal

Stream = Literal["stdout", "stderr"]
STREAMS: tuple[Stream, ...] = ("stdout", "stderr")
Sink = Callable[[dict[str, Any]], None]
"""Sends a frame to the host."""


def captured(name: Stream, most: int, sink: Sink) -> io.TextIOWrapper:
    """Return a text stream whose text goes to the host."""
    # Line by line: what was printed before the process is killed has reached the host by then.
    return io.TextIOWrapper(
        _Capture(name, most, sink),
        encoding="utf-8",
        errors="backslashreplace",
        newline="\n",
        line_buffering=True,
    )


class _Capture(io.BufferedIOBase):
    """A stream of bytes whose text goes to the host."""

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
