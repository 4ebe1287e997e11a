"""Where a block may begin: markdown fences with their info string, and literal openers such as tags.

Fences follow CommonMark 0.31, section 4.5: at least three backticks or tildes at the start of a line or of a list's item,
closed by a line of at least as many of the same. Two liberties, because models take them: any indentation, and a closer
that directly follows the block's value on the same line.

An embedded fence is none by that rule but looks like one: backticks with a label in the middle of a
line, or with a JSON value on the same line.
"""

import re
from collections.abc import Iterable
from enum import Enum
from functools import lru_cache
from itertools import groupby, takewhile
from typing import NamedTuple

from actionledger.core.patterns import regex


class OpeningKind(Enum):
    """The kinds of openings."""

    FENCE = "fence"
    EMBEDDED = "embedded"
    LITERAL = "literal"
    NEAR = "near"
    LINE = "line"
    QUOTE = "quote"

    __hash__ = object.__hash__  # each member exists once; the hash of its name is computed in Python


class Opening(NamedTuple):
    """A place where a block may begin."""

    # a fence, one embedded in a line, a literal, a near literal, something at the start of a line, or the mark of a block quote
    kind: OpeningKind
    # the first word of a fence's info string, in lower case and without invisible characters; else the opener's text
    label: str
    start: int  # where it begins, in code points
    # where the block's body begins: after the fence's line, or after the opener; for a fence with its value on the same line, after its label
    end: int
    mark: str = ""  # a fence's backticks or tildes; else empty


class Closing(NamedTuple):
    """Where a fenced block ends."""

    start: int  # where its body ends: before the closing fence's line, or at the end of the text
    end: int  # after the closing fence
    found: bool  # whether there is a closing fence


_NOTHING = "(?!)"
"""Matches nowhere."""
LIST_MARKERS = r"(?:[ \t]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)++)?+"
"""Marks that may precede the first content of a list's item; an item may begin with another one."""

HIDDEN = "\ufeff\u200b\u200c\u200d\u2060"
"""Invisible characters: byte order marks and characters without a width."""

_UNSEEN = dict.fromkeys(map(ord, HIDDEN))
_LABEL = r"[A-Za-z][\w.+#:-]*+"
_VALUE = r"""[ \t]*+(?:\{\s*+(?:["'“‘]|(?:actions?|next_actions|iteration)\s*+:)|\[\s*+\{)"""
"""A JSON value on the fence's line; ``{1,3-5}`` and ``{.python}`` there are attributes of a fence."""
_ENDS = r"[ \t]*+(?:\r?\n|\Z)"

_FENCE = rf"{LIST_MARKERS}(?P<fence>[ \t{HIDDEN}]*+(?P<mark>`{{3,}}+(?!(?:{_LABEL})?+{_VALUE})|~{{3,}}+)(?P<info>[^`\n]*+)$\n?)"
_QUOTE = r"[ ]{0,3}(?P<quote>>)(?!>>[A-Za-z_][\w.-]*+[ \t]*+\r?\n\s*+(?:\{|\Z))"
"""A block quote's mark; Functionary's message to a tool, with its object on the next line, is none."""
_EMBEDDED = (
    rf"```(?P<more>`*+)"
    rf"(?:(?P<label>{_LABEL})(?:{_ENDS}|(?={_VALUE}))|(?:{_ENDS})?+(?={_VALUE}))(?P<embedded>)"
)

_MARKERS = regex(rf"{LIST_MARKERS}[ \t]*+")
_LINE = 400
"""The searched part of a line before a place, in code points."""

_BLANKS = 64
"""The number of code points searched first for the blanks before a place."""


class Openers:
    """What may open a block."""

    def __init__(
        self,
        literals: frozenset[str],  # texts that open one anywhere
        lines: frozenset[str],  # regular expressions that open one at the start of a line, after its blanks
        fences: bool,  # whether fences do
        *,
        # regular expressions of near literals, each with a plain first character
        near: frozenset[str] = frozenset(),
        quotes: bool = False,  # whether the marks of block quotes are openings
    ) -> None:
        self._literals = literals
        self._here, self._ahead = _patterns(literals, lines, near, fences, quotes)

    def next(self, text: str, start: int, end: int, *, begins_line: bool = False) -> Opening | None:
        """Return the first opening in ``text[start:end]``, or None; ``begins_line`` treats its start as that of a line."""
        begins_line = begins_line or start == 0 or text[start - 1] == "\n"
        match = self._here.match(text, start, end) if begins_line else None
        match = match or self._ahead.search(text, start, end)
        return self._opening(match) if match else None

    def _opening(self, match: re.Match[str]) -> Opening:
        match match.lastgroup:
            case "fence":
                info = match["info"]
                label = _label_of(info) if info[_SHORT:] else _known_label(info)
                return Opening(OpeningKind.FENCE, label, match.start("fence"), match.end(), match["mark"])
            case "embedded":
                label, mark = (match["label"] or "").lower(), "```" + match["more"]
                return Opening(OpeningKind.EMBEDDED, label, match.start(), match.end(), mark)
            case "line" | "quote" as kind:
                return Opening(OpeningKind(kind), match[kind], match.start(kind), match.end())
            case _:
                is_literal = match[0] in self._literals
                return Opening(
                    OpeningKind.LITERAL if is_literal else OpeningKind.NEAR, match[0], *match.span()
                )


