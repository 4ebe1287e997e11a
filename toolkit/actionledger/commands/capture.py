"""What a command says: given out as it comes, and kept up to a limit, the beginning and the end."""

import codecs
from collections import deque
from collections.abc import Callable
from typing import TypeAlias

OnOutput: TypeAlias = Callable[[str, str], None]
"""Takes the name of the output (``stdout`` or ``stderr``) and the next piece of it."""


class Capture:
    """One output of a command.

    Args:
        name: its name.
        limit: how much of it is kept, in characters.
        on_output: takes each piece as it comes; None where nobody listens.
    """

    def __init__(self, name: str, limit: int, on_output: OnOutput | None = None) -> None:
        self._name = name
        self._head_room = limit // 2
        self._tail_room = limit - limit // 2
        self._on_output = on_output
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._head: list[str] = []
        self._tail: deque[str] = deque()
        self._tail_length = 0
        self._length = 0

    def add(self, data: bytes, *, final: bool = False) -> None:
        """Take the next bytes; what is no UTF-8 becomes U+FFFD."""
        text = self._decoder.decode(data, final)
        if not text:
            return
        self._length += len(text)
        if self._on_output:
            self._on_output(self._name, text)
        if self._head_room:
            self._head.append(text[: self._head_room])
            text = text[len(self._head[-1]) :]
            self._head_room -= len(self._head[-1])
        if text:
            self._keep(text)

    @property
    def text(self) -> str:
        """What is kept; where something was left out, a line says how much."""
        head, tail = "".join(self._head), "".join(self._tail)[-self._tail_room :]
        left_out = self._length - len(head) - len(tail)
        return f"{head}\n[… {left_out:,} characters left out …]\n{tail}" if left_out else head + tail

    def _keep(self, text: str) -> None:
        self._tail.append(text)
        self._tail_length += len(text)
        while self._tail_length - len(self._tail[0]) >= self._tail_room:
            self._tail_length -= len(self._tail.popleft())
