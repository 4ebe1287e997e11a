"""Unread calls: those that begin in a format's marks, those in a string of another call, and those that only look like calls.

A mark alone is only a mention; so is one in inline code. But a mark and a name as their format writes them are a call,
if another mark, a bracket or the end of the text follows. Something in between is then wrong.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.evidence.own_marks import MARK, own_marks
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source

_LONGEST, _NEAR = 400, 120
"""The searched distances after a call's opening, and before it, for its name."""

_WORD = r"\b"
"""The beginning of the pattern of a mark that is a word, such as Harmony's ``to=``."""

_BLANKS = r"\s*+"
_NAME = r"(?P<name>[A-Za-z_][\w.:-]{1,80})"
_BEHIND = regex(rf"[\"']?(?:>?(?:[\[{{(\"]|\s*+(?:{MARK}))|\s++[\w-]++=[\"'])|\s*+(?={MARK})")
"""Text after a call's name: a mark, or the call's content."""

_CUT = regex(r"[\"']?>?\s*+\Z|(?:<[|｜]?[\w|｜-]*+|\[[A-Z]*+)\Z")
"""Text after it at the end of a text: nothing, or the beginning of a mark."""

_GOES_ON = regex(r"[\w\s]{0,40}<[|｜]")
"""Text after a header's mark that has another one."""

_BETWEEN = regex(rf"(?:{MARK}|\s|\d|assistant|commentary|analysis)*+")
_VALUE = rf"(?:(?:{MARK})\s*+)*+\s*+[\[{{][\[{{\s]*+(?:[\"'](?:name|tool|function|recipient_name)[\"']\s*+:\s*+[\"'])?{_NAME}"


def unread_head(dialect: Dialect, source: Source, opening: Opening, end: int) -> Found | None:
    """Return the unreadable call that begins at an opening; None if no tool is named there."""
    text = source.text
    name = _name_at(dialect, text, opening, min(end, opening.start + _LONGEST))
    if name is None or _is_offered(name["name"], source):
        return None  # evidence judges the names of offered tools
    if not (_CUT.match(text, name.end("name")) or _is_followed(dialect, source, name, end)):
        return None
    span = Span(min(opening.start, name.start()), max(opening.end, name.end()))
    detail = f"It names {name['name'][:80]!r} and is not a call of the format {dialect.name!r}."
    issue = Issue(Reason.WRONG_SHAPE, span, detail)
    body = Span(opening.end, span.end)
    found = Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))
    return dialect.unless_quoted(found, text)


def _is_offered(name: str, source: Source) -> bool:
    offered = source.names or frozenset()
    return not offered.isdisjoint({name, *re.split(r"[.:]", name)})


def _is_followed(dialect: Dialect, source: Source, name: re.Match[str], end: int) -> bool:
    """Return whether the content of a call follows a name, with its closing mark if it has one."""
    if not _BEHIND.match(source.text, name.end("name"), end):
        return False
    closers = _head_of(dialect).closers
    return not closers or any(source.find(closer, name.end("name"), end) >= 0 for closer in closers)


def _name_at(dialect: Dialect, text: str, opening: Opening, end: int) -> re.Match[str] | None:
    """Return the name at an opening as the dialect writes it: before it, after its own mark, or in a value."""
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
    """How a dialect writes a name."""

    before: str  # the pattern of a name directly after the dialect's own mark; empty if there is no mark
    ends_so: str  # the same at the end of the searched text
    is_word: bool  # whether its mark is a word
    closers: Collection[str]  # what closes its calls


def _head_of(dialect: Dialect) -> _Head:
    """Return how a dialect writes a name. The cache uses the dialect's id, since its hash is computed anew each time."""
    known = _HEADS.get(id(dialect))
    if known is None:
        if len(_HEADS) >= _MOST_HEADS:
            _HEADS.clear()
        known = _HEADS[id(dialect)] = dialect, _made_head(dialect)
    return known[1]


