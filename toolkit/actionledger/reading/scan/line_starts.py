"""Patterns of what a line begins with, searched for from one line break to the next.

Trying ``^`` at each place of a text takes several times as long.
"""

import re
from collections.abc import Iterator


class LineStart:
    """What a line begins with.

    Args:
        pattern: a regular expression.
        flags: those of ``re``.
    """

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._here = re.compile(pattern, flags | re.MULTILINE)
        self._ahead = re.compile(rf"\n(?:{pattern})", flags | re.MULTILINE)
        self.match = self._here.match

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
