"""Valid JSON, read by the C scanner of the standard library in one call, and the places of the actions in it.

No rule of the tolerant reader applies to a text that is read here, so none of them can misread a valid text.
The one exception is an object with a duplicate key: the tolerant reader knows where its keys are.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from json.decoder import JSONDecoder
from typing import Any, NoReturn, TypeAlias

from actionledger.core import canonical
from actionledger.core.canonical import JsonDict
from actionledger.core.frozen import made_quickly
from actionledger.core.patterns import regex
from actionledger.core.values import Repair, Span, rows_of
from actionledger.reading.tolerant_json.decoded import Decoded, Evidence


class DuplicateKeyError(Exception):
    """An object has the same key twice."""


def unique(pairs: list[tuple[str, Any]]) -> JsonDict:
    """Return an object's members if its keys are unique; called by the C scanner."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise DuplicateKeyError
    return made


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)  # NaN and Infinity are not JSON


_decoder = JSONDecoder(object_pairs_hook=unique, parse_constant=_refuse_constant)

scan = _decoder.scan_once  # type: ignore[attr-defined]
"""Read one valid value in C: ``scan(text, at)`` gives the value and its end, or raises one of SCAN_ERRORS."""

loads = _decoder.decode
"""Read a text that is one valid value, or raise one of SCAN_ERRORS."""

SCAN_ERRORS = (ValueError, StopIteration, DuplicateKeyError, RecursionError)


def read_valid(text: str, start: int, max_depth: int) -> tuple[Any, int] | None:
    """Read the value that begins at ``start``."""
    try:
        value, end = scan(text, start)
    except SCAN_ERRORS:
        return None
    if type(value) is dict or type(value) is list:
        may_be_deep = end - start > 2 * max_depth
        return None if may_be_deep and is_deeper(text, start, end, value, max_depth) else (value, end)
    is_glued = end < len(text) and (text[end].isalnum() or text[end] in "._+-") and text[start] != '"'
    return None if is_glued else (value, end)  # 0x1F and 1.2.3 are not the number that they begin with


def is_deeper(text: str, start: int, end: int, value: Any, levels: int) -> bool:
    """Return whether a value read from ``text[start:end]`` has more than this many levels of containers.

    Two counts clear nearly every value: each level takes two characters, one of them an opening bracket.
    """
    if end - start <= 2 * levels or text.count("{", start, end) + text.count("[", start, end) <= levels:
        return False
    return canonical.is_deeper(value, levels)


_BLANKS = r"[ \t\r\n]*+"
_KEY = rf'"[^"\\]*+"{_BLANKS}:{_BLANKS}'
_PLAIN_MEMBER = rf'{_KEY}(?:"(?:[^"\\]++|\\.)*+"|[^"\[\]{{}},]++){_BLANKS},{_BLANKS}'
_LIST = rf"\[{_BLANKS}(?=\{{)"

_LIST_NEAR = regex(rf"(?:\{{{_BLANKS}(?:{_PLAIN_MEMBER}){{0,8}}+{_KEY})?+{_LIST}", re.DOTALL)
"""A list of objects, or an object with one after a few plain members; after more of them it would be data."""

_BEGINS_OBJECT = regex(rf"\{{{_BLANKS}(?=\")")
_BEGINS_LIST = regex(_LIST)
_COLON = regex(rf"{_BLANKS}:{_BLANKS}")
_BEHIND_ITEM = regex(rf"{_BLANKS}(?:,{_BLANKS}|(\]))")
_BEHIND_MEMBER = regex(rf'{_BLANKS}(?:,{_BLANKS}(?=")|(\}}))')

Places: TypeAlias = dict[int, tuple[int, int]]
"""The start and end of objects, in code points, by their id."""


