"""How each dialect marks names and arguments, taken from its own writing, so that new dialects are covered at once.

Each dialect writes a call with placeholders for a name, an argument and its value. The signs directly before and after
these are its own marks, which are also found in nearly the same spelling.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.reading.dialects import DIALECTS, Dialect
from actionledger.reading.dialects.parts.writing import PlainCall

_NAME, _ARGUMENT, _VALUE, _ID = "putnameqx", "argumentqx", "valueqx", "identifierqx"
MARK = r"</?[|｜‖]?[^\s<>\d](?:[^<>\n]{0,80}[^<>\s])?>|\[/?[A-Z][A-Z_]+\]"
"""A special token or a tag."""

_OPEN_TAG = regex(r"<[^<>\n]*\Z")
_MARKS_BEFORE = regex(rf"(?:(?:{MARK})\s*+)+(?:\w+\.)*\Z")
_WORD_BEFORE = regex(r"\b(?P<key>\w+=)(?:\w+\.)*\Z")
_ATTRIBUTE_BEFORE = regex(rf"(?:{MARK})\w+[ ]\w+=[\"']\Z")
_MARKS_BEHIND = regex(rf"(?:[ \t]*\n?|:\w+)(?:{MARK})(?:{_ID}(?:{MARK}))?|\n[A-Z][\w ]*:")
_TOKEN = regex(MARK)
LINE_PREFIX = r"(?:[-+|#*]|\[[^\[\]\n]{1,40}\]|\d[\d:.,TZ -]{4,40}+(?:[A-Z]{3,8}\b)?+)[ \t:|]*+"
"""What a diff, a table or a log has at the beginning of each line."""

_NEAR_SIGNS = {
    "｜": "[|｜‖]{1,3}",
    "|": "[|｜‖]{1,3}",
    "▁": "[▁_ ]",
    '"': "[\"'“”]?+",
    "'": "[\"'“”]?+",
    "\n": rf"\s*+(?:(?<=\n){LINE_PREFIX})?",
    " ": r"\s*+",
}


class OwnMarks(NamedTuple):
    """A dialect's marks around the parts of a call, as regular expressions."""

    before: str  # the mark before a name; empty if the dialect has none of its own there
    behind: str  # the mark after a name; empty likewise
    argument: str  # the mark before an argument's name; empty likewise
    closers: tuple[str, ...]  # the marks after the last value, as written
    last: str  # the last character before a name, without blanks and modules
    first: str  # the first character after a name, without blanks


def own_marks(dialect: Dialect, call_id: str | None = None) -> OwnMarks | None:
    """Return a dialect's own marks; None if it writes no name because an action's name is its tag."""
    try:
        text = dialect.write([PlainCall(_NAME, {_ARGUMENT: _VALUE}, call_id)])
    except (ValueError, TypeError):
        return None
    name, argument, value = text.find(_NAME), text.find(_ARGUMENT), text.rfind(_VALUE)
    behind = _MARKS_BEHIND.match(text, name + len(_NAME))
    closers = tuple(dict.fromkeys(_TOKEN.findall(text, value + len(_VALUE))))
    return OwnMarks(
        _before(text[:name]),
        _near(behind[0]) if behind else "",
        _before(text[name + len(_NAME) : argument], with_words=False),
        closers,
        text[: prefix_before(text, name)].rstrip()[-1:],
        text[name + len(_NAME) :].lstrip()[:1],
    )


def _before(text: str, *, with_words: bool = True) -> str:
    """Return the pattern of the mark at the end of a text; empty if there is none."""
    if (tag := _OPEN_TAG.search(text)) and not tag[0].isspace():
        return _near(tag[0])
    if marks := _MARKS_BEFORE.search(text):
        last = [*_TOKEN.finditer(marks[0])][-1]
        return _near(last[0]) + r"\s*+"
    if attribute := _ATTRIBUTE_BEFORE.search(text):
        return _near(attribute[0])
    if with_words and (word := _WORD_BEFORE.search(text)):
        return r"\b" + re.escape(word["key"])
    return ""


def _near(mark: str) -> str:
    """Return the pattern of a mark and its near spellings: another bar, other blanks or quotes, another number."""
    pieces = re.split(rf"({_ID}|\d+|\s+|[|｜]+|[▁\"'])", mark)
    return "".join(
        r"\w++" if piece.isdigit() or piece == _ID else _NEAR_SIGNS.get(piece[:1], re.escape(piece))
        for piece in pieces
    )


@lru_cache(maxsize=1)
def known_marks() -> tuple[OwnMarks, ...]:
    """Return the marks of all dialects."""
    found = (own_marks(dialect, call_id) for dialect in DIALECTS for call_id in (None, _ID))
    return tuple(marks for marks in found if marks is not None)


