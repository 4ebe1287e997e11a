r"""Unescape the text between two quotes, also if it is not written as JSON.

A writer of a backslash that begins no escape did not think of escapes at all. So in such a string ``\b`` and ``\f`` are a
backslash and a letter too, since they are never written on purpose (``\bword\d`` is a pattern). In a Windows path every
backslash is one. ``\n``, ``\t``, ``\r``, ``\\`` and ``\"`` keep their meaning everywhere.

Consecutive faults of one kind are one fault: a stretch from the first to the last. So a text with a thousand
line breaks has one, and the stretches of different kinds never overlap.
"""

import re
from collections.abc import Callable, Iterator
from io import StringIO
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.encoder import encode_basestring
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.vocabulary import RepairKind
from actionledger.reading.tolerant_json.notes import Notes

CONTROL = r"[\x00-\x1f]"
"""Characters that JSON requires escaped in a string, besides quotes and backslashes."""

_UNICODE = r"u[0-9a-fA-F]{4}"
_BAD_ESCAPE_AHEAD = regex(rf'(?:[^\\]++|\\(?:["\\/bfnrt]|{_UNICODE}))*+\\')
_WINDOWS_PATH = regex(r'[A-Za-z]:(?:\\[^\\/:*?"<>|\x00-\x1f]++)+\\?')
_UNESCAPED_QUOTE = regex(r'(\\.)|"', re.DOTALL)
_CONTROL = regex(CONTROL)


def _valid_escape(letters: str) -> str:
    return rf'\\(?:["\\/nrt{letters}]|{_UNICODE})'


def _bad_escape(letters: str) -> str:
    return rf'\\(?!["\\/nrt{letters}]|{_UNICODE})(?:x[0-9a-fA-F]{{2}}|.)?'


def _up_to_fault(letters: str) -> re.Pattern[str]:
    """Return the pattern of valid text and the faults after it, with a group for each kind."""
    fine = rf'(?:[^"\\\x00-\x1f]++|{_valid_escape(letters)})*+'
    stretches = "|".join(
        rf"(?P<{kind.value}>{fault}(?:{fine}{fault})*+)"
        for kind, fault in (
            (RepairKind.INNER_QUOTE, '"'),
            (RepairKind.CONTROL_CHARACTER, CONTROL),
            (RepairKind.ESCAPE, _bad_escape(letters)),
        )
    )
    return regex(rf"{fine}(?:{stretches})", re.DOTALL)


class _Manner(NamedTuple):
    """A way of escaping: the pattern up to the next faults, and that of a single escape, good or bad."""

    up_to_fault: re.Pattern[str]
    escape: re.Pattern[str]

    def with_good_escapes(self, text: str) -> str:
        """Return a text with its bad escapes replaced by JSON's."""
        return self.escape.sub(lambda match: match[1] or _good_escape(match[0]), text)


def _manner(letters: str) -> _Manner:
    escape = rf"({_valid_escape(letters)})|{_bad_escape(letters)}"
    return _Manner(_up_to_fault(letters), regex(escape, re.DOTALL))


_CAREFUL = _manner("bf")
_CARELESS = _manner("")


def unescape(text: str, notes: Notes, offset: int = 0) -> str:
    """Return the meaning of a text between quotes, with bad escapes and unescaped quotes resolved."""
    if "\\" not in text:
        if '"' in text or _CONTROL.search(text):
            for fault in _faults(text, _CAREFUL):
                _note(fault, notes, offset)
        return text
    is_careless = _BAD_ESCAPE_AHEAD.match(text) is not None
    if is_careless and _WINDOWS_PATH.fullmatch(text):
        first, last = text.find("\\"), text.rfind("\\") + 1
        _note((RepairKind.ESCAPE, first, last, _with_backslashes_doubled), notes, offset)
        return text
    mended, at = StringIO(), 0  # a list of many pieces takes many times their memory
    for fault in _faults(text, _CARELESS if is_careless else _CAREFUL):
        _note(fault, notes, offset)
        _, start, end, after = fault
        mended.write(text[at:start])
        mended.write(after(text[start:end]))
        at = end
    mended.write(text[at:] + '"')
    return scanstring(mended.getvalue(), 0)[0]  # type: ignore[no-any-return]


_Fault = tuple[RepairKind, int, int, Callable[[str], str]]
"""The kind, start and end of a stretch of faults, and the function that returns JSON's form."""


def _faults(text: str, manner: _Manner) -> Iterator[_Fault]:
    """Yield the stretches of faults, in text order."""
    match = manner.up_to_fault.match(text)
    while match:
        assert match.lastgroup is not None
        kind = RepairKind(match.lastgroup)
        yield kind, *match.span(match.lastgroup), _AFTER.get(kind) or manner.with_good_escapes
        match = manner.up_to_fault.match(text, match.end())


def _note(fault: _Fault, notes: Notes, offset: int) -> None:
    kind, start, end, after = fault
    notes.recent.append((kind, start + offset, end + offset, after))
    notes.pack()


def value_of(text: str) -> str:
    """Return the meaning of a text between quotes."""
    return unescape(text, Notes()) if "\\" in text else text


def requoted(written: str) -> str:
    """Return a string in other quotes as a JSON string."""
    return encode_basestring(value_of(written[1:-1]))


def doubly_requoted(written: str) -> str:
    """Return a string in doubled quotes, or in escaped ones, as a JSON string."""
    return encode_basestring(value_of(written[2:-2]))


def triple_requoted(written: str) -> str:
    """Return a string in triple quotes as a JSON string."""
    return encode_basestring(value_of(written[3:-3]))


def escaped(text: str) -> str:
    """Return a text as it is written in a JSON string."""
    return encode_basestring(text)[1:-1]


def _with_quotes_escaped(text: str) -> str:
    return _UNESCAPED_QUOTE.sub(lambda match: match[1] or '\\"', text)


def with_controls_escaped(text: str) -> str:
    """Escape the control characters of a text that is otherwise valid in a JSON string."""
    return _CONTROL.sub(lambda match: escaped(match[0]), text)


def _with_backslashes_doubled(text: str) -> str:
    return text.replace("\\", "\\\\")


def _good_escape(fault: str) -> str:
    """Return JSON's form of a bad escape."""
    if fault in {"\\'", "\\`"}:
        return fault[1]
    if len(fault) == len(r"\x41"):
        return "\\u00" + fault[2:]
    return escaped(fault)


_AFTER = {
    RepairKind.INNER_QUOTE: _with_quotes_escaped,
    RepairKind.CONTROL_CHARACTER: with_controls_escaped,
}
