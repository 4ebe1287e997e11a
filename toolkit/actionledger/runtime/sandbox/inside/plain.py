"""Bounds for values that cross between the host and the process, by their nodes, their bytes and their depth.

Both sides use this file. A value with shared structure is small in memory and endless as JSON (``a = [a, a]``, forty
times over), so whatever crosses is first walked within bounds and copied.
"""

import builtins
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Set as AbstractSet
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from difflib import get_close_matches
from enum import Enum
from fractions import Fraction
from typing import Any
from uuid import UUID

MAX_BITS = 12_000
"""The most bits of an integer: Python reads and writes no more than 4,300 digits without being told to."""

MAX_SHOWN = 1000
"""The most characters that stand for an object that is no JSON value."""


class TooLargeError(ValueError):
    """A value that is beyond its bounds; the text says which bound, and reads on after a noun."""


class NotPlainError(TypeError):
    """A value that JSON doesn't know; the text says which, and reads on after a noun."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How large one value may be.

    Args:
        nodes: the most values in it, itself included.
        size: the most bytes of its texts and numbers, as UTF-8.
        depth: the deepest nesting; a plain number has depth 0.
    """

    nodes: int
    size: int
    depth: int


@dataclass(frozen=True, slots=True)
class Measured:
    """A value that is within its bounds.

    Args:
        value: a copy of it, of plain dicts, lists, texts, numbers, booleans and None.
        size: how many bytes its texts and numbers have, with one for each node.
    """

    value: Any
    size: int


def exact(value: object, bounds: Bounds) -> Measured:
    """Copy a JSON value; a tuple counts as a list."""
    return _Exact(bounds).measured(value)


def shown(value: object, bounds: Bounds) -> Measured:
    """Copy a value as JSON can show it: what JSON doesn't know becomes a list or a text."""
    return _Shown(bounds).measured(value)


def well_formed(text: str) -> str:
    """Return a text that UTF-8 can write: halves of surrogate pairs become their escapes, as ``text.escaped_halves`` has it."""
    return text.encode("utf-8", "backslashreplace").decode()


class _Walk(ABC):
    """One walk over a value, counting down what is left of its bounds."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.nodes = bounds.nodes
        self.size = bounds.size

    def measured(self, value: object) -> Measured:
        """Return a plain copy of a value with its size."""
        copy = self._copy(value, 0)
        return Measured(copy, self.bounds.size - self.size + self.bounds.nodes - self.nodes)

    @abstractmethod
    def text(self, text: str) -> str:
        """Return a text that UTF-8 can write."""

    @abstractmethod
    def key(self, key: object) -> str:
        """Return the text that a dict's key becomes."""

    @abstractmethod
    def strange(self, value: object) -> str | list[object]:
        """Return what stands for a value that JSON doesn't know."""

    def _copy(self, value: object, depth: int) -> Any:
        self._count(depth)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return self._integer(value)
        if isinstance(value, float):
            self._spend(8)
            return float(value)
        if not isinstance(value, str | Mapping | list | tuple):
            value = self.strange(value)
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return {self._text(self.key(key)): self._copy(inner, depth + 1) for key, inner in value.items()}
        return [self._copy(inner, depth + 1) for inner in value]

    def _count(self, depth: int) -> None:
        self.nodes -= 1
        if self.nodes < 0:
            raise TooLargeError(f"holds more than {self.bounds.nodes:,} values")
        if depth > self.bounds.depth:
            raise TooLargeError(f"is nested deeper than {self.bounds.depth} levels")

    def _spend(self, count: int) -> None:
        self.size -= count
        if self.size < 0:
            raise TooLargeError(f"is larger than {self.bounds.size:,} bytes")

    def _text(self, text: str) -> str:
        # Spent before it is encoded, so that a text far beyond the bounds is never copied.
        self._spend(len(text))
        if text.isascii():
            return str.__str__(text)
        text = self.text(text)
        self._spend(len(text.encode()) - len(text))
        return text

    def _integer(self, number: int) -> int:
        self._spend(number.bit_length() // 8 + 1)
        if number.bit_length() > MAX_BITS:
            raise TooLargeError(f"holds an integer of more than {MAX_BITS:,} bits")
        return int(number)


class _Exact(_Walk):
    """Takes JSON data alone."""

    def text(self, text: str) -> str:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise NotPlainError("holds half of a surrogate pair, which UTF-8 can't write") from None
        return str.__str__(text)

    def key(self, key: object) -> str:
        if not isinstance(key, str):
            raise NotPlainError(f"must have texts as keys of its dicts, not {type(key).__name__}")
        return key

    def strange(self, value: object) -> str | list[object]:
        kind = type(value).__name__
        raise NotPlainError(f"must be JSON data (dict, list, str, int, float, bool or None), not {kind}")


class _Shown(_Walk):
    """Takes everything, and shows what JSON doesn't know as text."""

    def text(self, text: str) -> str:
        return well_formed(text)

    def key(self, key: object) -> str:
        if isinstance(key, str):
            return key
        if key is None or isinstance(key, bool):
            return {None: "null", True: "true", False: "false"}[key]
        return _described(key)

    def strange(self, value: object) -> str | list[object]:
        return list(value) if isinstance(value, AbstractSet) else _described(value)


def _described(value: object) -> str:
    try:
        if isinstance(value, Enum):
            return str(value.value)[:MAX_SHOWN]
        if isinstance(value, date | time | Decimal | Fraction | UUID):
            return str(value)
        return repr(value)[:MAX_SHOWN]
    except Exception:  # noqa: BLE001 - a stranger's __repr__ may raise anything
        return f"<{type(value).__name__}>"


def builtin_error(name: str, message: str) -> Exception:
    """Return an exception of a built-in class, or a RuntimeError where that class takes no message."""
    kind = getattr(builtins, name, RuntimeError)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        return RuntimeError(message)
    try:
        return kind(message)
    except TypeError:
        return RuntimeError(message)


def no_method(owner: str, name: str, known: Iterable[str]) -> str:
    """Return what to say of a method that isn't there."""
    names = sorted(path.removeprefix(f"{owner}.") for path in known)
    near = get_close_matches(name, names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"{owner} has no method {name!r}.{hint} It has: {', '.join(names)}."
