"""The grammar's words as regular expressions, each with its purpose, and the values of numbers and words.

Three rules hold for all of them, because a text may be hostile and a megabyte long. Repetitions are possessive, so none
backtracks. Lookaheads are bounded in length, or skip only blanks, so that every character is read a fixed
number of times. And nothing possessive precedes an alternative that begins with what it has consumed.
"""

import json
import re
from typing import Any

from actionledger.core.patterns import regex

SPACES = r"[\s\ufeff\u200b-\u200d\u2060]"
"""Blanks of all alphabets and editors, with byte order marks and zero-width spaces, within a pattern."""

_LINE_AHEAD = r'(?:[^\n"]{0,100}+"[^\n"]{0,100}+"){0,4}+[^\n"]{0,200}+'  # with quotes in pairs, if any
_COMMENT_AHEAD = rf"(?:(?://|#){_LINE_AHEAD}(?=\n)|(?<=[ \t])(?://|#){_LINE_AHEAD}(?=\Z)|/\*(?:[^*]|\*(?!/)){{0,300}}+\*/|<!--(?:[^-]|-(?!->)){{0,300}}+-->)"
GAP = rf"{SPACES}*+(?:{_COMMENT_AHEAD}{SPACES}*+){{0,3}}+"
"""Blanks and comments, looking ahead."""

END = r"\Z|(?:`{3,}+|~{3,}+)[ \t]*+(?:\n|\Z)"
"""The latest end of a value: the text's end, or a closing fence."""

B = r"[ \t\r\n]*+"
"""JSON's blanks, within a pattern."""

STRING = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
"""A valid string."""

_NUMBER = r"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?(?![\w.])"
_LITERAL = r"(?:true|false|null|True|False|None)\b"
_SCALAR = rf"(?:{STRING}|{_NUMBER}|true|false|null)"

WIDE_COMMAS = "，；、"
"""Commas and semicolons of East Asian texts, which their writers also type between items."""

BLANKS = regex(B)
"""JSON's blanks."""

COLON = regex(rf"{B}:{B}")
"""A key's colon in correct JSON."""

NEXT = regex(rf"{B}([,}}\])])")
"""A comma or a closing bracket after a value in correct JSON."""

MEMBERS = regex(rf'(?:{B}{STRING}{B}:{B}{_SCALAR}{B},(?={B}"[^"\\\n]{{0,200}}+"{B}:)){{2,}}+')
"""Valid scalar members before another key: the C scanner reads them in one go."""

ELEMENTS = regex(rf'(?:{B}{_SCALAR}{B},(?={B}["\d\[{{tfn-])){{2,}}+')
"""The same for the elements of a list."""

_KEY_LETTER = r"(?:[\w$ .\-]|\\u[\da-fA-F]{4})"

UNOPENED_KEY = regex(rf'(?=[\w$\\]){_KEY_LETTER}{{1,60}}+(?="\s*+:)')
"""A key without its opening quote."""

WORD = regex(r"[^\W\d][\w$]*+(?:[.\-][\w$]++)*+")
"""A name: a literal, a call, a string's prefix or a text without quotes begins with one."""

WRAPPED_SCALAR = regex(rf"([^\W\d]\w{{0,60}}+)\({B}({_SCALAR}){B}\)")
"""A call with one argument that is valid JSON, in place of a value."""

ENDS_WORD = regex(r"(?=[ \t]*+(?:[^\w \t$@~.\\%&:!?'’<>=*^|\-/#]|\.\.\.|\Z)|[ \t]++(?:#|//|/\*))")
"""The end of a literal: no further text on its line."""

STRUCTURE_IN_COMMENT = regex(r"[ \t]*+[}\])]|,[ \t]*+[\"{\[]")
"""Text that is rare in a comment, and closes its container or continues it."""

STRUCTURE_BEHIND = regex(rf"{GAP}(?:[,;:}}\])]|(?:…|\.\.\.){GAP}[,}}\])])")
"""Punctuation of the grammar after a quote."""

