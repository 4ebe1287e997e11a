"""What a command says: given out as it comes, and kept up to a limit, the beginning and the end."""

import codecs
from collections import deque
from collections.abc import Callable
from typing import TypeAlias

from actionledger.core.privacy import mask_text

OnOutput: TypeAlias = Callable[[str, str], None]
"""Takes the name of the output (``stdout`` or ``stderr``) and the next piece of it."""

MARGIN = 64 * 1024
"""How much is held beyond each cut, in characters: a secret up to that length is known whole, and masked, before it is cut in two."""


class Capture:
    """One output of a command.

    Args:
        name: its name.
        limit: how much of it is kept, in characters.
        on_output: takes each piece as it comes; None where nobody listens.
    """

    def __init__(self, name: str, limit: int, on_output: OnOutput | None = None) -> None:
        self._name = name
        self._limit = limit
        self._on_output = on_output
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._head = _Beginning(limit + MARGIN)
        self._tail = _End(limit + MARGIN)
        self._length = 0

    def add(self, data: bytes, *, final: bool = False) -> None:
        """Take the next bytes; what is no UTF-8 becomes U+FFFD."""
        text = self._decoder.decode(data, final)
        if not text:
            return
        self._length += len(text)
        if self._on_output:
            self._on_output(self._name, text)
        self._head.add(text)
        self._tail.add(text)

    @property
    def text(self) -> str:
        """What is kept; where something was left out, a line says how much, and the secrets in the rest are masked."""
        if self._length <= self._limit:
            return self._head.text
        head = mask_text(self._head.text)[: self._limit // 2]
        tail = mask_text(self._tail.text)[-(self._limit - self._limit // 2) :]
        return f"{head}\n[… {self._length - len(head) - len(tail):,} characters left out …]\n{tail}"


class _Beginning:
    """The first characters of a text."""

    def __init__(self, room: int) -> None:
        self._pieces: list[str] = []
        self._room = room

    def add(self, text: str) -> None:
        if self._room:
            self._pieces.append(text[: self._room])
            self._room -= len(self._pieces[-1])

    @property
    def text(self) -> str:
        return "".join(self._pieces)


class _End:
    """The last characters of a text."""

    def __init__(self, room: int) -> None:
        self._pieces: deque[str] = deque()
        self._length = 0
        self._room = room

    def add(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
        while self._length - len(self._pieces[0]) >= self._room:
            self._length -= len(self._pieces.popleft())

    @property
    def text(self) -> str:
        return "".join(self._pieces)[-self._room :]
