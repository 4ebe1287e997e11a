"""What begins as a call in a format's own marks and is read by no dialect: it names a tool, so it is lost, and said to be.

A mark by itself is only mentioned; so is one in inline code. Where a mark and a name stand as their format writes them, with
another mark, a bracket or the end of the text behind them, somebody has called that tool, and something in between is wrong.
"""

import re
from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.evidence.own_marks import MARK, own_marks
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source

_LONGEST, _NEAR = 400, 120
"""How far behind its opening, and before it, a call's name is looked for."""

_WORD = r"\b"
"""What the pattern of a mark begins with that is a word, such as Harmony's ``to=``."""

_BLANKS = r"\s*+"
_NAME = r"(?P<name>[A-Za-z_][\w.:-]{1,80})"
_BEHIND = re.compile(rf"[\"']?(?:>?(?:[\[{{(\"]|\s*+(?:{MARK}))|\s++[\w-]++=[\"'])|\s*+(?={MARK})")
"""What follows the name of a call: a mark, or what it holds."""

_CUT = re.compile(r"[\"']?>?\s*+\Z|(?:<[|｜]?[\w|｜-]*+|\[[A-Z]*+)\Z")
"""What follows it at the end of a text: nothing, or what began as a mark."""

_GOES_ON = re.compile(r"[\w\s]{0,40}<[|｜]")
"""What follows a mark of a header that has another one."""

_BETWEEN = re.compile(rf"(?:{MARK}|\s|\d|assistant|commentary|analysis)*+")
_VALUE = rf"(?:(?:{MARK})\s*+)*+\s*+[\[{{][\[{{\s]*+(?:[\"'](?:name|tool|function|recipient_name)[\"']\s*+:\s*+[\"'])?{_NAME}"


def unread_head(dialect: Dialect, source: Source, opening: Opening, end: int) -> Found | None:
    """Return what begins at an opening as a call that can't be read; None where no tool is named there."""
    text = source.text
    name = _name_at(dialect, text, opening, min(end, opening.start + _LONGEST))
    if name is None or _is_offered(name["name"], source):
        return None  # what is made of the name of an offered tool, evidence says
    if not (_CUT.match(text, name.end("name")) or _is_followed(dialect, source, name, end)):
        return None
    span = Span(min(opening.start, name.start()), max(opening.end, name.end()))
    detail = f"It names {name['name'][:80]!r} and is no call of the format {dialect.name!r}."
    issue = Issue(Reason.WRONG_SHAPE, span, detail)
    body = Span(opening.end, span.end)
    found = Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))
    return dialect.unless_quoted(found, text)


def _is_offered(name: str, source: Source) -> bool:
    offered = source.names or frozenset()
    return not offered.isdisjoint({name, *re.split(r"[.:]", name)})


def _is_followed(dialect: Dialect, source: Source, name: re.Match[str], end: int) -> bool:
    """Return whether what a call holds stands behind a name, and what closes it, if anything does."""
    if not _BEHIND.match(source.text, name.end("name"), end):
        return False
    closers = _head_of(dialect).closers
    return not closers or any(source.find(closer, name.end("name"), end) >= 0 for closer in closers)


def _name_at(dialect: Dialect, text: str, opening: Opening, end: int) -> re.Match[str] | None:
    """Return the name that stands at an opening as the dialect writes it: before it, behind its own mark, or in a value."""
    head = _head_of(dialect)
    if head.is_word:
        near = _pattern(head.ends_so).search(text, max(0, opening.start - _NEAR), opening.start)
        if near and _GOES_ON.match(text, opening.end, end):
            return near
    if head.before and (found := _pattern(head.before).search(text, opening.start, end)):
        between = Span(min(opening.end, found.start()), found.start())
        if _BETWEEN.fullmatch(text, *between):
            return found
    return _pattern(_VALUE).match(text, opening.end, end) if opening.label.endswith(("|>", "]")) else None


class _Head(NamedTuple):
    """How a dialect writes a name.

    Args:
        before: the pattern of a name directly behind the dialect's own mark; empty where it has none.
        ends_so: the same at the end of what is looked at.
        is_word: whether its mark is a word.
        closers: what closes its calls.
    """

    before: str
    ends_so: str
    is_word: bool
    closers: Collection[str]


def _head_of(dialect: Dialect) -> _Head:
    """Return how a dialect writes a name: known by the dialect's place, for its hash is computed from all of it each time."""
    known = _HEADS.get(id(dialect))
    if known is None:
        if len(_HEADS) >= _MOST_HEADS:
            _HEADS.clear()
        known = _HEADS[id(dialect)] = dialect, _made_head(dialect)
    return known[1]


_MOST_HEADS = 256
_HEADS: dict[int, tuple[Dialect, _Head]] = {}
"""Each dialect beside what is known of it, so that none takes its place."""


def _made_head(dialect: Dialect) -> _Head:
    marks = own_marks(dialect)
    before = rf"{marks.before.removesuffix(_BLANKS)}(?:\w+\.)*{_NAME}" if marks and marks.before else ""
    return _Head(before, rf"{before}\s*+\Z", before.startswith(_WORD), marks.closers if marks else ())


@lru_cache(maxsize=256)
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
