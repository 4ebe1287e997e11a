"""The result of decoding: the value and, on demand, the places of its parts and the repairs."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from actionledger.core.canonical import JsonDict
from actionledger.core.frozen import made_quickly
from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.reading.tolerant_json.notes import Note


@dataclass(slots=True)
class Call:
    """A Python call, read as a value."""

    name: str  # the callee's name, dots included
    arguments: list[Any] = field(default_factory=list)  # the arguments without a name
    keywords: JsonDict = field(default_factory=dict)  # the arguments by name


Shifts = tuple["array[int]", "array[int]"]
"""Places from which the rewritten text matches the old one again: in the new text, and the same in the old one."""


class Mended:
    """A container that was rewritten as valid JSON and read; ``end`` is in the original text."""

    __slots__ = ("_new", "_old", "end", "text", "value")

    def __init__(self, value: Any, text: str, shifts: Shifts, end: int) -> None:
        self.value = value
        self.text = text
        self.end = end
        self._new, self._old = shifts

    def original(self, at: int) -> int:
        """Return a character's place in the original text."""
        last = bisect_right(self._new, at) - 1
        return self._old[last] + at - self._new[last]


@made_quickly
@dataclass(frozen=True, slots=True)
class Evidence:
    """Data from reading a value, from which the places of all its parts can be computed later.

    Args:
        text: the text that was read.
        offset: where that text begins in the given one, in code points.
        notes: the repairs.
        opened: the objects and calls that were read piece by piece, each with its start and end.
        scanned: the valid values that were read in one go, each with its start and end.
        mended: the containers that were rewritten and then read in one go.
        before: the repairs before the value.
    """

    text: str = ""
    offset: int = 0
    notes: Iterable[Note] = ()
    opened: Iterable[tuple[Any, int, int]] = ()
    scanned: Iterable[tuple[Any, int, int]] = ()
    mended: Sequence[Mended] = ()
    before: tuple[Repair, ...] = ()

    def repairs(self) -> tuple[Repair, ...]:
        """Return the repairs, in text order."""
        text, offset = self.text, self.offset
        return self.before + tuple(
            Repair(
                kind,
                Span(start + offset, end + offset),
                before,
                after if isinstance(after, str) else after(before),
            )
            for kind, start, end, after in sorted(self.notes, key=_place)
            for before in (text[start:end],)
        )

    def located(self) -> tuple[tuple[Any, Span], ...]:
        """Return the objects and calls with their spans, in text order."""
        known = [(value, Span(start, end)) for value, start, end in self.opened]
        for value, start, end in self.scanned:
            known += objects_with_spans(value, self.text, start, end)
        for part in self.mended:
            spans = objects_with_spans(part.value, part.text, 0, len(part.text))
            known += [(value, Span(*map(part.original, span))) for value, span in spans]
        known.sort(key=lambda item: item[1])
        if not self.offset:
            return tuple(known)
        return tuple((value, Span(*(place + self.offset for place in span))) for value, span in known)


def moved(issue: Issue, by: int) -> Issue:
    """Return an issue moved by a number of code points."""
    if not by or issue.span is None:
        return issue
    return Issue(issue.code, Span(issue.span.start + by, issue.span.end + by), issue.detail)


def _place(note: Note) -> tuple[int, int]:
    return note[1], note[2]


