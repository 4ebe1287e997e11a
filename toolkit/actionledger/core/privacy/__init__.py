"""Masks secrets with asterisks, one for each character, before a line reaches the disk or the model; spans stay valid.

It works on JSON lines, not on texts. A quote within a text has one backslash before it, within JSON in that text three, and so
on. If an even number of backslashes is before a quote, the line's own string ends there. Quotes, backslashes before them and
line breaks are unchanged, so a line stays the same JSON.

``tokens`` and ``issuers`` recognise secrets by their form, ``named`` by their names, ``headers`` by their place and ``custom`` by a user's patterns.
``escapes`` decodes JSON's other spellings of a character. Each pattern begins with a literal that most lines don't contain, which is searched for
first. If everyday words or recorded field names begin with it too, the literal includes some of what must follow.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Protocol

from ahocorasick_rs import BytesAhoCorasick, Implementation

from actionledger.core.privacy import custom
from actionledger.core.privacy.escapes import SPELLINGS, Span, masked, seen_through
from actionledger.core.privacy.headers import HEADERS
from actionledger.core.privacy.issuers import ISSUERS
from actionledger.core.privacy.named import NAMED
from actionledger.core.privacy.tokens import TOKENS
from actionledger.core.text import from_utf8_with_halves, utf8_with_halves

__all__ = ["mask", "mask_lines", "mask_text"]


_OTHER = -1

Literal = tuple[int, int]
"""A literal in a text: the number of its kind, and where it begins."""


class Kind(Protocol):
    """A kind of secrets."""

    @property
    def needles(self) -> Sequence[bytes]:
        """The literals of this kind; a line without any has no such secret."""

    def spans(self, text: bytes, lowered: bytes, starts: Sequence[int]) -> Iterable[Span]:
        """Return the spans of secrets of this kind."""


class _Prefilter:
    """Finds in one pass over a line which kinds of secrets it may contain, and where their literals are."""

    def __init__(self, cased: Sequence[Kind], lowered: Sequence[Kind], others: Sequence[bytes] = ()) -> None:
        self._kinds = [*cased, *lowered]
        # Literals that differ only in case are searched for once; a match is then compared exactly.
        letters: dict[tuple[int, bytes], set[bytes]] = {(_OTHER, needle): {needle} for needle in others}
        for number, kind in enumerate(self._kinds):
            for needle in kind.needles:
                letters.setdefault((number, needle.lower()), set()).add(needle)
        self._numbers = [number for number, _ in letters]
        self._letters = [found if number < len(cased) else None for (number, _), found in letters.items()]
        # More than 64 ranges of bytes in the literals would double the automaton, which then no longer fits a cache.
        self._automaton = BytesAhoCorasick(
            [needle.lower() for _, needle in letters], implementation=Implementation.DFA
        )

    def literals(self, text: bytes, lowered: bytes) -> list[Literal]:
        """Return a text's literals and where each begins, in no order."""
        letters, numbers = self._letters, self._numbers
        return [
            (numbers[index], start)
            for index, start, end in self._automaton.find_matches_as_indexes(lowered, overlapping=True)
            if (exact := letters[index]) is None or text[start:end] in exact
        ]

    def kinds(self, literals: Sequence[Literal]) -> tuple[list[tuple[Kind, list[int]]], bool]:
        """Return the kinds of these literals, each with their positions, and whether any other literal is among them."""
        found: dict[int, list[int]] = {}
        for number, start in literals:
            found.setdefault(number, []).append(start)
        is_other = found.pop(_OTHER, None) is not None
        return [(self._kinds[number], starts) for number, starts in found.items()], is_other


_PREFILTER = _Prefilter((*TOKENS, *ISSUERS), (*NAMED, *HEADERS), SPELLINGS)


def mask(line: bytes) -> bytes:
    """Replace every character of every secret in a line of JSON in UTF-8 by an asterisk; a line without any is returned itself."""
    lowered = line.lower()
    return _masked(line, lowered, _PREFILTER.literals(line, lowered))


def mask_lines(lines: Sequence[bytes]) -> list[bytes]:
    """As ``mask`` for several lines, which are searched together."""
    if custom.known():
        return [mask(line) for line in lines]
    text = b"\n".join(lines)
    lowered = text.lower()
    literals = _PREFILTER.literals(text, lowered)
    kept = [*lines]
    if literals:
        starts = [0, *accumulate(map((1).__add__, map(len, lines)))]
        for index, found in _in_lines(literals, starts).items():
            kept[index] = _masked(lines[index], lowered[starts[index] : starts[index + 1] - 1], found)
    return kept


def _in_lines(literals: Sequence[Literal], starts: Sequence[int]) -> dict[int, list[Literal]]:
    """Return the literals of each line that has any, by the line's index; ``starts`` is where each line begins, and the text's end."""
    found: dict[int, list[Literal]] = {}
    for number, place in literals:
        index = bisect_right(starts, place) - 1
        found.setdefault(index, []).append((number, place - starts[index]))
    return found


def _masked(line: bytes, lowered: bytes, literals: Sequence[Literal]) -> bytes:
    if not literals and not custom.known():
        return line  # true for nine of ten lines
    kinds, is_spelled = _PREFILTER.kinds(literals)
    view = seen_through(line) if is_spelled else None
    # Most escapes are not another spelling of a printable character, so the first search is valid for them.
    if view is not None and view.starts:
        lowered = view.text.lower()
        kinds, _ = _PREFILTER.kinds(_PREFILTER.literals(view.text, lowered))
        found = [view.in_line(span) for span in _spans(kinds, view.text, lowered)]
    else:
        found = _spans(kinds, line, lowered)
    if custom.known():
        found += custom.spans(line)
    return masked(line, sorted(found)) if found else line


def _spans(kinds: Sequence[tuple[Kind, list[int]]], text: bytes, lowered: bytes) -> list[Span]:
    """Return the spans of secrets of some kinds."""
    return [span for kind, starts in kinds for span in kind.spans(text, lowered, starts)]


def mask_text(text: str) -> str:
    """Replace every character of every secret in a text by an asterisk, as the text would be recorded; a text without any is returned itself."""
    # A text can contain a lone surrogate, but UTF-8 can't.
    line = utf8_with_halves(json.dumps(text, ensure_ascii=False))
    kept = mask(line)
    return text if kept is line else str(json.loads(from_utf8_with_halves(kept)))
