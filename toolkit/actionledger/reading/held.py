"""Calls that begin inside a string of a call before them, which nothing has closed: they are quoted, or that one breaks off.

A dialect that can't read a block ends it where the next call begins, so that none swallows another. Where the block stops
in the middle of a string, what begins there may as well be that string's content: two readings, so neither is taken.
"""

import re
from collections.abc import Iterator

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Dialect, Found

_BEGINS = re.compile(r"""[\[{]\s*+(?:["'“\[{]|[^\W\d][\w.]*+\s*+[(:])|[^\W\d][\w.]*+\(""")
"""What a value, or a call in Python, begins with."""

_TOKEN = re.compile(
    r"""(?P<opens>[\[{(])|(?P<closes>[\]})])|(?P<sets>[:=])|[\s,]++"""
    r"""|(?:\"{3}(?:[^\"\\]++|\\.|\"(?!\"\"))*+\"{3}|'{3}(?:[^'\\]++|\\.|'(?!''))*+'{3}"""
    r"""|\"(?:[^\"\\]++|\\.)*+\"|'(?:[^'\\]++|\\.)*+')(?=\s*+(?:[,:=\]})]|\Z))"""
    r"""|[-+]?+[\d.][\w.+-]*+|(?:true|false|null|None|True|False)\b|[^\W\d][\w.]*+(?=\s*+[:=(])""",
    re.DOTALL,
)

Placed = tuple[Dialect, Found]


def without_held(placed: Iterator[Placed], text: str, end: int) -> Iterator[Placed]:
    """Yield blocks up to one that can't be read and holds the next one; that one goes on to the end."""
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
        if waiting or _is_unclosed(found, end):
            waiting.append((dialect, found))
        else:
            yield dialect, found
    yield from waiting


def _is_unclosed(found: Found, end: int) -> bool:
    """Return whether a block can't be read and ends with its body: not where a marker closes it, but where it is given up."""
    return found.status is BlockStatus.MALFORMED and found.body.end == found.span.end < end


def _is_inside(text: str, holder: Found, at: int) -> bool:
    """Return whether a place stands inside a string, or in place of a value, of a block that was given up before it."""
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