@made_quickly
@dataclass(frozen=True)
class Decoded:
    """One value read from a text.

    Args:
        ok: whether a value was read.
        value: the value; None if none was read.
        start: where it begins, in code points.
        end: where it ends, or where reading stopped.
        issues: its problems; the first one says why no value was read.
        cut: the containers that the end of the text left open, outermost first. They hold the complete items;
            whether more was meant to be in them can't be known.
        evidence: data from reading.

    Example:
        >>> decoded = al.decode("{'a': 1,} and more")
        >>> decoded.value, decoded.end, [str(repair.kind) for repair in decoded.repairs]
        ({'a': 1}, 9, ['quotes', 'trailing_comma'])
    """

    ok: bool
    value: Any
    start: int
    end: int
    issues: tuple[Issue, ...] = ()
    cut: tuple[Any, ...] = ()
    evidence: Evidence = field(default=Evidence(), repr=False, compare=False)

    @cached_property
    def repairs(self) -> tuple[Repair, ...]:
        """The changes that made it readable, in text order."""
        return self.evidence.repairs()

    @cached_property
    def located(self) -> tuple[tuple[Any, Span], ...]:
        """Its objects and calls, each with its span, in text order."""
        return self.evidence.located()

    @cached_property
    def _spans(self) -> dict[int, Span]:
        return {id(value): span for value, span in self.located}

    def moved(self, by: int) -> "Decoded":
        """Return the same value, moved by a number of code points.

        Example:
            >>> moved = al.decode("[1]").moved(10)
            >>> moved.start, moved.end
            (10, 13)
        """
        known = self.evidence
        evidence = Evidence(
            known.text,
            known.offset + by,
            known.notes,
            known.opened,
            known.scanned,
            known.mended,
            known.before,
        )
        start, end = self.start + by, self.end + by
        issues = tuple(moved(issue, by) for issue in self.issues) if self.issues else ()
        if (
            type(self) is Decoded
        ):  # there is a value in each of thousands of blocks, and ``replace`` takes three times as long
            return Decoded(self.ok, self.value, start, end, issues, self.cut, evidence)
        return replace(self, start=start, end=end, issues=issues, evidence=evidence)

    def is_cut(self, value: object) -> bool:
        """Return whether the end of the text left this container open.

        Example:
            >>> decoded = al.decode('{"a": [1, 2,')
            >>> decoded.value, decoded.is_cut(decoded.value["a"])
            ({'a': [1, 2]}, True)
        """
        return any(container is value for container in self.cut)

    def span_of(self, value: object) -> Span:
        """Return the span of one of its objects or calls; for anything else, the span of the whole value.

        Example:
            >>> text = '{"a": {"b": 1}}'
            >>> decoded = al.decode(text)
            >>> decoded.span_of(decoded.value["a"]).of(text)
            '{"b": 1}'
        """
        return self._spans.get(id(value), Span(self.start, self.end))

    def spans_of(self, values: Collection[object]) -> list[Span]:
        """Return the span of each of these; see ``span_of``.

        Example:
            >>> decoded = al.decode('[{"a": 1}, {"b": 2}]')
            >>> decoded.spans_of(decoded.value)
            [Span(start=1, end=9), Span(start=11, end=19)]
        """
        return [self.span_of(value) for value in values]


# It also matches at the end of the text: a pattern that fails there would be tried again inside the last string.
_BRACE_OUTSIDE_STRINGS = regex(r'(?:[^"{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+(?:([{}])|\Z)', re.DOTALL)


def objects_with_spans(value: Any, text: str, start: int, end: int) -> Iterator[tuple[JsonDict, Span]]:
    """Return the objects of a value with their spans, in text order."""
    objects = list(_objects(value))
    return zip(objects, _spans(text, start, end, len(objects)), strict=True)


def _objects(value: Any) -> Iterator[JsonDict]:
    """Yield the objects of a value, outer ones first and from left to right; no recursion."""
    waiting = [value] if isinstance(value, dict | list) else []
    while waiting:
        part = waiting.pop()
        if type(part) is dict:
            yield part
        parts = part.values() if type(part) is dict else part
        waiting += [inner for inner in reversed(parts) if type(inner) is dict or type(inner) is list]


def _spans(text: str, start: int, end: int, count: int) -> list[Span]:
    """Return the spans of a valid text's objects, in text order."""
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

    If no string holds any, they are found without a pattern, which checks each character.
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
    """Values with their places, in reading order; in columns, since there may be very many."""

    __slots__ = ("_places", "_values")

    def __init__(self) -> None:
        self._values: list[Any] = []
        self._places = array("I")

    def __iter__(self) -> Iterator[tuple[Any, int, int]]:
        return zip(self._values, self._places[::2], self._places[1::2], strict=True)

    def add(self, value: Any, start: int, end: int) -> None:
        """Add a value's place."""
        self._values.append(value)
        self._places.extend((start, end))

    def drop_last(self) -> None:
        """Drop the last value."""
        del self._values[-1], self._places[-2:]


def last_of(value: Any) -> Any:
    """Return the last value of a container; None if there is none."""
    parts = value.values() if isinstance(value, dict) else value
    return next(reversed(parts), None) if isinstance(value, dict | list) else None


def brief(value: Any) -> str:
    """Return a value for a sentence: in full if it is short, else its kind."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return "a call" if isinstance(value, Call) else repr(value)[:80]
