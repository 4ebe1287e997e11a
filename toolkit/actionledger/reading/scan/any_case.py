"""Patterns to which capitals and small letters are the same, asked about short texts.

A pattern that ignores case is tried at each place, for no character is known that it begins with. Nearly all texts are ASCII, and
in lower case an equal pattern finds the same in them, several times as fast.
"""

import re
from functools import cached_property

_KEPT_OR_CAPITAL = re.compile(r"\\.|\(\?P[<=]\w+|[A-Z]", re.DOTALL)


class AnyCase:
    """A pattern that ignores case; nothing is compiled before it is needed. What a match holds may be in lower case.

    Args:
        pattern: a regular expression in which letters stand for themselves, or in classes.
        flags: further flags of ``re``.
    """

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self.pattern = pattern
        self.flags = flags | re.IGNORECASE
        self._plain_flags = flags

    @cached_property
    def _lower(self) -> re.Pattern[str]:
        lowered = _KEPT_OR_CAPITAL.sub(
            lambda found: found[0] if len(found[0]) > 1 else found[0].lower(), self.pattern
        )
        return re.compile(lowered, self._plain_flags)

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self.flags)

    def search_lowered(self, text: str) -> re.Match[str] | None:
        """Return the first match in a text that is ASCII and in lower case already."""
        return self._lower.search(text)

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in a text."""
        return self._lower.search(text.lower()) if text.isascii() else self._any.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """Return the match that a text begins with."""
        return self._lower.match(text.lower()) if text.isascii() else self._any.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Return the match that is all of a text."""
        return self._lower.fullmatch(text.lower()) if text.isascii() else self._any.fullmatch(text)
