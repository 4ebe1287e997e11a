"""Values that are broken, cut, or not to be acted on: repeated ones read only once, open brackets, a key with two values."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from json import JSONDecodeError
from typing import Any

from actionledger.core.canonical import JsonDict
from actionledger.core.patterns import regex
from actionledger.core.values import Issue
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import Decoded
from actionledger.reading.tolerant_json.decoded import brief
from actionledger.reading.tolerant_json.faults import DecodeOptions
from actionledger.reading.tolerant_json.valid import SCAN_ERRORS, scan

_LONGEST = 200
"""The maximal length of a cached value, in code points; longer ones are rarely repeated."""

_MOST = 1_000
"""The maximum of cached values per text."""


class BrokenValues:
    """The broken values of one text without content: unreadable and empty ones.

    A value with content is read again each time, since the content belongs to only one action.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Decoded] = {}

    def read(
        self,
        text: str,
        start: int,
        reach: tuple[int | None, int],
        options: DecodeOptions,
        read: Callable[[], Decoded],
    ) -> Decoded:
        """Return the result of a broken value."""
        closer, bound = reach
        if bound - start > _LONGEST or bound >= len(text):
            return read()
        asked = text[start:bound], None if closer is None else closer - start, options
        if known := self._known.get(asked):
            return known.moved(start)
        found = read()
        if (not found.value or (isinstance(found.value, list) and not any(found.value))) and len(
            self._known
        ) < _MOST:
            self._known[asked] = found.moved(-start)
        return found


class _TwoValuesError(Exception):
    def __init__(self, key: str, first: object, second: object) -> None:
        super().__init__(key)
        self.key = key
        self.detail = f"The key is {key[:80]!r}; its values are {brief(first)} and {brief(second)}."


def unless_doubtful(text: str, decoded: Decoded) -> Decoded:
    """Return a value, or refuse it if a duplicate key has two values, or a number is not finite.

    A duplicate key with the same value stays an issue, since either value will do.
    """
    issue = (_no_number(decoded) or _contradiction(text, decoded)) if decoded.ok else None
    return replace(decoded, ok=False, value=None, issues=(issue,), cut=()) if issue else decoded


def _no_number(decoded: Decoded) -> Issue | None:
    """Return the issue of a word that was read as a non-finite number."""
    for repair in decoded.repairs:
        if repair.kind is RepairKind.NON_FINITE_NUMBER:
            return Issue(Reason.NON_FINITE_NUMBER, repair.span)
    return None


def _contradiction(text: str, decoded: Decoded) -> Issue | None:
    """Return the issue of a key with two values; a text that is also broken is not checked."""
    twice = [issue for issue in decoded.issues if issue.code is Reason.DUPLICATE_KEY]
    if not twice:
        return None
    try:
        _decoder.decode(text[decoded.start : decoded.end])
    except _TwoValuesError as error:
        places = [
            issue.span for issue in twice if issue.span and issue.span.of(text).strip("\"'") == error.key
        ]
        return Issue(Reason.DUPLICATE_KEY, places[0] if places else twice[0].span, error.detail)
    except (ValueError, RecursionError):
        return twice[0]
    return None


def _agreeing(pairs: list[tuple[str, Any]]) -> JsonDict:
    made: JsonDict = {}
    for key, value in pairs:
        if key in made and json.dumps(made[key], sort_keys=True) != json.dumps(value, sort_keys=True):
            raise _TwoValuesError(key, made[key], value)
        made[key] = value
    return made


_decoder = json.JSONDecoder(object_pairs_hook=_agreeing, strict=False)


_BRACKET = regex(r'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+(?:"|\\?\Z))*+(?:([{\[])|([}\]])|\Z)', re.DOTALL)
_BEGINNINGS = frozenset(
    {"-", *(word[:end] for word in ("true", "false", "null") for end in range(len(word)))}
)
_LONGEST_WORD = len("false")
_LEVELS = 500
"""The number of levels that the C scanner reads at once here; it gives up beyond a thousand."""


class OpenBrackets:
    """The known facts about values of one text that its end cuts through."""

    def __init__(self) -> None:
        self._text = ""
        self._cut = (0, -1)
        self._places: frozenset[int] | None = None

    def note(self, text: str, start: int, end: int) -> None:
        """Note that the value that begins at ``start`` is cut at ``end``; its brackets are searched on request."""
        self._text, self._cut, self._places = text, (start, end), None

    def hold(self, start: int, end: int) -> bool:
        """Return whether a bracket of the last noted value begins at ``start`` and is still open at ``end``."""
        first, last = self._cut
        if end != last or start <= first:
            return False
        if self._places is None:
            self._places = frozenset(_left_open(self._text, first, last))
        return start in self._places


def _left_open(text: str, start: int, end: int) -> list[int]:
    """Return where the brackets are that are open at the end; none if a level too deep for the C scanner is invalid JSON."""
    places: list[int] = []
    for match in _BRACKET.finditer(text, start, end):
        if match[1]:
            places.append(match.start(1))
        elif match[2] and places:
            places.pop()
    bounds = [*places[::_LEVELS], end]
    pieces = (text[at : min(until + 1, end)] for at, until in pairwise(bounds))
    return places if len(bounds) == 2 or all(ends_inside(piece, 0) for piece in pieces) else []


def ends_inside(text: str, start: int) -> bool:
    """Return whether a text may end within the valid value that begins at ``start``, even one too deep for the C scanner."""
    try:
        _, end = scan(text, start)
    except StopIteration as stopped:
        at = int(stopped.value)
        return text[at : at + _LONGEST_WORD] in _BEGINNINGS
    except JSONDecodeError as error:
        is_escape = error.msg.startswith("Invalid \\") and error.pos >= len(text) - len("\\u0000")
        return error.pos >= len(text) or error.msg.startswith("Unterminated string") or is_escape
    except RecursionError:
        return True
    except SCAN_ERRORS:
        return False
    return bool(end == len(text))
