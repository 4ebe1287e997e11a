"""What is a call by its looks alone, where it is unknown which tools there are: it is said, and never read.

A dialect without marks reads a call that stands on lines of its own. One within a sentence, or with a bracket too many, it passes over.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.scan.source import Source

_LISTED = r"[A-Za-z_][\w.]{0,80}+\("
_ARGUMENT = r"[A-Za-z_]\w*+\s*+="
_JSON = r"\{\s*+\"(?:name|function|tool)\"\s*+:\s*+\"[^\"\n]{1,80}\"\s*+,\s*+\"(?:arguments|parameters|args)\"\s*+:"
LOOKS_LIKE_CALL = re.compile(rf"\[{_LISTED}(?:{_ARGUMENT}|\))|{_JSON}")
"""What is a call by its looks, in a line of thoughts."""

_IN_PROSE = re.compile(rf"\[(?<![A-Za-z0-9_.)\](\"']\[){_LISTED}\s*+\(?{_ARGUMENT}|{_JSON}")
"""The same in any other line: what stands directly behind a word is an index, and what has no arguments may be one."""
_BEGINS_WITH = {"json": "{", "llama3_json": "{", "pythonic": "[", "llama4_pythonic": "["}
"""What a call begins with in the dialects that have no marks."""

Placed = tuple[Dialect, Found]


def bare_readers(dialects: Sequence[Dialect]) -> Mapping[str, Dialect]:
    """Return the first dialect of each notation without marks, by what its calls begin with."""
    return {_BEGINS_WITH[each.name]: each for each in reversed(dialects) if each.name in _BEGINS_WITH}


def with_looks(source: Source, placed: Sequence[Placed], readers: Mapping[str, Dialect]) -> list[Placed]:
    """Return the blocks of a response with those that only look like calls, where no tools are known."""
    if source.names or not any(sign in source.text for sign in readers):
        return list(placed)
    looks = [*_within(source.text, Span(0, len(source.text)), readers)]
    if not looks:
        return list(placed)
    starts = [found.span.start for _, found in looks]
    told: list[Placed] = []
    at = 0
    for dialect, found in placed:
        first, last = bisect_left(starts, found.span.start), bisect_left(starts, found.span.end)
        told += [each for each in looks[at:first] if each[1].span.end <= found.span.start]
        is_judged = dialect.name in _BEGINS_WITH  # what its own format says of a value counts
        told.append((dialect, found if is_judged else _with_issues(found, looks[first:last])))
        at = max(at, last)
    return [*told, *looks[at:]]


def may_look_like_call(text: str, gap: Span, found: Found, readers: Mapping[str, Dialect]) -> bool:
    """Return whether what looks like a call stands before a block, or in it if it is data."""
    part = Span(gap.start, found.span.end if found.reason is Reason.NOT_AN_ACTION else gap.end)
    return any(True for _ in _within(text, part, readers))


def _with_issues(found: Found, looks: Sequence[Placed]) -> Found:
    """Return a block that is taken for data with an issue for each call that it may be."""
    if found.reason is not Reason.NOT_AN_ACTION or found.issues or not looks:
        return found
    return found._replace(issues=tuple(issue for _, each in looks for issue in each.issues))


def _within(text: str, gap: Span, readers: Mapping[str, Dialect]) -> Iterator[Placed]:
    for match in _IN_PROSE.finditer(text, *gap):
        if dialect := readers.get(match[0][0]):
            span = Span(*match.span())
            issue = Issue(Reason.CALL_IN_PROSE, span, "It looks like a call, and is none as it stands.")
            yield dialect, Found(BlockStatus.IGNORED, span, span, reason=issue.code, issues=(issue,))