_OF_NO_DIALECT = (
    r"<(?!/)[|｜‖]{0,3}(?:[\w:.▁-]{1,20}[|｜‖:]{1,3})?[\w:.▁-]{0,20}(?:tool|function|call|invoke)[\w:.▁-]{0,20}[|｜‖]{0,3}>\s*+"
    r"|\[(?i:(?:tool|function)[ _-](?:use|call)|(?:call|us|invok)(?:ed|ing)[ ](?:the[ ])?(?:tool|function))[ \t]*+:[ \t]*+"
    r"|<(?:tool|function)(?:_call)?+:[ \t]*+"
)
"""Text before a name in formats of no dialect: a token or tag about calls, ``[Tool Use: `` as in a transcript."""

_PREFIX = regex(r"(?:[^\W\d]\w*+\.)++\Z")
_LONGEST_PREFIX = 80
_LONGEST_MARK = 120
_LONGEST_GAP = 20


def prefix_before(text: str, start: int) -> int:
    """Return where the modules before a name begin: ``api.`` in ``api.f``."""
    if not text.endswith(".", 0, start):
        return start
    window = max(0, start - _LONGEST_PREFIX)
    found = _PREFIX.search(text[window:start])
    return window + found.start() if found else start


def has_own_mark(text: str, start: int, end: int) -> bool:
    """Return whether a format's own mark is directly before a name and its modules, or after it."""
    return mark_before(text, prefix_before(text, start)) is not None or mark_behind(text, end) is not None


def mark_before(text: str, at: int) -> int | None:
    """Return where a format's mark directly before this place begins; None if there is none."""
    window = max(0, at - _LONGEST_MARK)
    near = text[window:at]
    patterns = _patterns()
    if near.rstrip()[-1:] not in patterns.last:
        return None
    found = patterns.before.search(near)
    return window + found.start() if found else None


def mark_behind(text: str, at: int) -> int | None:
    """Return where a format's mark directly after this place ends; None if there is none."""
    if text[at : at + _LONGEST_GAP].lstrip()[:1] not in _patterns().first:
        return None
    found = _patterns().behind.match(text, at)
    return found.end() if found else None


def arguments_left(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield each argument in a format's own marks, with its ``name``, that one of its call's closing marks follows."""
    if "<" not in text:
        return
    last: dict[str, int] = {}
    for found in _patterns().argument.finditer(text, start, end):
        which = next(index for index, front in enumerate(found.groups()) if front is not None)
        for closer in _patterns().closers_of[which]:
            if closer not in last:
                last[closer] = text.rfind(closer, start, end)
            if last[closer] >= found.end():
                yield found
                break


def closers_left(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield each place where a format's own marks close a call: an object and a mark, or two marks."""
    return _patterns().closed.finditer(text, start, end) if "<" in text else iter(())


class _Patterns(NamedTuple):
    last: frozenset[str]
    first: frozenset[str]
    before: re.Pattern[str]
    behind: re.Pattern[str]
    argument: re.Pattern[str]
    closers_of: tuple[tuple[str, ...], ...]
    closed: re.Pattern[str]


@lru_cache(maxsize=1)
def _patterns() -> _Patterns:
    marks = known_marks()
    closers_of: dict[str, list[str]] = {}
    for each in marks:
        closers_of.setdefault(each.argument, []).extend(each.closers[1:])
    fronts = sorted((front for front in closers_of if front.startswith("<")), key=len, reverse=True)
    closers = _any_of(re.escape(closer) for each in marks for closer in each.closers)
    pairs = _any_of(
        rf"{re.escape(one)}\s*+{re.escape(other)}" for each in marks for one, other in pairwise(each.closers)
    )
    # All but the bracket that each begins with, since a single first character is found fast.
    arguments = "|".join(f"({front.removeprefix('<')})" for front in fronts)
    return _Patterns(
        frozenset("\"'“”=>:").union(each.last for each in marks if each.before),
        frozenset("-+|#*[0123456789").union(each.first for each in marks if each.behind),
        regex(f"(?:{_any_of(each.before for each in marks)}|{_OF_NO_DIALECT})\\Z"),
        regex(_any_of(each.behind for each in marks)),
        regex(rf"<(?:{arguments})(?P<name>[\w.-]++)"),
        tuple(tuple(dict.fromkeys(closers_of[front])) for front in fronts),
        regex(rf"\}}\s*+(?:{closers})|{pairs}"),
    )


def _any_of(patterns: Iterable[str]) -> str:
    """Return one pattern for several, the longest first; for none, one that never matches."""
    kept = sorted({pattern for pattern in patterns if pattern}, key=lambda each: (-len(each), each))
    return "|".join(kept) or "(?!)"
