"""Patterns for the start of a line, searched line by line, and patterns that ignore case.

Trying ``^`` at each place of a text takes several times as long.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from actionledger.core.patterns import regex

_KEPT_OR_CAPITAL = regex(r"\\.|\(\?P[<=]\w+|[A-Z]", re.DOTALL)


class AnyCase:
    """A pattern that ignores case, compiled when first needed. A match's text may be in lower case."""

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self.pattern = pattern  # a regular expression with literal letters, or letters in classes
        self.flags = flags | re.IGNORECASE
        self._plain_flags = flags  # further flags of `re`

    @cached_property
    def _lower(self) -> re.Pattern[str]:
        lowered = _KEPT_OR_CAPITAL.sub(
            lambda found: found[0] if len(found[0]) > 1 else found[0].lower(), self.pattern
        )
        return re.compile(lowered, self._plain_flags)

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self.flags)

    def search(self, text: str) -> re.Match[str] | None:
        return self._lower.search(text.lower()) if text.isascii() else self._any.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """Return the match at the start of a text."""
        return self._lower.match(text.lower()) if text.isascii() else self._any.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Return the match of a whole text."""
        return self._lower.fullmatch(text.lower()) if text.isascii() else self._any.fullmatch(text)


class LineStart:
    """A pattern for the start of a line."""

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._here = regex(pattern, flags | re.MULTILINE)
        self._ahead = regex(rf"\n(?:{pattern})", flags | re.MULTILINE)

    @cached_property
    def match(self) -> Callable[..., re.Match[str] | None]:
        """The match at a place where a line begins."""
        return self._here.match

    def search(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        """Return the first match for a line that begins in ``text[start:end]``."""
        stop = len(text) if end is None else end
        begins_line = start == 0 or text[start - 1] == "\n"
        if begins_line and (found := self._here.match(text, start, stop)):
            return found
        ahead = self._ahead.search(text, start, stop)
        return self._here.match(text, ahead.start() + 1, stop) if ahead else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches for all lines, never overlapping."""
        at = 0
        while found := self.search(text, at):
            yield found
            at = found.end()
