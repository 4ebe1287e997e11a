"""Where a response template's fields stand in a response: between what opens and what closes each, one behind the other."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from actionledger.core.values import Span

_META = frozenset(".^$*+?{}[]()|\\")
_REPEATS = frozenset("*?{")


class Field(NamedTuple):
    """A field of a message that a response template tells apart.

    Args:
        name: what the message calls it.
        opens: what it begins with.
        mark: the literal texts of which one is the beginning of that.
        closes: what it ends with; None where the end of the text does.
        ends_with: the literal text of that, or the beginning of it.
        content: how its body is read, as the template names it.
        arguments: the settings of that.
        transform: what is made of its content; None where that is the field.
        is_each: whether that is made of each item of a list.
    """

    name: str
    opens: re.Pattern[str]
    mark: tuple[str, ...]
    closes: re.Pattern[str] | None
    ends_with: str
    content: str
    arguments: Mapping[str, Any]
    transform: Any
    is_each: bool


class Region(NamedTuple):
    """A stretch of a response that a field takes.

    Args:
        field: which.
        span: all of it.
        body: what stands between its ends.
        captures: what its opening named, and its closing.
        is_closed: whether it ends with what closes it.
    """

    field: Field
    span: Span
    body: Span
    captures: Mapping[str, str]
    is_closed: bool


class Regions:
    """The regions in one text, by the template; they are looked for once."""

    def __init__(self) -> None:
        self._found: dict[str, list[Region]] = {}

    def at(self, text: str, start: int, key: str, fields: Sequence[Field]) -> Region | None:
        """Return the region that begins there; None where none does, or where another one holds the place."""
        if key not in self._found:
            self._found[key] = list(_regions(text, fields))
        found = self._found[key]
        index = bisect_left(found, start, key=lambda region: region.span.start)
        return found[index] if index < len(found) and found[index].span.start == start else None


def _regions(text: str, fields: Sequence[Field]) -> Iterator[Region]:
    at, ahead = 0, [field.opens.search(text) for field in fields]
    while at <= len(text):
        for index, field in enumerate(fields):
            match = ahead[index]
            if match and match.start() < at:
                ahead[index] = field.opens.search(text, at)
        opened = [(each.start(), -each.end(), index) for index, each in enumerate(ahead) if each]
        if not opened:
            return
        index = min(opened)[2]
        begin = ahead[index]
        assert begin
        field = fields[index]
        close = field.closes.search(text, begin.end()) if field.closes else None
        end = close.end() if close else len(text)
        captures = {**begin.groupdict(), **(close.groupdict() if close else {})}
        yield Region(
            field,
            Span(begin.start(), end),
            Span(begin.end(), close.start() if close else end),
            {name: value for name, value in captures.items() if value is not None},
            close is not None,
        )
        at = max(end, begin.start() + 1)


def literal_start(pattern: str) -> str:
    """Return the literal text that everything begins with that a regular expression matches; empty where there is none."""
    found, at = "", 0
    while at < len(pattern):
        sign = pattern[at]
        size = 1
        if sign == "\\" and at + 1 < len(pattern) and not pattern[at + 1].isalnum():
            sign, size = pattern[at + 1], 2
        elif sign in _META:
            break
        if pattern[at + size : at + size + 1] in _REPEATS:
            break
        found, at = found + sign, at + size
    return "" if _is_alternative(pattern) else found


def _is_alternative(pattern: str) -> bool:
    """Return whether a regular expression has alternatives outside of brackets."""
    depth, in_set, skip = 0, False, False
    for sign in pattern:
        if skip or sign == "\\":
            skip = not skip
        elif in_set:
            in_set = sign != "]"
        elif sign == "[":
            in_set = True
        elif sign in "()":
            depth += 1 if sign == "(" else -1
        elif sign == "|" and not depth:
            return True
    return False
