"""Limits for values that pass between the host and the process: nodes, bytes and depth.

Both sides use this file. A value with shared structure is small in memory and endless as JSON (``a = [a, a]``, forty
times over). So each value is copied within the limits first.
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
"""The maximum size of an integer, in bits: by default Python converts at most 4,300 digits."""

MAX_SHOWN = 1000
"""The maximum length of the text for an object that is not a JSON value, in characters."""


class TooLargeError(ValueError):
    """A value exceeds its limits; the text is a clause without a subject that names the limit."""


class NotPlainError(TypeError):
    """A value that JSON can't represent; the text is a clause without a subject that names it."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits on one value."""

    nodes: int  # the maximum number of values in it, including itself
    size: int  # the maximum size of its texts and numbers, in bytes of UTF-8
    depth: int  # the maximum nesting; a plain number has depth 0


@dataclass(frozen=True, slots=True)
class Measured:
    """A value within its limits."""

    value: Any  # its copy, made of plain dicts, lists, texts, numbers, booleans and None
    size: int  # the size of its texts and numbers, in bytes, plus one per node


def exact(value: object, bounds: Bounds) -> Measured:
    """Copy a JSON value; a tuple becomes a list."""
    return _Exact(bounds).measured(value)


def shown(value: object, bounds: Bounds) -> Measured:
    """Copy a value as JSON can represent it: other values become a list or a text."""
    return _Shown(bounds).measured(value)


def well_formed(text: str) -> str:
    """Return a text that UTF-8 can encode: lone surrogates are escaped, as by ``text.escaped_halves``."""
    return text.encode("utf-8", "backslashreplace").decode()


class _Walk(ABC):
    """One walk over a value, which counts down the limits."""

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
        """Return a text that UTF-8 can encode."""

    @abstractmethod
    def key(self, key: object) -> str:
        """Return the text for a dict's key."""

    @abstractmethod
    def strange(self, value: object) -> str | list[object]:
        """Return the replacement of a value that JSON can't represent."""

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
        # Counted before it is encoded, so that a text far beyond the limits is never copied.
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
    """Accepts only JSON data."""

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
    """Accepts all values, and represents others as text."""

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
    except Exception:  # noqa: BLE001 - a foreign __repr__ may raise anything
        return f"<{type(value).__name__}>"


def builtin_error(name: str, message: str) -> Exception:
    """Return an exception of a built-in class, or a RuntimeError if that class takes no message."""
    kind = getattr(builtins, name, RuntimeError)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        return RuntimeError(message)
    try:
        return kind(message)
    except TypeError:
        return RuntimeError(message)


def no_method(owner: str, name: str, known: Iterable[str]) -> str:
    """Return the message for a method that doesn't exist."""
    names = sorted(path.removeprefix(f"{owner}.") for path in known)
    near = get_close_matches(name, names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"{owner} has no method {name!r}.{hint} It has: {', '.join(names)}."