CALL_AHEAD = regex(r"([^\W\d]\w*+(?:\.[^\W\d]\w*+)*+)[ \t]*+\(")
"""A call's name and bracket."""

KEYWORD = regex(r"(?P<name>[^\W\d]\w*+)[ \t]*+=(?!=)|([\"'])(?P<quoted>[^\W\d]\w*+)\2[ \t]*+[=:](?![=:])")
"""A named argument's name and its sign; the name may be in quotes."""

COMPARES = regex(r"[ \t]*+[=!]=")
"""Signs after a text in a call that make it part of an expression."""

UP_TO_QUOTE = regex(r'[^"\\\n]{0,300}+(?:\\.[^"\\\n]{0,100}+){0,20}+(?=")')
"""The rest of a line up to an unescaped quote."""

MEMBER_INSIDE = regex(r"[,;{\n]\s*+[\w$.\-]++\s*+:")
"""Text like a member without quotes in the middle of a text."""

_SCALAR_BEHIND = rf"[ \t]++(?:-?\d[\d.]*+|{_LITERAL})(?=[ \t]*+[,\]\n\d\-tfnTFN])"

SCALAR_BEHIND = regex(_SCALAR_BEHIND)
"""A number or a literal on the same line, without the comma before it."""

NUMBER_IN_A_ROW = regex(rf"(-?(?:0|[1-9]\d{{0,300}}+)(?:\.\d++)?(?:[eE][+-]?\d++)?){_SCALAR_BEHIND}")
"""A number with such a scalar after it."""

NUMBER = regex(
    r"[+-]?(?:0[xX][\da-fA-F_]++|0[oO][0-7_]++|0[bB][01_]++"
    r"|(?:\d[\d_]*+(?:\.(?!\.)[\d_]*+)?|\.\d[\d_]*+)(?:[eE][+-]?\d++)?)"
    r"(?![\w+\-:%$]|\.(?!\.\.)|/(?![/*])|[ \t]++[^\W\d_])"
)
"""A number as people and programming languages write it; not the beginning of a date, a time or a phrase."""

_SPREAD_NUMBER = regex(r"[+-][ \t]++(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?(?=\s*+(?:[,\]}]|\Z))")
"""A whole value with blanks after its sign."""

_INSIDE_NUMBERS, _NEAR = str.maketrans("", "", "_ \t"), 40

VALID_NUMBER = regex(r"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?")
"""A number as JSON writes it."""

BRACKET_INSIDE = regex(r"\s*+[{\[]")
"""A bracket right after a string's opening quote."""

UNCLOSED_KEY = regex(rf"((?=[\w$\\]){_KEY_LETTER}{{1,60}}?)[ \t]*+:")
"""A key without its closing quote: a few words up to the colon."""

DOUBLED_ONCE = regex(
    rf'"(?:("{{1,2}}+)((?=[\w$]){_KEY_LETTER}{{1,60}}+)"|((?=[\w$]){_KEY_LETTER}{{1,60}}+)"("{{1,2}}+))(?=\s*+:)'
)
"""A key with one of its quotes doubled."""

KEY_BEHIND = regex(rf"([\"']){_KEY_LETTER}{{1,60}}+\1\s*+:")
"""A key in quotes, after a string without its closing quote."""