_MOST_HEADS = 256
_HEADS: dict[int, tuple[Dialect, _Head]] = {}
"""Each dialect with its head, which keeps its id from being reused."""


def _made_head(dialect: Dialect) -> _Head:
    marks = own_marks(dialect)
    before = rf"{marks.before.removesuffix(_BLANKS)}(?:\w+\.)*{_NAME}" if marks and marks.before else ""
    return _Head(before, rf"{before}\s*+\Z", before.startswith(_WORD), marks.closers if marks else ())


@lru_cache(maxsize=256)
def _pattern(pattern: str) -> re.Pattern[str]:
    return regex(pattern)


_BEGINS = regex(r"""[\[{]\s*+(?:["'“\[{]|[^\W\d][\w.]*+\s*+[(:])|[^\W\d][\w.]*+\(""")
"""The beginning of a value, or of a call in Python."""

_TOKEN = regex(
    r"""(?P<opens>[\[{(])|(?P<closes>[\]})])|(?P<sets>[:=])|[\s,]++"""
    r"""|(?:\"{3}(?:[^\"\\]++|\\.|\"(?!\"\"))*+\"{3}|'{3}(?:[^'\\]++|\\.|'(?!''))*+'{3}"""
    r"""|\"(?:[^\"\\]++|\\.)*+\"|'(?:[^'\\]++|\\.)*+')(?=\s*+(?:[,:=\]})]|\Z))"""
    r"""|[-+]?+[\d.][\w.+-]*+|(?:true|false|null|None|True|False)\b|[^\W\d][\w.]*+(?=\s*+[:=(])""",
    re.DOTALL,
)

Placed = tuple[Dialect, Found]


def without_held(placed: Iterator[Placed], text: str, end: int) -> Iterator[Placed]:
    """Yield blocks up to an unreadable one that holds the next one; that one extends to the end."""
    waiting: list[Placed] = []
    for dialect, found in placed:
        if waiting and found.status is not BlockStatus.IGNORED:
            by, holder = waiting[0]
            if _is_inside(text, holder, found.span.start):
                yield by, _to_the_end(holder, found.span.start, end)
                return
        if waiting and (found.status is not BlockStatus.IGNORED or found.reason is Reason.REASONING):
            yield from waiting
            waiting = []
        if waiting or (found.status is BlockStatus.MALFORMED and _is_given_up(found, end)):
            waiting.append((dialect, found))
        else:
            yield dialect, found
    yield from waiting


def _is_given_up(found: Found, end: int) -> bool:
    """Return whether an unreadable block ends with its body, and is not closed by a marker."""
    return found.body.end == found.span.end < end


def _is_inside(text: str, holder: Found, at: int) -> bool:
    """Return whether a place is in a string, or instead of a value, of a block given up before it."""
    begins = _BEGINS.search(text, holder.body.start, holder.span.end)
    if begins is None:
        return False
    depth, here, sets = 0, begins.start(), False
    while here < at and (token := _TOKEN.match(text, here, at)):
        here = token.end()
        depth += (token["opens"] is not None) - (token["closes"] is not None)
        if token["closes"] and depth <= 0:
            return False
        sets = token["sets"] is not None or (sets and token[0].isspace())
    if here >= at:
        return sets
    return text[here] in "\"'" or here < holder.span.end


def _to_the_end(holder: Found, at: int, end: int) -> Found:
    detail = "Another call begins in a string that nothing has closed: it is quoted, or this one breaks off."
    issue = Issue(Reason.AMBIGUOUS, Span(holder.span.start, at), detail)
    body = Span(holder.body.start, end)
    return Found(
        BlockStatus.MALFORMED, Span(holder.span.start, end), body, reason=issue.code, issues=(issue,)
    )


