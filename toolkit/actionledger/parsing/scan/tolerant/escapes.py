r"""What the text between two quotes stands for, where it is not written as JSON writes it.

Who writes a backslash that begins no escape did not think of escapes at all. So in such a string ``\b`` and ``\f``,
which nobody writes on purpose, are a backslash and a letter too (``\bword\d`` is a pattern), and in a Windows path every
backslash is one. ``\n``, ``\t``, ``\r``, ``\\`` and ``\"`` stay what they are everywhere.

Faults of one kind that follow each other are one fault: a stretch from the first to the last. So a text with a thousand
line breaks has one, and the stretches of different kinds never overlap.
"""

import re
from collections.abc import Callable, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.encoder import encode_basestring
from typing import NamedTuple

from actionledger.vocabulary import RepairKind

CONTROL = r"[\x00-\x1f]"
"""What JSON wants escaped in a string, besides quotes and backslashes."""

_UNICODE = r"u[0-9a-fA-F]{4}"
_BAD_ESCAPE_AHEAD = re.compile(rf'(?:[^\\]++|\\(?:["\\/bfnrt]|{_UNICODE}))*+\\')
_WINDOWS_PATH = re.compile(r'[A-Za-z]:(?:\\[^\\/:*?"<>|\x00-\x1f]++)+\\?')
_UNESCAPED_QUOTE = re.compile(r'(\\.)|"', re.DOTALL)
_CONTROL = re.compile(CONTROL)


def _valid_escape(letters: str) -> str:
    return rf'\\(?:["\\/nrt{letters}]|{_UNICODE})'


def _bad_escape(letters: str) -> str:
    return rf'\\(?!["\\/nrt{letters}]|{_UNICODE})(?:x[0-9a-fA-F]{{2}}|.)?'


def _up_to_fault(letters: str) -> re.Pattern[str]:
    """Return the pattern of valid text and the stretch of faults behind it, in a group for each kind."""
    fine = rf'(?:[^"\\\x00-\x1f]++|{_valid_escape(letters)})*+'
    stretches = "|".join(
        rf"(?P<{kind.value}>{fault}(?:{fine}{fault})*+)"
        for kind, fault in (
            (RepairKind.INNER_QUOTE, '"'),
            (RepairKind.CONTROL_CHARACTER, CONTROL),
            (RepairKind.ESCAPE, _bad_escape(letters)),
        )
    )
    return re.compile(rf"{fine}(?:{stretches})", re.DOTALL)


class _Manner(NamedTuple):
    """How a writer escapes: the pattern up to the next faults, and the one of a single escape, good or bad."""

    up_to_fault: re.Pattern[str]
    escape: re.Pattern[str]

    def with_good_escapes(self, text: str) -> str:
        """Return a text with its bad escapes written as JSON writes what they stand for."""
        return self.escape.sub(lambda match: match[1] or _good_escape(match[0]), text)


def _manner(letters: str) -> _Manner:
    escape = rf"({_valid_escape(letters)})|{_bad_escape(letters)}"
    return _Manner(_up_to_fault(letters), re.compile(escape, re.DOTALL))


_CAREFUL = _manner("bf")
_CARELESS = _manner("")


class Fault(NamedTuple):
    """A stretch of a text with faults of one kind.

    Args:
        kind: which kind.
        start: where it begins in the text.
        end: where it ends.
        after: the function that says, of the stretch, how JSON would have it.
    """

    kind: RepairKind
    start: int
    end: int
    after: Callable[[str], str]


class Unescaped(NamedTuple):
    """What a text between quotes stands for.

    Args:
        value: the string.
        faults: what is wrong with it in a JSON string, in text order.
    """

    value: str
    faults: Sequence[Fault] = ()


def unescape(text: str) -> Unescaped:
    """Return what a text between quotes stands for, bad escapes and unescaped quotes included."""
    if "\\" not in text:
        is_plain = '"' not in text and not _CONTROL.search(text)
        return Unescaped(text) if is_plain else Unescaped(text, _faults(text, _CAREFUL))
    is_careless = _BAD_ESCAPE_AHEAD.match(text) is not None
    if is_careless and _WINDOWS_PATH.fullmatch(text):
        first, last = text.find("\\"), text.rfind("\\") + 1
        return Unescaped(text, [Fault(RepairKind.ESCAPE, first, last, _with_backslashes_doubled)])
    faults = _faults(text, _CARELESS if is_careless else _CAREFUL)
    value, _ = scanstring(_mended(text, faults) + '"', 0)
    return Unescaped(value, faults)


def _faults(text: str, manner: _Manner) -> list[Fault]:
    """Return the stretches of faults, in text order."""
    found: list[Fault] = []
    after = {**_AFTER, RepairKind.ESCAPE: manner.with_good_escapes}
    match = manner.up_to_fault.match(text)
    while match:
        assert match.lastgroup is not None
        kind = RepairKind(match.lastgroup)
        found.append(Fault(kind, *match.span(kind.value), after[kind]))
        match = manner.up_to_fault.match(text, match.end())
    return found


def _mended(text: str, faults: Sequence[Fault]) -> str:
    """Return a text as JSON would have it between quotes."""
    pieces: list[str] = []
    at = 0
    for _, start, end, after in faults:
        pieces += (text[at:start], after(text[start:end]))
        at = end
    return "".join((*pieces, text[at:]))


def escaped(text: str) -> str:
    """Return what stands in a JSON string for a text."""
    return encode_basestring(text)[1:-1]


def _with_quotes_escaped(text: str) -> str:
    return _UNESCAPED_QUOTE.sub(lambda match: match[1] or '\\"', text)


def with_controls_escaped(text: str) -> str:
    """Return a text that is valid in a JSON string but for raw control characters as JSON would have it."""
    return _CONTROL.sub(lambda match: escaped(match[0]), text)


def _with_backslashes_doubled(text: str) -> str:
    return text.replace("\\", "\\\\")


def _good_escape(fault: str) -> str:
    """Return how JSON writes what a bad escape stands for."""
    if fault in {"\\'", "\\`"}:
        return fault[1]
    if len(fault) == len(r"\x41"):
        return "\\u00" + fault[2:]
    return escaped(fault)


_AFTER = {
    RepairKind.INNER_QUOTE: _with_quotes_escaped,
    RepairKind.CONTROL_CHARACTER: with_controls_escaped,
}