CLOSED_TEXT = regex(r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"\s*+[,\]]')
"""A text in quotes, with what follows an element of a list."""

VALUE_AHEAD = regex(rf"\s*+(?:[\"'{{\[]|-?(?:0(?!\d)|[1-9])|{_LITERAL})")
"""The beginning of a value, without the colon or comma before it."""

THREE_DIGITS = regex(r"\d{3}(?![\d.])")
"""The digits after a blank in a number with grouped digits."""

# What may follow a closing quote. "Sure" is rare inside a text and is required of quotes that may be inside
# the string. "Any" is whatever a writer may mean; it is required of the first quote, which usually closes the string.

_SURE_KEY = (
    r"(?:\"[^\"\n]{0,200}+\"|'[^'\n]{0,200}+'|[“”„][^“”\n]{0,200}+[“”]|[‘’][^‘’\n]{0,200}+[‘’]|«[^»\n]{0,200}+»)"
    rf"{SPACES}*+(?:[:：]|=(?!=))"
)
_BARE_KEY_AHEAD = rf"[\w$][\w$.\-]{{0,100}}+\"?{SPACES}*+(?::(?!//)|：|=(?!=))"
_KEY_WITHOUT_COLON = rf"\"[^\"\n]{{0,200}}+\"{B}(?:[\"{{\[\d\-]|{_LITERAL})"
_SURE_VALUE = rf"(?:[\"'“„‘«`{{\[]|-?\d[\d.eE+\-]{{0,40}}+{SPACES}*+[,\])]|{_LITERAL})"
_ANY_VALUE = r"[\"'“”„‘’«`{\[(\-+.…\w]"
_ARGUMENT_NAME = rf"[^\W\d]\w{{0,100}}+{SPACES}*+=(?!=)"

SCALAR_AHEAD = rf"(?:-?\d[\d.eE+\-]{{0,40}}+|{_LITERAL})"
"""A number or a literal ahead."""

KEYS = {
    "sure": _SURE_KEY,
    "bare": rf"(?:{_SURE_KEY}|{_BARE_KEY_AHEAD})",
    "any": rf"(?:{_SURE_KEY}|{_BARE_KEY_AHEAD}|{_KEY_WITHOUT_COLON})",
}
"""A key ahead, by the required certainty; "bare" if the object's keys have no quotes."""

LINE_WITH_KEY = rf"[ \t]*+\r?\n{SPACES}*+{_BARE_KEY_AHEAD}"
"""A bare key on the next line, without the comma before it."""

VALUES = {"sure": _SURE_VALUE, "bare": _SURE_VALUE, "any": _ANY_VALUE}
"""The beginning of a value ahead, by the required certainty."""

ARGUMENTS = {sure: rf"(?:{_ARGUMENT_NAME}|{value})" for sure, value in VALUES.items()}
"""The beginning of a call's argument ahead, by the required certainty."""

BEHIND_BARE_TEXT = {
    "{": regex(rf"{GAP}(?:\}}|[,;]{GAP}(?:{KEYS['any']}|\}})|{_SURE_KEY})|{LINE_WITH_KEY}"),
    "[": regex(rf"{GAP}[,;\]]"),
}
"""The text after an unquoted text that shows its end, by container."""

SCALAR_ELEMENT = regex(rf"(?:\"[^\"\\\n]{{0,200}}+\"|-?\d[\d.]*+|{_LITERAL}){B}[,\]]")
"""An element of a list: a text, a number or a literal."""

DOUBLED_OPENER = regex(rf"\{{\{{(?={GAP}(?:{_SURE_KEY}|\}}\}}))")
"""A doubled bracket of an object, as in a Python template."""

SURE_KEY_AHEAD = regex(rf"{_SURE_KEY}|{_KEY_WITHOUT_COLON}")
"""A key in quotes."""

BARE_KEY_AHEAD = regex(_BARE_KEY_AHEAD)
"""A key without quotes."""

BEGINS_MEMBERS = regex(_SURE_KEY)
"""A key in quotes, without the object's bracket."""

ELEMENTS_WITHOUT_BRACKET = regex(rf"(?:{STRING}|-?\d[\d.]*+|{_LITERAL}){B},")
"""An element, without the list's bracket."""

GOES_ON = regex(rf"{GAP},{GAP}{KEYS['sure']}")
"""The continuation of an object after a bracket that seemed to close it."""

SCALAR_GOES_ON = regex(rf"{GAP}(?::|=>)|{B}\+{B}[\"']|{B},{GAP}(?:{_SURE_VALUE}|{_SURE_KEY})")
"""The continuation of a text or a number that is only the first part of something."""

BEHIND_VALUE = regex(rf"(?:{SPACES}++|[,;]|{_COMMENT_AHEAD})*+")
"""Text after a value that says nothing."""

ANOTHER_CONTAINER = regex(rf"\{{{GAP}(?:[\"'}}]|\w++{GAP}:)|\[{GAP}(?:{_SURE_VALUE}|\])")
"""The beginning of another value."""

ANOTHER_VALUE = regex(rf"{GAP},{GAP}{_SURE_VALUE}")
"""The continuation of a list after a bracket that seemed to close it."""

MORE_CLOSERS = regex(rf"{SPACES}*+([}}\])](?:{SPACES}*+[}}\])])*+){SPACES}*+")
"""Brackets after the outermost container."""

FENCE = regex(r"^[ \t]*(?:`{3,}+|~{3,}+)[^`\n]*+\n", re.MULTILINE)
"""The line that opens a fence, or one that closes it."""

END_OF_FENCE = regex(r"^[ \t]*(?:`{3,}+|~{3,}+)[ \t]*$", re.MULTILINE)
"""The line that closes a fence."""

PLAIN_OPENER = regex(rf"{SPACES}*+(\{{{GAP}{KEYS['bare']}|\[{GAP}\{{{GAP}{KEYS['bare']})")
"""The beginning of an object with a key, or of a list of such."""

WEAK_OPENER = regex(rf"\{{{SPACES}*+\}}|\[{GAP}(?:{_SURE_VALUE}|\])")
"""The beginning of another possible value in a text: an empty object, a list."""


_BEFORE_COMMENT = regex(r"[^#/]*+")
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
"""The literal of each word in some language."""

JSON_LITERALS = {word: json.dumps(value) for word, value in LITERALS.items()}
"""The same in the standard library's JSON."""

_BEGINNINGS = frozenset(word[:end] for word in LITERALS for end in range(2, len(word)))

AMBIGUOUS_WORDS = frozenset({"none", "nil", "yes", "no", "on", "off"})
"""Words that may be a literal or a text."""

STRING_PREFIXES = frozenset({"r", "b", "u", "f", "rb", "br", "fr", "rf"})
"""Python's prefixes of a string, in lower case."""


def is_doubtful(word: str) -> bool:
    """Return whether a word may be something other than a text: a literal, the start of one, or only signs."""
    if word.lower() in AMBIGUOUS_WORDS or not any(map(str.isalnum, word)):
        return True
    if _BEFORE_COMMENT.match(word)[0] in LITERALS:  # type: ignore[index]
        return True
    return word in _BEGINNINGS


def number_at(text: str, at: int) -> tuple[int | float, int, bool] | None:
    """Read a number."""
    match = NUMBER.match(text, at)
    if not match and _begins_value(text, at):
        match = _SPREAD_NUMBER.match(text, at)
    if not match:
        return None
    written = match[0]
    if VALID_NUMBER.fullmatch(written):
        is_integer = written.lstrip("-").isdigit()
        return int(written) if is_integer else float(written), match.end(), True
    return number_of(written), match.end(), False


def _begins_value(text: str, at: int) -> bool:
    """Return whether a sign that ends a key or an item, or opens a list, is before a place; otherwise a minus may subtract."""
    return text[max(0, at - _NEAR) : at].rstrip(" \t")[-1:] in {":", ",", "["}


def number_of(written: str) -> int | float:
    """Return the value of a number that JSON would write in another way."""
    written = written.translate(_INSIDE_NUMBERS)
    sign, digits = (-1, written[1:]) if written[0] == "-" else (1, written.lstrip("+"))
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"{len(digits)} digits")
    base = {"0x": 16, "0o": 8, "0b": 2}.get(digits[:2].lower())
    if base:
        return sign * int(digits[2:], base)
    return sign * (int(digits) if digits.isdigit() else float(digits))


def may_be_text(comment: str) -> bool:
    """Return whether a comment may be a text without its first quote, since it has an odd number of quotes."""
    return not comment.startswith("/*") and comment.count('"') % 2 == 1
