"""Where a block may begin: markdown fences with their info string, and literal openers such as tags.

Fences follow CommonMark 0.31, section 4.5: at least three backticks or tildes at the start of a line, closed by a line
of at least as many of the same. Two liberties, because models take them: any indentation, and a closer that directly
follows the block's value on the same line.
"""

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple


class OpeningKind(Enum):
    """What a block may begin with."""

    FENCE = "fence"
    LITERAL = "literal"
    LINE = "line"


class Opening(NamedTuple):
    """A place where a block may begin.

    Args:
        kind: a fence, a literal, or something at the start of a line.
        label: the first word of a fence's info string, in lower case; else the text that opens.
        start: where it begins, in code points.
        end: where the block's body begins: behind the fence's line, else behind the text that opens.
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
_FENCE = r"(?P<fence>[ \t]*+(?P<mark>`{3,}+|~{3,}+)(?P<info>[^`\n]*+)$\n?)"


class Openers:
    """What may open a block.

    Args:
        literals: texts that open one anywhere.
        lines: regular expressions that open one at the start of a line, behind its blanks.
        fences: whether fences do.
    """

    def __init__(self, literals: frozenset[str], lines: frozenset[str], fences: bool) -> None:
        self._here, self._ahead = _patterns(literals, lines, fences)

    def next(self, text: str, start: int, end: int) -> Opening | None:
        """Return the first opening in ``text[start:end]``, or None."""
        begins_line = start == 0 or text[start - 1] == "\n"
        match = self._here.match(text, start, end) if begins_line else None
        match = match or self._ahead.search(text, start, end)
        return _opening_of(match) if match else None


@lru_cache(maxsize=256)
def _patterns(
    literals: frozenset[str], lines: frozenset[str], fences: bool
) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of what opens a block where a line begins, and of what does further on.

    Every alternative of the second one begins with a plain character, for then the search is a loop in C over those
    characters. Trying ``^`` at each place takes three times as long for a few openers, seven times for all of them.
    """
    at_line_start = [_FENCE] if fences else []
    if lines:
        at_line_start.append(rf"[ \t]*+(?P<line>{'|'.join(sorted(lines))})")
    here = "|".join(at_line_start) or _NOTHING
    longest_first = sorted(literals, key=lambda literal: (-len(literal), literal))
    ahead = "|".join([rf"\n(?:{here})", *map(re.escape, longest_first)])
    return re.compile(here, re.MULTILINE), re.compile(ahead, re.MULTILINE)


def _opening_of(match: re.Match[str]) -> Opening:
    if match.lastgroup == "fence":
        words = match["info"].split(maxsplit=1)
        label = words[0].lower() if words else ""
        return Opening(OpeningKind.FENCE, label, match.start("fence"), match.end(), match["mark"])
    if match.lastgroup == "line":
        return Opening(OpeningKind.LINE, match["line"], match.start("line"), match.end())
    return Opening(OpeningKind.LITERAL, match[0], match.start(), match.end())