def _label_of(info: str) -> str:
    """Return the label in a fence's line."""
    words = info.translate(_UNSEEN).split(maxsplit=1)
    return words[0].lower() if words else ""


_SHORT = 40
_known_label = lru_cache(maxsize=256)(_label_of)
"""The same for short lines; the last ones are known."""


@lru_cache(maxsize=256)
def _patterns(
    literals: frozenset[str], lines: frozenset[str], near: frozenset[str], fences: bool, quotes: bool
) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of openers at the start of a line, and of those further on.

    Every alternative of the second one begins with a plain character, not a group: then the search is a loop in
    C over those characters. Trying ``^`` at each place takes three times as long for a few openers, seven times for all of them.
    """
    beginnings = [_FENCE] if fences else []
    if quotes:
        beginnings.append(_QUOTE)
    if lines:
        beginnings.append(rf"[ \t]*+(?P<line>{'|'.join(sorted(lines))})")
    here = "|".join(beginnings) or _NOTHING
    anywhere = [any_of(literals)] if literals else []
    anywhere += sorted(near)
    if fences:
        anywhere.append(_EMBEDDED)
    ahead = "|".join([rf"\n(?:{here})", *anywhere])
    return regex(here, re.MULTILINE), regex(ahead, re.MULTILINE)


def any_of(literals: Iterable[str]) -> str:
    """Return a pattern of literals; if two begin alike, the longer one is tried first."""
    return "|".join(map(_any_of_alike, _by_beginning(literals)))


def _by_beginning(literals: Iterable[str]) -> list[list[str]]:
    """Return literals in groups with the same first character."""
    return [list(same) for _, same in groupby(sorted(literals), key=lambda literal: literal[0])]


def _any_of_alike(literals: list[str]) -> str:
    """Return a pattern of sorted literals with the same first character; the longest one is tried first.

    Their common beginning is compared once: for a text with other tags, a hundred tags cost no more than a few.
    """
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(literals[0], literals[-1], strict=False))
    start = "".join(sign for sign, _ in shared)
    rest = [literal.removeprefix(start) for literal in literals if literal != start]
    if not rest:
        return re.escape(start)
    further = any_of(rest)
    return f"{re.escape(start)}(?:{further}){'?' if start in literals else ''}"


def begins_on_its_line(opening: Opening, text: str) -> bool:
    """Return whether an embedded fence has its value on the same line."""
    return not text.endswith("\n", opening.start, opening.end) and opening.end < len(text)


def behind_mark(opening: Opening, text: str) -> int:
    """Return where a fence's backticks or tildes end; more than a label may follow on the line."""
    return text.index(opening.mark, opening.start) + len(opening.mark)


def is_fence(opening: Opening, text: str) -> bool:
    """Return whether a fence that may hold code opens here, whether or not a dialect reads it.

    Embedded backticks without a label may also close something. An embedded fence with a value on its line is inline
    code, unless it begins the line and nothing on that line closes it.
    """
    if opening.kind is not OpeningKind.EMBEDDED:
        return opening.kind is OpeningKind.FENCE
    if not begins_on_its_line(opening, text):
        return bool(opening.label)
    if not at_line_start(text, opening.start):
        return False
    stop = text.find("\n", opening.end)
    return "`" not in text[opening.end : stop if stop >= 0 else None]


def at_line_start(text: str, at: int) -> bool:
    """Return whether only blanks are before a place on its line.

    It goes back only over these blanks: going to the line's start would cost the whole line for each opening on it.
    """
    window = _BLANKS
    while True:
        before = text[max(0, at - window) : at]
        solid = before.rstrip()
        if solid or window >= at or "\n" in before:
            return not solid or "\n" in before[len(solid) :]
        window *= 8


def text_before(text: str, start: int) -> str:
    """Return the text before a place on its line, without list markers; for a long line, its end."""
    nearest = max(0, start - _LINE)
    begins = max(text.rfind("\n", nearest, start) + 1, nearest)
    before = text[begins:start]
    marker = _MARKERS.match(before)
    return before[marker.end() :] if marker else before
