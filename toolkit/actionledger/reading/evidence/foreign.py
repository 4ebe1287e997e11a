"""Calls in the formats of other dialects than those that are read: lost, whatever they call, and said to be.

A profile's model that falls back into its own format may name what was never offered; no watch for names sees that. So
where nothing was read, every other dialect is asked.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects import DIALECTS
from actionledger.reading.dialects.base import Dialect, Found
from actionledger.reading.evidence.echoes import READ, Placed
from actionledger.reading.evidence.foreign_shapes import foreign_shapes, may_hold_shape
from actionledger.reading.evidence.unread import NAMELESS
from actionledger.reading.evidence.weighing import BY_EVIDENCE, UNSAID
from actionledger.reading.finding import Finder
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_ANYBODYS = frozenset(
    {
        *("bash_fence", "command_tags", "mint", "python_fence", "pythonic", "search_replace", "xml_tags"),
        *("json_action", "plan"),
    }
)
"""Dialects whose blocks look like anybody's code or data, or like another's tags: only an offered name makes calls of them."""

_ELSEWHERE = frozenset({RepairKind.MISLABELLED_FENCE, RepairKind.MISSING_FENCE})
"""The repairs of a block without its own fence: there, too, only an offered name makes a call of data."""

_SIGNS = ("<", "{", "[", "`", "~", ">", "Action", "*** Begin Patch")
"""Without one of these, none of those dialects reads anything, in a fence or not."""

_FENCED_VALUE = re.compile(
    r"^[ \t]*+(?P<marks>`{3,}+)[\w-]*+[ \t]*+\r?\n(?P<body>\s*+[\[{][^`]*+)^[ \t]*+(?P=marks)[ \t]*+$",
    re.MULTILINE,
)
"""A fence whose label is nobody's, with a value in it."""


def with_foreign(source: Source, placed: Sequence[Placed], options: DecodeOptions) -> list[Placed]:
    """Return the blocks of a response, where none was read with those of other dialects, each as lost."""
    if all(sign not in source.text for sign in _SIGNS) and not may_hold_shape(source.text):
        return list(placed)
    if any(found.status in READ or _is_lost(found) for _, found in placed):
        return list(placed)
    kept = [each for each in placed if not _says_nothing(each[1])]
    low = 0
    lost: list[Placed] = []
    for high in [*(found.span for _, found in kept), Span(len(source.text), len(source.text))]:
        lost += foreign_blocks(source.text, Span(low, high.start), options)
        low = max(low, high.end)
    if not lost:
        return list(placed)
    spans = [found.span for _, found in lost]
    beside = [
        each for each in placed if not any(_overlap(each[1].span, span) for span in spans) or each in kept
    ]
    return sorted([*beside, *lost], key=lambda each: each[1].span)


def foreign_blocks(text: str, gap: Span, options: DecodeOptions) -> list[Placed]:
    """Return the calls in any format in a stretch of a response, each as lost, also where they stand in a fence of no format."""
    lost = [*_lost_in(text, gap, options)] if any(text.find(sign, *gap) >= 0 for sign in _SIGNS) else []
    for fence in () if lost or text.find("```", *gap) < 0 else _FENCED_VALUE.finditer(text, *gap):
        lost += _lost_in(text, Span(*fence.span("body")), options)
    return lost or [_lost(BY_EVIDENCE, span) for span in foreign_shapes(text, gap)]


def _lost_in(text: str, part: Span, options: DecodeOptions) -> Iterator[Placed]:
    for dialect, found in _finder().blocks(Source(part.of(text), None), options):
        is_elsewhere = any(repair.kind in _ELSEWHERE for repair in found.repairs)
        if (found.status in READ or found.status is BlockStatus.MALFORMED) and not is_elsewhere:
            span = Span(part.start + found.span.start, part.start + found.span.end)
            yield _lost(dialect, span)


def _lost(dialect: Dialect, span: Span) -> Placed:
    of_dialect = "" if dialect is BY_EVIDENCE else f" of the dialect {dialect.name!r}"
    detail = f"It looks like a call{of_dialect}; it is none that is read here."
    issue = Issue(Reason.WRONG_SHAPE, span, detail)
    return dialect, Found(BlockStatus.MALFORMED, span, span, reason=issue.code, issues=(issue,))


def may_hold_foreign(text: str, gap: Span, found: Found, options: DecodeOptions) -> bool:
    """Return whether a call in another format stands before a block, or is all of it, while a response comes in."""
    if found.status in READ or _is_lost(found):
        return False
    end = found.span.end if _says_nothing(found) else gap.end
    return bool(foreign_blocks(text, Span(gap.start, end), options))


@lru_cache(maxsize=1)
def _finder() -> Finder:
    return Finder([dialect for dialect in DIALECTS if dialect.name not in _ANYBODYS])


def _says_nothing(found: Found) -> bool:
    """Return whether a block is data, or what an offered name makes nothing of: a call in another format may be all of it."""
    details = {issue.detail for issue in found.issues}
    if found.status is BlockStatus.MALFORMED:
        return NAMELESS in details
    if found.reason is Reason.EXAMPLE and not found.actions and not found.issues:
        return True
    return found.status is BlockStatus.IGNORED and (found.reason is Reason.NOT_AN_ACTION or UNSAID in details)


def _is_lost(found: Found) -> bool:
    return found.status is BlockStatus.MALFORMED and not _says_nothing(found)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
