"""A JSON text taken apart, so that several faults can be put into it, each at a place of its own."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

_TOKEN = re.compile(r'(\s*)("(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+)')


@dataclass
class Token:
    """A token of a valid text."""

    written: str  # how it is written
    part: str  # its part in the grammar: key, text, number, literal or a sign
    gap: str = ""  # the blanks before it
    inside: str = ""  # the bracket that opens the container it stands in; empty at the outside
    is_touched: bool = False  # whether a fault has changed it, or its place

    @property
    def value(self) -> Any:
        """What a scalar stands for."""
        return json.loads(self.written)


@dataclass
class Document:
    """A JSON text as tokens."""

    value: Any  # what it means
    tokens: list[Token] = field(default_factory=list)  # its tokens

    @property
    def text(self) -> str:
        """The text, with what faults have made of it."""
        return "".join(token.gap + token.written for token in self.tokens)

    def free(self, parts: str, fits: Callable[[Token], bool] = lambda _: True) -> list[int]:
        """Return the places of the tokens of some parts that no fault has changed."""
        wanted = parts.split("|")
        return [
            at
            for at, token in enumerate(self.tokens)
            if token.part in wanted and not token.is_touched and fits(token)
        ]

    def touch(self, at: int, written: str) -> None:
        """Write a token otherwise."""
        self.tokens[at].written = written
        self.tokens[at].is_touched = True


Fault = Callable[[Document, Random], bool]
"""Breaks a document in one way at a random place, if it offers one; returns whether it did."""


def document(value: Any, text: str) -> Document:
    """Return a valid JSON text as tokens."""
    made = Document(value)
    open_brackets: list[str] = []
    for match in _TOKEN.finditer(text):
        gap, written = match.groups()
        if written in "]}":
            open_brackets.pop()
        inside = open_brackets[-1] if open_brackets else ""
        made.tokens.append(Token(written, _part(written, text[match.end() :]), gap, inside))
        if written in "[{":
            open_brackets.append(written)
    return made


def _part(written: str, behind: str) -> str:
    if written.startswith('"'):
        return "key" if behind.lstrip().startswith(":") else "text"
    if written in "{}[],:":
        return written
    return "literal" if written.isalpha() else "number"
