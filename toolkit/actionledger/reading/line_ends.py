"""Responses whose lines end with a carriage return alone: read as if each were a line feed, which keeps every place.

Only a text without any line feed is taken so: in another one a carriage return may be content.
"""

from collections.abc import Sequence
from dataclasses import replace

from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import BlockStatus, RepairKind
from actionledger.reading.dialects.base import Dialect, Found

_READ = frozenset({BlockStatus.STRICT, BlockStatus.REPAIRED})


def has_lone_ends(text: str) -> bool:
    """Return whether the lines of a text end with a carriage return, and none of them with a line feed."""
    return "\r" in text and "\n" not in text


def with_line_feeds(text: str) -> str:
    """Return a text with line feeds for carriage returns."""
    return text.replace("\r", "\n")


def restored(placed: Sequence[tuple[Dialect, Found]], text: str) -> list[tuple[Dialect, Found]]:
    """Return blocks that were read with line feeds as blocks of the response, each with a repair that says so."""
    return [(dialect, _restored(found, text)) for dialect, found in placed]


def _restored(found: Found, text: str) -> Found:
    again = (replace(repair, before=repair.span.of(text)) for repair in found.repairs)
    repairs = [repair for repair in again if repair.before != repair.after]
    at = text.find("\r", *found.span)
    while at >= 0 and any(repair.span.start <= at < repair.span.end for repair in repairs):
        at = text.find("\r", at + 1, found.span.end)
    if at < 0 or found.status not in _READ:
        return found._replace(repairs=tuple(repairs))
    ends = Repair(RepairKind.SPACE, Span(at, at + 1), "\r", "\n")
    ordered = tuple(sorted([*repairs, ends], key=lambda repair: repair.span))
    return found._replace(status=BlockStatus.REPAIRED, repairs=ordered)
