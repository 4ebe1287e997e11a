"""Blocks of calls in Python notation: between a marker and the one that closes it, or a bare list."""

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Found, Written
from actionledger.reading.dialects.parts.markers import Marker
from actionledger.reading.dialects.parts.python_source import (
    NAME,
    NoCallError,
    PythonCall,
    behind_comments,
    call_name,
    read_calls,
    read_program,
)
from actionledger.reading.dialects.parts.verdicts import read_block, refused, shown
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

LIST = rf"\[\s*+{NAME}\("
"""What a list of calls begins with."""

_PLAIN_CALL = re.compile(rf"\[\s*+{NAME}\(\s*+(?:\)|[^\W\d]\w*\s*+=(?!=))")
_REST_OF_LINE = re.compile(r"[ \t]*+(?:<[|/][^<>\n]*+>[ \t]*+)*+(?=\r?\n|\Z)")
_FENCE = re.compile(r"```(?:python|py)?[ \t]*+\r?\n", re.IGNORECASE)
_END = re.compile(r"```|<")

CallsAndEnd: TypeAlias = tuple[list[PythonCall], int]
"""Calls, and where they end."""


def written(calls: Sequence[PythonCall]) -> tuple[Written, ...]:
    """Return calls as a block holds them."""
    return tuple(Written(call.name, call.arguments, call.span) for call in calls)


def unread(marker: Marker, error: NoCallError, start: int) -> Found:
    """Return the block behind a marker that holds no calls which can be read, and why."""
    if error.issue.code is not Reason.EXAMPLE:
        return marker.refused(error.issue, start)
    close = marker.extent(error.end)
    return shown(Span(marker.opening.start, close.end), Span(marker.opening.end, close.start), error.issue)


def closed(marker: Marker, calls: Sequence[PythonCall], at: int) -> Found:
    """Return the block behind a marker whose calls end at ``at``."""
    close = marker.closing(at)
    if isinstance(close, Found):
        return close
    span, body = Span(marker.opening.start, close.end), Span(marker.opening.end, close.start)
    return read_block(span, body, written(calls), close.repairs)


def next_marker(marker: Marker) -> int:
    """Return where the same marker opens again, or the end: what is read for this one ends there."""
    again = marker.source.find(marker.opening.label, marker.opening.end, marker.end)
    return again if again >= 0 else marker.end


def within_reach(marker: Marker, read: Callable[[int], CallsAndEnd]) -> CallsAndEnd:
    """Read up to where the same marker opens again; beyond it if what stands before it ends within a string."""
    bound = next_marker(marker)
    try:
        return read(bound)
    except NoCallError as error:
        source, is_cut = marker.source, error.issue.code is Reason.TRUNCATED
        if bound == marker.end or not is_cut or not source.may_overrun:
            raise
        try:
            return read(marker.end)
        except NoCallError as beyond:
            source.overran(beyond.issue.span.end - bound if beyond.issue.span else 0)
            raise error from None


def list_behind(marker: Marker, start: int) -> Found:
    """Read the list of calls that begins at ``start``, up to the closing marker."""
    text, options = marker.source.text, marker.options
    try:
        calls, at = within_reach(marker, lambda end: read_calls(text, start, end, options))
    except NoCallError as error:
        return unread(marker, error, start)
    return closed(marker, calls, at)


def program_behind(marker: Marker, start: int) -> Found:
    """Read the calls, one a statement, that begin at ``start``, up to the closing marker."""
    text, options = marker.source.text, marker.options
    fence = _FENCE.match(text, start, marker.end)
    begin = fence.end() if fence else start
    try:
        calls, at = within_reach(marker, lambda end: read_program(text, begin, end, options, stop=_END))
    except NoCallError as error:
        return unread(marker, error, start)
    if fence and not text.startswith("```", at, marker.end):
        return marker.refused(Issue(Reason.UNCLOSED_FENCE, Span(start, fence.end())), start)
    return closed(marker, calls, at + 3 if fence else at)


def bare_list(source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
    """Read a list of calls that begins a line without any marker.

    Where it is known which names were offered, the first call's must be one of them; else its arguments must have names.
    A list with text behind it on its line is quoted.
    """
    text = source.text
    name = call_name(text, behind_comments(text, opening.start + 1, end), end)
    if source.names is not None and name not in source.names:
        return None
    if source.names is None and not _PLAIN_CALL.match(text, opening.start, end):
        return None
    try:
        calls, at = read_calls(text, opening.start, end, options)
    except NoCallError as error:
        span = Span(opening.start, max(error.end, error.issue.span.end if error.issue.span else end))
        verdict = shown if error.issue.code is Reason.EXAMPLE else refused
        return verdict(span, Span(span.start + 1, span.end), error.issue)
    span, body = Span(opening.start, at), Span(opening.start + 1, at - 1)
    if rest := _REST_OF_LINE.match(text, at, end):
        return read_block(Span(opening.start, rest.end()), body, written(calls))
    return Found(BlockStatus.IGNORED, span, body, written(calls), reason=Reason.EXAMPLE)
