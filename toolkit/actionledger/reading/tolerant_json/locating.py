"""Where the objects of a value stand that the C scanner read: it gives values, not positions.

In valid JSON every brace outside of strings belongs to an object, so the n-th opening brace begins the n-th object that
the value holds, counted from outside to inside and from left to right.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from actionledger.core.values import Span

# It matches at the end of the text too: a pattern that fails there would be tried again inside the last string.
_BRACE_OUTSIDE_STRINGS = re.compile(r'(?:[^"{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+(?:([{}])|\Z)', re.DOTALL)


def objects_with_spans(value: Any, text: str, start: int, end: int) -> Iterator[tuple[dict[str, Any], Span]]:
    """Return the objects of a value with their spans, in text order."""
    objects = list(_objects(value))
    return zip(objects, _spans(text, start, end, len(objects)), strict=True)


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of a value from outside to inside and from left to right; no recursion."""
    waiting = [value] if isinstance(value, dict | list) else []
    while waiting:
        part = waiting.pop()
        if type(part) is dict:
            yield part
        parts = part.values() if type(part) is dict else part
        waiting += [inner for inner in reversed(parts) if type(inner) is dict or type(inner) is list]


def _spans(text: str, start: int, end: int, count: int) -> list[Span]:
    """Return where the objects of a valid text stand, in text order."""
    starts: list[int] = []
    ends: list[int] = []
    opened: list[int] = []
    for at in _braces(text, start, end, count):
        if text[at] == "{":
            opened.append(len(starts))
            starts.append(at)
            ends.append(at)
        else:
            ends[opened.pop()] = at + 1
    return list(map(Span, starts, ends))


def _braces(text: str, start: int, end: int, count: int) -> list[int]:
    """Return the places of the braces outside of strings.

    Where no string holds any, they are found without a pattern, which looks at each character.
    """
    if text.count("{", start, end) != count or text.count("}", start, end) != count:
        return [match.end() - 1 for match in _BRACE_OUTSIDE_STRINGS.finditer(text, start, end) if match[1]]
    places = []
    for brace in "{}":
        at = text.find(brace, start, end)
        while at >= 0:
            places.append(at)
            at = text.find(brace, at + 1, end)
    places.sort()
    return places


class Places:
    """Values with their places, in the order in which they were read; in columns, for there may be very many."""

    __slots__ = ("_places", "_values")

    def __init__(self) -> None:
        self._values: list[Any] = []
        self._places = array("I")

    def __iter__(self) -> Iterator[tuple[Any, int, int]]:
        return zip(self._values, self._places[::2], self._places[1::2], strict=True)

    def add(self, value: Any, start: int, end: int) -> None:
        """Keep where a value stands."""
        self._values.append(value)
        self._places.extend((start, end))

    def drop_last(self) -> None:
        """Forget the last value."""
        del self._values[-1], self._places[-2:]


Shifts = tuple["array[int]", "array[int]"]
"""Places behind which the rewritten text runs on as the old one did: in the new text, and the same in the old one."""


class Mended:
    """A container that was rewritten and read.

    Attributes:
        value: the container.
        text: the valid JSON that it was read from.
        end: where it ends in the text as it was.
    """

    __slots__ = ("_new", "_old", "end", "text", "value")

    def __init__(self, value: Any, text: str, shifts: Shifts, end: int) -> None:
        self.value = value
        self.text = text
        self.end = end
        self._new, self._old = shifts

    def original(self, at: int) -> int:
        """Return where a character stood in the text as it was."""
        last = bisect_right(self._new, at) - 1
        return self._old[last] + at - self._new[last]
