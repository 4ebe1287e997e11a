"""The part of a long response that is drawn: around what is asked for, else around what is wrong with it. A browser lays out no megabytes at once."""

from collections.abc import Iterator, Sequence

from actionledger.core.values import Span
from actionledger_dashboard.viewer.looks import Values

SHOWN = 60_000
"""How many characters of a response are drawn at once."""

_BEFORE = SHOWN // 3
"""How many of them stand before the place that is asked for."""


def part_of(length: int, around: int) -> Span:
    """Return the part that is drawn of a text around one of its places."""
    start = max(0, min(around - _BEFORE, length - SHOWN))
    return Span(start, min(length, start + SHOWN))


def first_of_interest(at: Span | None, found: Sequence[tuple[int, int]], marks: Sequence[Values]) -> int:
    """Return the place that a reader is led to: what was asked for or looked for, else what is wrong, else what was read."""
    if at is not None:
        return at.start
    if found:
        return found[0][0]
    wrong = (spot["start"] for mark in marks for spot in mark["spots"] if spot["look"] == "wrong")
    faulty = (mark["start"] for mark in marks if mark["faulty"])
    read = (mark["start"] for mark in marks)
    return next((place for places in (wrong, faulty, read) for place in places), 0)


def within(part: Span, placed: Sequence[Values]) -> Iterator[Values]:
    """Yield what lies within a part of a text, whatever goes beyond it cut off there; what lies in marks is cut as they are."""
    for each in placed:
        start, end = max(each["start"], part.start), min(each["end"], part.end)
        if start < end or (start == end and each["start"] == each["end"]):
            inner = {"spots": list(within(part, each["spots"]))} if each.get("spots") else {}
            yield each | {"start": start, "end": end} | inner


def gaps(part: Span, length: int) -> tuple[list[Values], list[Values]]:
    """Return what stands for the text before a part and for the text behind it, each with the place that leads to what is next to the part."""
    before = _gap(0, part.start, "before", part.start - SHOWN + _BEFORE)
    behind = _gap(part.end, length, "behind", part.end + _BEFORE)
    return before, behind


def _gap(start: int, end: int, where: str, leads_to: int) -> list[Values]:
    if start == end:
        return []
    to = max(0, min(leads_to, end))
    said = f"{end - start:,} characters {where} are not shown"
    return [
        {
            "at": start,
            "end": end,
            "text": "",
            "code": said,
            "name": f"{said}; this leads there",
            "gap": [to, to],
        }
    ]
