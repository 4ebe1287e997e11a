"""Where a block may begin: markdown fences with their info string, and literal openers such as tags.

Fences follow CommonMark 0.31, section 4.5: at least three backticks or tildes at the start of a line or of a list's item,
closed by a line of at least as many of the same. Two liberties, because models take them: any indentation, and a closer
that directly follows the block's value on the same line.

What is no fence there and looks like one to others is told apart as embedded: backticks with a label in the middle of a
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
    """What a block may begin with."""

    FENCE = "fence"
    EMBEDDED = "embedded"
    LITERAL = "literal"
    NEAR = "near"
    LINE = "line"
    QUOTE = "quote"

    __hash__ = object.__hash__  # each is there once; the hash of its name is computed in Python


class Opening(NamedTuple):
    """A place where a block may begin.

    Args:
        kind: a fence, one embedded in a line, a literal, what is nearly one, something at the start of a line, or the
            mark of a block quote.
        label: the first word of a fence's info string, in lower case and without what nobody sees in it; else the text that opens.
        start: where it begins, in code points.
        end: where the block's body begins: behind the fence's line, else behind the text that opens; of a fence with its
            value on the same line, behind its label.
        mark: a fence's backticks or tildes; else empty.
    """

    kind: OpeningKind
    label: str
    start: int
    end: int
    mark: str = ""


class Closing(NamedTuple):
    """Where a fenced block ends.

    Args:
        start: where its body ends: before the closing fence's line, or at the end of the text.
        end: behind the closing fence.
        found: whether there is a closing fence.
    """

    start: int
    end: int
    found: bool


_NOTHING = "(?!)"
"""Matches nowhere."""
LIST_MARKERS = r"(?:[ \t]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)++)?+"
"""What may stand before the first thing in a list's item; an item may begin with another one."""

HIDDEN = "\ufeff\u200b\u200c\u200d\u2060"
"""What nobody sees: byte order marks and characters without a width."""

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
"""How much of a line is looked at before a place, in code points."""

_BLANKS = 64
"""How many code points are looked at first for the blanks before a place."""


class Openers:
    """What may open a block.

    Args:
        literals: texts that open one anywhere.
        lines: regular expressions that open one at the start of a line, behind its blanks.
        fences: whether fences do.
        near: regular expressions of what is nearly a literal, each with a plain character first.
        quotes: whether the marks of block quotes are openings.
    """

    def __init__(
        self,
        literals: frozenset[str],
        lines: frozenset[str],
        fences: bool,
        *,
        near: frozenset[str] = frozenset(),
        quotes: bool = False,
    ) -> None:
        self._literals = literals
        self._here, self._ahead = _patterns(literals, lines, near, fences, quotes)

    def next(self, text: str, start: int, end: int, *, begins_line: bool = False) -> Opening | None:
        """Return the first opening in ``text[start:end]``, or None; it may be said that a line as good as begins there."""
        begins_line = begins_line or start == 0 or text[start - 1] == "\n"
        match = self._here.match(text, start, end) if begins_line else None
        match = match or self._ahead.search(text, start, end)
        return self._opening(match) if match else None

    def _opening(self, match: re.Match[str]) -> Opening:
        match match.lastgroup:
            case "fence":
                words = match["info"].translate(_UNSEEN).split(maxsplit=1)
                label = words[0].lower() if words else ""
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


@lru_cache(maxsize=256)
def _patterns(
    literals: frozenset[str], lines: frozenset[str], near: frozenset[str], fences: bool, quotes: bool
) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of what opens a block where a line begins, and of what does further on.

    Every alternative of the second one begins with a plain character, not with a group, for then the search is a loop in
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
    """Return a pattern of literals; of two that begin alike, the longest one is tried first."""
    return "|".join(map(_any_of_alike, _by_beginning(literals)))


def _by_beginning(literals: Iterable[str]) -> list[list[str]]:
    """Return literals in groups with the same first character."""
    return [list(same) for _, same in groupby(sorted(literals), key=lambda literal: literal[0])]


def _any_of_alike(literals: list[str]) -> str:
    """Return a pattern of literals in order that begin with the same character; the longest one is tried first.

    What they begin with is looked at once: a hundred tags cost a text with other tags no more than a few.
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
    """Return where the backticks or tildes of a fence end: what is behind them on its line may be more than a label."""
    return text.index(opening.mark, opening.start) + len(opening.mark)


def is_fence(opening: Opening, text: str) -> bool:
    """Return whether a fence opens here that code may stand in, whoever's it is.

    Embedded backticks without a label may as well close something. An embedded fence with a value on its line is inline
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
    """Return whether nothing but blanks stands before a place on its line.

    It looks back over these blanks alone: going to where the line begins costs the line once for each opening on it.
    """
    window = _BLANKS
    while True:
        before = text[max(0, at - window) : at]
        solid = before.rstrip()
        if solid or window >= at or "\n" in before:
            return not solid or "\n" in before[len(solid) :]
        window *= 8


def text_before(text: str, start: int) -> str:
    """Return what stands before a place on its line, the markers of a list left out; of a long line its end."""
    nearest = max(0, start - _LINE)
    begins = max(text.rfind("\n", nearest, start) + 1, nearest)
    before = text[begins:start]
    marker = _MARKERS.match(before)
    return before[marker.end() :] if marker else before
