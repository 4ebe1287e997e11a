"""Text for display and storage: invisible characters, lone surrogates, plurals, and spreadsheet formulas. Pure.

Python's strings can contain lone surrogates, since a server may cut a character in two and JSON may escape one half alone.
UTF-8 can't contain them, so neither can a file, a database or a request.
"""

import json
from collections.abc import Sequence
from unicodedata import category, east_asian_width, name

from actionledger.core.patterns import regex

NO_NAME = "(none)"
"""Stands for a missing name, such as a recording's missing model."""

_LAYOUT = frozenset("\n\t")
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    map(chr, range(0xE0100, 0xE01F0))
)
"""Letters and marks without a visible shape."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_NAMES = {"\0": "NUL", "\r": "CR", "\n": "LF", "\t": "TAB", "\x1b": "ESC", "\x7f": "DEL", "\ufeff": "BOM"}
_JOINERS = frozenset("\u200c\u200d")
_FOR_LATER = frozenset({"Cn", "Co"})
"""Characters that are newer than this Python's tables, and private ones; other programs may show them."""

_HALF = regex("[\ud800-\udfff]")
_PAIR = regex("[\ud800-\udbff][\udc00-\udfff]")

_HALF_IN_JSON = regex(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def is_unseen(character: str) -> bool:
    """Return whether a character is invisible, or changes how its neighbours are shown; line breaks and tabs don't count."""
    if character.isascii():
        return not (character.isprintable() or character in _LAYOUT)
    return character in _BLANKS or category(character) in _UNSEEN


def token(character: str) -> str:
    """Return the token for an invisible character: its short name, or ``U+202E``."""
    return _NAMES.get(character) or f"U+{ord(character):04X}"


def described(character: str) -> str:
    """Return a character's name for people, such as ``U+202E RIGHT-TO-LEFT OVERRIDE``."""
    return f"U+{ord(character):04X} {name(character, _NAMES.get(character, ''))}".rstrip()


def first_unseen(text: str) -> str:
    """Return a description of the first character that is invisible or reverses its neighbours; empty if there is none.

    Line breaks and tabs are ignored; the caller decides about them. A joiner between two characters beyond ASCII is part of their
    spelling.
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
    r"""Return a text for a terminal or a single line, with unprintable characters as Python's escapes, such as ``\x1b``."""
    return "".join(mark if mark.isprintable() or mark in kept else ascii(mark)[1:-1] for mark in text)


def printable_json(text: str) -> str:
    r"""Return an equivalent JSON text with unprintable characters as JSON's escapes, such as ``\u001b``."""
    return "".join(mark if mark.isprintable() else json.dumps(mark)[1:-1] for mark in text)


def writable(text: str) -> str:
    """Return a text as it is stored: each lone surrogate becomes U+FFFD, one character for one, so that spans stay valid."""
    return _HALF.sub("\ufffd", text)


def escaped_halves(text: str) -> str:
    r"""Return a text that UTF-8 can encode, with each lone surrogate as its escape, such as ``\ud800``.

    Unlike ``writable``, it distinguishes texts that differ only in their surrogates: for hashes, and for strings in JSON and Python.
    """
    return text if text.isascii() else _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def joined_halves(text: str) -> str:
    """Return a text with neighbouring surrogate halves joined to their character; lone ones stay."""
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def ends_in_half(text: str) -> bool:
    """Return whether a text ends with the first half of a surrogate pair, so that the other half may follow."""
    return "\ud800" <= text[-1:] <= "\udbff"


def may_have_halves(json_text: str) -> bool:
    """Return whether a JSON text may contain a surrogate half, literally or as an escape."""
    return _HALF_IN_JSON.search(json_text) is not None


def utf8_with_halves(text: str) -> bytes:
    """Return a text in UTF-8, with surrogate halves encoded like characters; for bytes that are decoded again, never stored."""
    return text.encode("utf-8", "surrogatepass")


def from_utf8_with_halves(data: bytes) -> str:
    """Return the text that ``utf8_with_halves`` encoded.

    Raises:
        UnicodeDecodeError: the bytes are not such a text.
    """
    return data.decode("utf-8", "surrogatepass")


def from_any_bytes(data: bytes) -> str:
    """Return bytes that should be UTF-8 as a text; each invalid byte becomes a lone surrogate, so that none is lost."""
    return data.decode("utf-8", "surrogateescape")


def to_any_bytes(text: str) -> bytes:
    """Return the bytes that ``from_any_bytes`` decoded."""
    return text.encode("utf-8", "surrogateescape")


def _joins(text: str, at: int) -> bool:
    neighbours = text[at - 1 : at] + text[at + 1 : at + 2]
    return len(neighbours) == 2 and not any(map(str.isascii, neighbours)) and not set(neighbours) & _JOINERS


def visible(text: object) -> str:
    """Return a text on one line, with a token such as ``⟨U+202E⟩`` for each invisible character."""
    return laid_out(text).replace("\n", "⟨LF⟩").replace("\t", "⟨TAB⟩")


def laid_out(text: object) -> str:
    """Return a text with its line breaks and tabs, and a token for each other invisible character."""
    return "".join(f"⟨{token(character)}⟩" if is_unseen(character) else character for character in str(text))


def cut(text: str, longest: int) -> str:
    """Return a text; if it is longer than the limit, its end becomes an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def width(text: str) -> int:
    """Return the width of a text in terminal columns."""
    return sum(
        0 if category(character) in {"Mn", "Me"} else 2 if east_asian_width(character) in {"W", "F"} else 1
        for character in text
    )


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with its word, in the plural if needed: ``turn``, ``turn was``; by default the plural is the singular with an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def in_and_out(shown: int | None, written: int | None, *, unit: str = "tokens ", between: str = ", ") -> str:
    """Return input and output tokens in words; None is a number that is not recorded, and never 0."""
    taken = f"{unit}in not recorded" if shown is None else f"{shown:,} {unit}in"
    return f"{taken}{between}{'out not recorded' if written is None else f'{written:,} out'}"


def by_prices(sources: Sequence[str]) -> str:
    """Return the source of a cost that was not recorded: ``by a price file of 2026-01-01``."""
    return f"by {' and '.join(sources)}" if sources else "by prices"


FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""The first characters of formulas."""


def harmless(value: object) -> object:
    """Return a value for a CSV file; a text that would be a formula gets an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def sql_text(value: object) -> str:
    """Return a value as a text literal of SQL, for statements that bind no values."""
    return "'{}'".format(str(value).replace("'", "''"))