_LISTED = r"[A-Za-z_][\w.]{0,80}+\("
_ARGUMENT = r"[A-Za-z_]\w*+\s*+="
_JSON = r"\{\s*+\"(?:name|function|tool)\"\s*+:\s*+\"[^\"\n]{1,80}\"\s*+,\s*+\"(?:arguments|parameters|args)\"\s*+:"
LOOKS_LIKE_CALL = regex(rf"\[{_LISTED}(?:{_ARGUMENT}|\))|{_JSON}")
"""Text that looks like a call, in a line of thoughts."""

_IN_PROSE = regex(rf"\[(?<![A-Za-z0-9_.)\](\"']\[){_LISTED}\s*+\(?{_ARGUMENT}|{_JSON}")
"""The same in any other line: a bracket directly after a word is an index, and one without arguments may be one."""
_BEGINS_WITH = {"json": "{", "llama3_json": "{", "pythonic": "[", "llama4_pythonic": "["}
"""The beginnings of calls in the dialects without marks."""


def bare_readers(dialects: Sequence[Dialect]) -> Mapping[str, Dialect]:
    """Map the beginnings of calls without marks to the first dialect of each notation."""
    return {_BEGINS_WITH[each.name]: each for each in reversed(dialects) if each.name in _BEGINS_WITH}


def with_looks(source: Source, placed: Sequence[Placed], readers: Mapping[str, Dialect]) -> list[Placed]:
    """Return a response's blocks with those that only look like calls, if no tools are known."""
    if source.names or not readers or not _may_look(source.text, placed):
        return list(placed)
    looks = [*_looks(source.text, Span(0, len(source.text)), readers)]
    if not looks:
        return list(placed)
    starts = [span.start for span in looks]
    told: list[Placed] = []
    at = 0
    for dialect, found in placed:
        first, last = bisect_left(starts, found.span.start), bisect_left(starts, found.span.end)
        before = (span for span in looks[at:first] if span.end <= found.span.start)
        told += [_look(source.text, span, readers) for span in before]
        is_judged = dialect.name in _BEGINS_WITH  # its own format's judgement of a value counts
        told.append((dialect, found if is_judged else _with_issues(found, looks[first:last])))
        at = max(at, last)
    return told + [_look(source.text, span, readers) for span in looks[at:]]


def _may_look(text: str, placed: Sequence[Placed]) -> bool:
    """Return whether a bracket is outside all blocks, or a block is data: only these may look like a call."""
    at = 0
    for _, found in placed:
        start = found.span.start
        is_data = found.reason is Reason.NOT_AN_ACTION
        if is_data or text.find("{", at, start) >= 0 or text.find("[", at, start) >= 0:
            return True
        at = found.span.end
    return text.find("{", at) >= 0 or text.find("[", at) >= 0


def may_look_like_call(text: str, gap: Span, found: Found, readers: Mapping[str, Dialect]) -> bool:
    """Return whether something like a call is before a block, or in it if it is data."""
    part = Span(gap.start, found.span.end if found.reason is Reason.NOT_AN_ACTION else gap.end)
    return any(True for _ in _looks(text, part, readers))


def _with_issues(found: Found, looks: Sequence[Span]) -> Found:
    """Add an issue for each possible call to a block of data."""
    if found.reason is not Reason.NOT_AN_ACTION or found.issues or not looks:
        return found
    return found._replace(issues=tuple(map(_issue_of, looks)))


def _looks(text: str, gap: Span, readers: Mapping[str, Dialect]) -> Iterator[Span]:
    for match in _IN_PROSE.finditer(text, *gap):
        if text[match.start()] in readers:
            yield Span(*match.span())


def _look(text: str, span: Span, readers: Mapping[str, Dialect]) -> Placed:
    issue = _issue_of(span)
    found = Found(BlockStatus.IGNORED, span, span, reason=issue.code, issues=(issue,))
    return readers[text[span.start]], found


def _issue_of(look: Span) -> Issue:
    return Issue(Reason.CALL_IN_PROSE, look, "It looks like a call, and is none as it stands.")
