r"""JSON's other spellings of a character: seen through when secrets are looked for, and hidden with them.

``sk-`` may be written ``\u0073k-`` and a slash ``\/``, on the line's own level or in JSON within a text of it.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from actionledger.core.patterns import regex

Span = tuple[int, int]
"""Where something stands, in bytes: the first, and the one behind the last."""

SPELLINGS = (b"\\u00", b"\\/")
"""What a line holds that spells a character otherwise."""

# A quote and a backslash stay as they are spelled: their level of quoting is told by the backslashes before them.
_PRINTABLE = rb"(2[013-9a-fA-F]|[346][0-9a-fA-F]|5[0-9abdefABDEF]|7[0-9a-eA-E])"
_SPELLED = regex(rb"\\++(?:u00" + _PRINTABLE + rb"|/)")
_LETTER = regex(rb"\\u00" + _PRINTABLE)

_PARTS = regex(rb"(\\++)(?:u([0-9a-fA-F]{4})|(/)|[\x00-\x7f])?+|\"|[^\\\"]++")
_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))


@dataclass(frozen=True, slots=True)
class View:
    """A line in which every printable character is spelled as itself.

    Args:
        text: the line so.
        starts, ends: where each spelling that was replaced by one character stands in ``text``, and where it ends in the line.
    """

    text: bytes
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def in_line(self, span: Span) -> Span:
        """Return where something of ``text`` stands in the line."""
        return (self._at(span[0]), self._at(span[1])) if self.starts else span

    def _at(self, position: int) -> int:
        # A spelling is one character of the text, so no position lies within one.
        place = bisect_right(self.starts, position - 1) - 1
        return position if place < 0 else self.ends[place] + position - self.starts[place] - 1


def seen_through(line: bytes) -> View:
    """Return a line in which letters, digits and signs are spelled as themselves."""
    # Escapes of line breaks, colours and accents are common, and there are lines with thousands.
    if b"\\/" not in line and not _LETTER.search(line):
        return View(line)
    return respelled(line, _SPELLED, lambda found: bytes([int(found[1], 16)]) if found[1] else b"/")


def respelled(text: bytes, escapes: re.Pattern[bytes], character: Callable[[re.Match[bytes]], bytes]) -> View:
    """Return a text with the character that each escape stands for.

    Args:
        text: the text.
        escapes: what is one.
        character: says which one it stands for.
    """
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
    """Return a line with asterisks for what is in some spans."""
    parts: list[bytes] = []
    position = 0
    for start, end in spans:
        parts += (line[position:start], _PARTS.sub(_asterisks, line[max(position, start) : end]))
        position = max(position, end)
    result = b"".join((*parts, line[position:]))
    return line if result == line else result


def _asterisks(found: re.Match[bytes]) -> bytes:
    """Return asterisks for a character, as many as the line's own string has there; what holds the line together stays."""
    backslashes, code, slash = found.groups()
    if backslashes is None:
        return found[0] if found[0] == b'"' else b"*" * len(found[0].translate(None, _CONTINUATION_BYTES))
    # Two backslashes are one of the line's own string; an odd one is the line's own escape.
    above, is_own = divmod(len(backslashes), 2)
    if slash:
        return b"*" * (above + 1)
    if code is None or int(code, 16) < ord(" "):
        return found[0]
    if not is_own:
        return b"*" * (above + len("u0041"))
    is_second_half = 0xDC00 <= int(code, 16) <= 0xDFFF
    return b"*" * (above + (not is_second_half))
