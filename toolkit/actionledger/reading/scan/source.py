"""A response being parsed: its text, and the searches known to fail in the rest of it.

Searching for a missing closer costs the rest of the text. A miss is remembered, so that ten thousand openers without
a closer take linear time. Unnecessary reading after the end of a block is counted, too.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

from actionledger.core.patterns import regex
from actionledger.reading.scan.line_starts import LineStart
from actionledger.reading.scan.openings import HIDDEN, Closing, Opening, OpeningKind, begins_on_its_line

_BLANK_REST = regex(r"\s*+\Z")
_STOPS = r"(?:<\|\w{1,24}\|>|</s>|<end_of_turn>|\[/INST\])*"
"""Stop tokens of models, which some servers leave after the last fence."""

_FOLLOWS = regex(rf"[ \t\r\n{HIDDEN}]*(`{{3,}}|~{{3,}})[ \t{HIDDEN}]*(?={_STOPS}\r?$)", re.MULTILINE)
_FOLLOWS_ON_LINE = regex(r"[ \t]*(`{3,})")

_Answer = TypeVar("_Answer")

Searched: TypeAlias = re.Pattern[str] | LineStart
"""A searchable pattern."""


class Source:
    """One response, any string, with the names that the model was offered (None: unknown); if it is cut, its end may be incomplete."""

    def __init__(self, text: str, names: frozenset[str] | None = None, *, is_cut: bool = False) -> None:
        self.text = text
        self.names = names
        self.is_cut = is_cut
        self._found: dict[str, tuple[int, int]] = {}
        self._missing: dict[str, tuple[int, int]] = {}
        self._unclosed: dict[str, tuple[int, int]] = {}
        # By the pattern's id: its hash is computed anew each time. The pattern is kept too, so that no other one gets its id.
        self._next: dict[int, tuple[int, int, int, Searched]] = {}
        self._held: dict[int, tuple[bool, Searched]] = {}
        self._overrun = 2 * len(text)
        self._answers: dict[object, tuple[tuple[object, ...], Any]] = {}
        self._memories: dict[Callable[[], Any], Any] = {}

    def once(self, asked: tuple[object, ...], answer: Callable[[], _Answer]) -> _Answer:
        """Return the answer to a question that several dialects ask in sequence about the same place."""
        known, found = self._answers.get(asked[0], ((), None))
        if asked != known:
            found = answer()
            self._answers[asked[0]] = asked, found
        answered: _Answer = found
        return answered

    def memory(self, kind: Callable[[], _Answer]) -> _Answer:
        """Return the memory for one kind of questions about this text; made on first use."""
        if kind not in self._memories:
            self._memories[kind] = kind()
        found: _Answer = self._memories[kind]
        return found

    def find(self, needle: str, start: int, end: int) -> int:
        """Return where the needle is in ``text[start:end]``, or -1; a repeated search before the hit is cached."""
        asked, at = self._found.get(needle, (0, -1))
        if asked <= start <= at:
            return at if at + len(needle) <= end else -1
        if self._missing and _holds(self._missing.get(needle), start, end):
            return -1
        at = self.text.find(needle, start, end)
        if at < 0:
            self._missing[needle] = start, end
        else:
            self._found[needle] = start, at
        return at

    def search(self, pattern: Searched, start: int, end: int) -> int:
        """Return where a pattern next matches in ``text[start:end]``, or ``end``; a repeated search before the hit is cached."""
        known = self._next.get(id(pattern))
        if known is not None and known[1] == end and known[0] <= start <= known[2]:
            return known[2]
        match = pattern.search(self.text, start, end)
        at = match.start() if match else end
        self._next[id(pattern)] = start, end, at, pattern
        return at

    def closing_fence(self, opening: Opening, start: int, end: int) -> Closing:
        """Return where a fenced block closes by CommonMark's rule: the first matching line from ``start`` on."""
        if _holds(self._unclosed.get(opening.mark), start, end):
            return Closing(end, end, found=False)
        if match := _closer(opening.mark).search(self.text, start, end):
            return Closing(match.start(), match.end(), found=True)
        self._unclosed[opening.mark] = start, end
        return Closing(end, end, found=False)

    def closing_behind(self, opening: Opening, start: int, end: int) -> Closing | None:
        """Return where a fenced block closes after its value: a fence, the end of the text, or None if text follows."""
        match = _FOLLOWS.match(self.text, start, end)
        if not match and opening.kind is OpeningKind.EMBEDDED and begins_on_its_line(opening, self.text):
            match = _FOLLOWS_ON_LINE.match(self.text, start, end)
        if match and match[1].startswith(opening.mark):
            return Closing(start, match.end(), found=True)
        return Closing(start, end, found=False) if _BLANK_REST.match(self.text, start, end) else None

    def overran(self, count: int) -> None:
        """Note the number of characters read unnecessarily after a block's end."""
        self._overrun -= max(0, count)

    @property
    def may_overrun(self) -> bool:
        """Whether a value may be read beyond its apparent end, since a string in it may hold that end.

        False after too much unnecessary reading.
        """
        return self._overrun >= 0

    def holds(self, pattern: Searched) -> bool:
        """Return whether a pattern matches anywhere in the text."""
        if id(pattern) not in self._held:
            self._held[id(pattern)] = pattern.search(self.text) is not None, pattern
        return self._held[id(pattern)][0]


def _holds(known: tuple[int, int] | None, start: int, end: int) -> bool:
    return known is not None and known[0] <= start and end <= known[1]


@lru_cache(maxsize=64)
def _closer(mark: str) -> LineStart:
    return LineStart(rf"[ \t{HIDDEN}]*{re.escape(mark[0])}{{{len(mark)},}}[ \t{HIDDEN}]*(?={_STOPS}\r?$)")
