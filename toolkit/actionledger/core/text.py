"""Texts that are shown, stored and counted: what nobody sees, what nothing can hold, plurals, and what a spreadsheet takes for a formula. Pure.

Python's strings can hold half of a surrogate pair: a server cut a character in two, or a JSON text names one half by its
escape. UTF-8 can't hold it, so neither can a file, a database or a request.
"""

import json
from collections.abc import Sequence
from unicodedata import category, east_asian_width, name

from actionledger.core.patterns import regex

NO_NAME = "(none)"
"""What stands where something has no name, such as the model of a recording that names none."""

_LAYOUT = frozenset("\n\t")
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    map(chr, range(0xE0100, 0xE01F0))
)
"""Letters and marks that look like nothing."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_NAMES = {"\0": "NUL", "\r": "CR", "\n": "LF", "\t": "TAB", "\x1b": "ESC", "\x7f": "DEL", "\ufeff": "BOM"}
_JOINERS = frozenset("\u200c\u200d")
_FOR_LATER = frozenset({"Cn", "Co"})
"""Characters that this Python's tables don't know yet, and private ones: those that do show them."""

_HALF = regex("[\ud800-\udfff]")
_PAIR = regex("[\ud800-\udbff][\udc00-\udfff]")

_HALF_IN_JSON = regex(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def is_unseen(character: str) -> bool:
    """Return whether a character shows nothing, or changes how its neighbours are shown; line breaks and tabs don't count."""
    if character.isascii():
        return not (character.isprintable() or character in _LAYOUT)
    return character in _BLANKS or category(character) in _UNSEEN


def token(character: str) -> str:
    """Return what stands for a character that can't be seen: its short name, or ``U+202E``."""
    return _NAMES.get(character) or f"U+{ord(character):04X}"


def described(character: str) -> str:
    """Return a character's name for people, such as ``U+202E RIGHT-TO-LEFT OVERRIDE``."""
    return f"U+{ord(character):04X} {name(character, _NAMES.get(character, ''))}".rstrip()


def first_unseen(text: str) -> str:
    """Return the first character that shows nothing, or turns its neighbours round, described; empty where there is none.

    Line breaks and tabs are for the caller to judge. A joiner between two characters beyond ASCII belongs to how these are written.
    """
    for at, character in enumerate(text):
        if character.isascii() and character.isprintable():
            continue
        if character in _JOINERS and _joins(text, at):
            continue
        if is_unseen(character) and category(character) not in _FOR_LATER:
            return described(character)
    return ""


def printable(text: str, kept: str = "") -> str:
    r"""Return a text for a terminal or a line of its own: what can't be printed as Python's escape, such as ``\x1b``.

    Args:
        text: whatever is to be shown.
        kept: characters that stay as they are, such as line breaks.
    """
    return "".join(mark if mark.isprintable() or mark in kept else ascii(mark)[1:-1] for mark in text)


def printable_json(text: str) -> str:
    r"""Return a JSON text that means the same: what can't be printed as JSON's escape, such as ``\u001b``."""
    return "".join(mark if mark.isprintable() else json.dumps(mark)[1:-1] for mark in text)


def writable(text: str) -> str:
    """Return a text as it is stored: each half of a surrogate pair as U+FFFD, one character for one, so that spans hold."""
    return _HALF.sub("\ufffd", text)


def escaped_halves(text: str) -> str:
    r"""Return a text that UTF-8 can hold, with each half of a surrogate pair as its escape, such as ``\ud800``.

    Other than ``writable``, it keeps texts apart that differ in their halves alone: for hashes, and for strings in JSON and Python.
    """
    return text if text.isascii() else _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def joined_halves(text: str) -> str:
    """Return a text whose neighbouring halves are the character that they make; halves that stand alone stay."""
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def ends_in_half(text: str) -> bool:
    """Return whether the first half of a surrogate pair is at a text's end, so that its other one may follow."""
    return "\ud800" <= text[-1:] <= "\udbff"


def may_have_halves(json_text: str) -> bool:
    """Return whether a JSON text may hold a half, as it is or by its escape."""
    return _HALF_IN_JSON.search(json_text) is not None


def utf8_with_halves(text: str) -> bytes:
    """Return a text in UTF-8, halves of surrogate pairs as if they were characters: for bytes that are read back, never stored."""
    return text.encode("utf-8", "surrogatepass")


def from_utf8_with_halves(data: bytes) -> str:
    """Return the text that ``utf8_with_halves`` wrote.

    Raises:
        UnicodeDecodeError: the bytes are no such text.
    """
    return data.decode("utf-8", "surrogatepass")


def from_any_bytes(data: bytes) -> str:
    """Return bytes that should be UTF-8 as a text; each byte that is none is half of a surrogate pair, so that none is lost."""
    return data.decode("utf-8", "surrogateescape")


def to_any_bytes(text: str) -> bytes:
    """Return the bytes that ``from_any_bytes`` took.

    Raises:
        UnicodeEncodeError: the text holds half of a surrogate pair that stands for no byte.
    """
    return text.encode("utf-8", "surrogateescape")


def _joins(text: str, at: int) -> bool:
    neighbours = text[at - 1 : at] + text[at + 1 : at + 2]
    return len(neighbours) == 2 and not any(map(str.isascii, neighbours)) and not set(neighbours) & _JOINERS


def visible(text: object) -> str:
    """Return a text on one line with a token such as ``⟨U+202E⟩`` for each character that can't be seen.

    Args:
        text: whatever is to be shown.
    """
    return laid_out(text).replace("\n", "⟨LF⟩").replace("\t", "⟨TAB⟩")


def laid_out(text: object) -> str:
    """Return a text with its line breaks and tabs, and a token for each other character that can't be seen.

    Args:
        text: whatever is to be shown.
    """
    return "".join(f"⟨{token(character)}⟩" if is_unseen(character) else character for character in str(text))


def cut(text: str, longest: int) -> str:
    """Return a text, its end replaced by an ellipsis where it is longer than so many characters."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(
        0 if category(character) in {"Mn", "Me"} else 2 if east_asian_width(character) in {"W", "F"} else 1
        for character in text
    )


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with its word, in the plural where it needs one.

    Args:
        count: how many.
        one: of what, in the singular, with whatever changes with it: ``turn``, ``turn was``.
        many: the plural; if not given, the singular with an s.
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def by_prices(sources: Sequence[str]) -> str:
    """Return what a cost is by that no recording says: ``by a price file of 2026-01-01``.

    Args:
        sources: the prices, as ``price_sources`` gives them.
    """
    return f"by {' and '.join(sources)}" if sources else "by prices"


FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a formula begins with."""


def harmless(value: object) -> object:
    """Return a value as a CSV has it: a text that would be a formula behind an apostrophe, anything else as it is.

    Args:
        value: a cell, or a column's name.
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