@made_quickly
@dataclass(frozen=True)
class Outlined(Decoded):
    """A valid value with the places of its outer objects."""

    # where the objects are that were read one by one, in the text of the evidence
    places: Places = field(default_factory=dict, repr=False, compare=False)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """The changes before it."""
        return self.evidence.before

    def spans_of(self, values: Collection[object]) -> list[Span]:
        """Return the spans of its objects; only inner ones must be searched for."""
        by = self.evidence.offset
        if len(values) == 1:
            (only,) = values
            if only is self.value:
                return [Span(self.start, self.end)]
        found = [place for value in values if (place := self.places.get(id(value)))]
        if len(found) < len(values):
            return super().spans_of(values)
        return rows_of(Span, [(start + by, end + by) for start, end in found] if by else found)

    def span_of(self, value: object) -> Span:
        """Return the span of one of its objects; only inner ones must be searched for."""
        if value is self.value:
            return Span(self.start, self.end)
        if place := self.places.get(id(value)):
            (start, end), by = place, self.evidence.offset
            return Span(start + by, end + by)
        return super().span_of(value)


def outlined(text: str, start: int, max_depth: int, offset: int = 0) -> Outlined | None:
    """Read the value that begins at ``start``."""
    places: Places = {}
    if _LIST_NEAR.match(text, start):
        read = _Walk(text, places).value_at(start, max_depth)
    else:
        read = read_valid(text, start, max_depth)
    if read is None:
        return None
    value, end = read
    return Outlined(
        ok=True,
        value=value,
        start=start + offset,
        end=end + offset,
        evidence=Evidence(text, offset, scanned=((value, start, end),)),
        places=places,
    )


class _NotWalkableError(Exception):
    """A sign is missing, or something is nested too deeply."""


class _Walk:
    """Walks the outer containers of a text's value."""

    def __init__(self, text: str, places: Places) -> None:
        self.text = text
        self.places = places

    def value_at(self, start: int, max_depth: int) -> tuple[Any, int] | None:
        """Read a list of objects, or an object with one; return it with its end, or None if it is unreadable."""
        read = self.list_at if self.text[start] == "[" else self.object_at
        try:
            return read(start, max_depth - 1)
        except (*SCAN_ERRORS, _NotWalkableError):
            return None

    def object_at(self, start: int, levels: int) -> tuple[JsonDict, int]:
        """Read an object member by member; return it with its end."""
        text = self.text
        members: list[tuple[str, Any]] = []
        sign = _sign(_BEGINS_OBJECT.match(text, start))
        while sign.lastindex is None:
            key, end = scan(text, sign.end())
            at = _sign(_COLON.match(text, end)).end()
            has_list = _BEGINS_LIST.match(text, at)
            value, end = self.list_at(at, levels - 1) if has_list else self._part_at(at, levels)
            members.append((key, value))
            sign = _sign(_BEHIND_MEMBER.match(text, end))
        return unique(members), sign.end()

    def list_at(self, start: int, levels: int) -> tuple[list[Any], int]:
        """Read a list item by item; see ``object_at``. Nearly always, a comma and a blank separate two items."""
        text, places, most = self.text, self.places, 2 * levels
        items: list[Any] = []
        at = _sign(_BEGINS_LIST.match(text, start)).end()
        while True:
            item, end = scan(text, at)
            if end - at > most and is_deeper(text, at, end, item, levels):
                raise _NotWalkableError
            items.append(item)
            if type(item) is dict:
                places[id(item)] = at, end
            if text[end : end + 3] == ", {":
                at = end + 2
                continue
            sign = _sign(_BEHIND_ITEM.match(text, end))
            at = sign.end()
            if sign.lastindex is not None:
                return items, at

    def _part_at(self, start: int, levels: int) -> tuple[Any, int]:
        """Read a value within the outer containers in one call."""
        value, end = scan(self.text, start)
        if end - start > 2 * levels and is_deeper(self.text, start, end, value, levels):
            raise _NotWalkableError
        return value, end


def _sign(match: re.Match[str] | None) -> re.Match[str]:
    """Return the match of a required sign."""
    if match is None:
        raise _NotWalkableError
    return match
