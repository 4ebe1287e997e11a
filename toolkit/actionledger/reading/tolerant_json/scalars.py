"""Numbers and words: what stands for a value without being a string or a container."""

import json
import re
from typing import Any

from actionledger.reading.tolerant_json.patterns import NUMBER, VALID_NUMBER

_BEFORE_COMMENT = re.compile(r"[^#/]*+")
_MOST_DIGITS = 3_500  # Python refuses to write more than 4,300 in decimal, and hexadecimal has fewer

VALID_LITERALS = frozenset({"true", "false", "null"})

LITERALS: dict[str, Any] = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
    "null": None,
    "None": None,
    "NULL": None,
    "Null": None,
    "undefined": None,
    "NaN": float("nan"),
    "nan": float("nan"),
    "Infinity": float("inf"),
    "inf": float("inf"),
}
"""What a word stands for in one language or another."""

JSON_LITERALS = {word: json.dumps(value) for word, value in LITERALS.items()}
"""How the standard library's JSON writes that."""

_BEGINNINGS = frozenset(word[:end] for word in LITERALS for end in range(2, len(word)))

AMBIGUOUS_WORDS = frozenset({"none", "nil", "yes", "no", "on", "off"})
"""Words that are a literal to some and a text to others."""

STRING_PREFIXES = frozenset({"r", "b", "u", "f", "rb", "br", "fr", "rf"})
"""What Python puts before a string, in lower case."""


def is_doubtful(word: str) -> bool:
    """Return whether a word may be something else than a text: a literal, the beginning of one, mere signs."""
    if word.lower() in AMBIGUOUS_WORDS or not any(map(str.isalnum, word)):
        return True
    if _BEFORE_COMMENT.match(word)[0] in LITERALS:  # type: ignore[index]
        return True
    return word in _BEGINNINGS


def number_at(text: str, at: int) -> tuple[int | float, int, bool] | None:
    """Read a number."""
    match = NUMBER.match(text, at)
    if not match:
        return None
    written = match[0]
    if VALID_NUMBER.fullmatch(written):
        is_integer = written.lstrip("-").isdigit()
        return int(written) if is_integer else float(written), match.end(), True
    return _number(written.replace("_", "")), match.end(), False


def _number(written: str) -> int | float:
    sign, digits = (-1, written[1:]) if written[0] == "-" else (1, written.lstrip("+"))
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"{len(digits)} digits")
    base = {"0x": 16, "0o": 8, "0b": 2}.get(digits[:2].lower())
    if base:
        return sign * int(digits[2:], base)
    return sign * (int(digits) if digits.isdigit() else float(digits))


def may_be_text(comment: str) -> bool:
    """Return whether a comment may be a text that lacks its first quote: it has an odd number of quotes."""
    return not comment.startswith("/*") and comment.count('"') % 2 == 1
