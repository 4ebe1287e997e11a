r"""JSON's other spellings of a character: decoded to search for secrets, and masked with them.

``sk-`` may be written ``\u0073k-`` and a slash ``\/``, on the line's own level or in JSON within a text of it.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from actionledger.core.patterns import regex

Span = tuple[int, int]
"""A span in bytes: the first byte, and the one after the last."""

SPELLINGS = (*(b"\\u00%d" % digit for digit in range(2, 8)), b"\\/")
"""The literals of lines that may spell a printable character otherwise; terminal colours and binary texts have many other escapes."""

# Quotes and backslashes stay as they are spelled, since the backslashes before them show their level of quoting.
_PRINTABLE = rb"(2[013-9a-fA-F]|[346][0-9a-fA-F]|5[0-9abdefABDEF]|7[0-9a-eA-E])"
_SPELLED = regex(rb"\\++(?:u00" + _PRINTABLE + rb"|/)")
_LETTER = regex(rb"\\u00" + _PRINTABLE)

_PARTS = regex(rb"(\\++)(?:u([0-9a-fA-F]{4})|(/)|[\x00-\x7f])?+|\"|[^\\\"]++")
_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))


@dataclass(frozen=True, slots=True)
class View:
    """A line with every printable character spelled as itself."""

    text: bytes  # the decoded line
    # starts, ends: the position in `text` of each spelling that became one character, and its end in the line
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def in_line(self, span: Span) -> Span:
        """Return the span in the line of a span in ``text``."""
        return (self._at(span[0]), self._at(span[1])) if self.starts else span

    def _at(self, position: int) -> int:
        # A spelling is one character of the text, so no position is within one.
        place = bisect_right(self.starts, position - 1) - 1
        return position if place < 0 else self.ends[place] + position - self.starts[place] - 1


def seen_through(line: bytes) -> View:
    """Return a line with letters, digits and signs spelled as themselves."""
    # Escapes of line breaks, colours and accents are common, and some lines have thousands.
    if b"\\/" not in line and not _LETTER.search(line):
        return View(line)
    return respelled(line, _SPELLED, lambda found: bytes([int(found[1], 16)]) if found[1] else b"/")


def respelled(text: bytes, escapes: re.Pattern[bytes], character: Callable[[re.Match[bytes]], bytes]) -> View:
    """Return a text with each escape replaced by its character."""
    parts: list[bytes] = []
    starts: list[int] = []
    ends: list[int] = []
    position = length = 0
    for found in escapes.finditer(text):
        before = text[position : found.start()]
        parts += (before, character(found))
        length += len(before)
        starts.append(length)
        length += 1
        position = found.end()
        ends.append(position)
    return View(b"".join((*parts, text[position:])), starts, ends) if starts else View(text)


def masked(line: bytes, spans: list[Span]) -> bytes:
    """Return a line with the characters of some spans replaced by asterisks."""
    parts: list[bytes] = []
    position = 0
    for start, end in spans:
        parts += (line[position:start], _PARTS.sub(_asterisks, line[max(position, start) : end]))
        position = max(position, end)
    result = b"".join((*parts, line[position:]))
    return line if result == line else result


def _asterisks(found: re.Match[bytes]) -> bytes:
    """Return as many asterisks as the line's own string has characters there; quotes and other escapes that keep the line valid are unchanged."""
    backslashes, code, slash = found.groups()
    if backslashes is None:
        return found[0] if found[0] == b'"' else b"*" * len(found[0].translate(None, _CONTINUATION_BYTES))
    # Two backslashes are one in the line's own string; an odd one begins an escape of the line.
    above, is_own = divmod(len(backslashes), 2)
    if slash:
        return b"*" * (above + 1)
    if code is None or int(code, 16) < ord(" "):
        return found[0]
    if not is_own:
        return b"*" * (above + len("u0041"))
    is_second_half = 0xDC00 <= int(code, 16) <= 0xDFFF
    return b"*" * (above + (not is_second_half))
