"""The marks in a response: blocks, issues, repairs, actions and found texts; and the part of a long response to draw."""

import re
from collections.abc import Iterator, Sequence

from actionledger.core.values import Block, Issue, Repair, Span
from actionledger.ledger.queries import Mention, TurnDetail
from actionledger_dashboard.components.wording import pieces
from actionledger_dashboard.viewer.looks import (
    WORST_FIRST,
    Values,
    because,
    look_of,
    overlap,
    place,
    quoted,
    words,
)


def marks_of(detail: TurnDetail) -> list[Values]:
    """Return a mark for each block and for each issue outside of every block, in text order."""
    spans = [block.span for block in detail.blocks]
    found = [_block_mark(block, detail) for block in detail.blocks]
    found += [
        _issue_mark(issue, issue.span)
        for issue in detail.issues
        if issue.span is not None and not any(overlap(issue.span, span) for span in spans)
    ]
    return list(_apart(sorted(found, key=lambda mark: (mark["start"], mark["end"]))))


def calls_of(detail: TurnDetail) -> list[Values]:
    """Return each action's position, in text order; of overlapping ones only the first."""
    found = [
        {"start": action.span.start, "end": action.span.end, "call": str(action.index)}
        for action in detail.actions
    ]
    return list(_apart(sorted(found, key=lambda call: (call["start"], call["end"]))))


def _apart(found: Sequence[Values]) -> Iterator[Values]:
    end = 0
    for each in found:
        if each["start"] >= end:
            yield each
            end = each["end"]


def _block_mark(block: Block, detail: TurnDetail) -> Values:
    within = [action for action in detail.actions if action.block == block.index]
    looks = {look_of(block.status), *(look_of(action.status) for action in within)}
    look = next(look for look in WORST_FIRST if look in looks)
    spots = list(_spots(block, detail.issues))
    why = [block.dialect, words(block.status), because(block.reason)]
    why += [f"evidence: {words(block.evidence)}"] if block.evidence else []
    why += [f"repaired: {words(kind)}" for kind in dict.fromkeys(repair.kind for repair in block.repairs)]
    why += [place(block.span), *(f"{action.name}: {action.status.said}" for action in within)]
    return {
        "start": block.span.start,
        "end": block.span.end,
        "block": str(block.index),
        "look": look,
        "why": pieces(" · ".join(part for part in why if part)),
        # If no spot within it is wrong, the whole block is.
        "faulty": look_of(block.status) == "bad" and not any(spot["look"] == "wrong" for spot in spots),
        "spots": spots,
    }


def _spots(block: Block, issues: Sequence[Issue]) -> Iterator[Values]:
    """Yield the repaired and wrong spots within a block, in text order, without overlaps; wrong ones win."""
    found = [
        _spot(
            repair.span,
            "mended",
            f"{words(repair.kind)}: {quoted(repair.before)} read as {quoted(repair.after)}",
        )
        for repair in block.repairs
    ]
    repaired = {(repair.span, str(repair.kind)) for repair in block.repairs}
    found += [
        _spot(issue.span, "mended" if issue.code.is_note else "wrong", f"{issue.code}: {issue.message}")
        for issue in issues
        if issue.span not in {None, block.span} and (issue.span, str(issue.code)) not in repaired
    ]
    at = block.span.start
    for spot in sorted(found, key=lambda one: (one["start"], one["end"], one["look"] != "wrong")):
        if at <= spot["start"] and spot["end"] <= block.span.end:
            at = spot["end"]
            yield spot


def _spot(span: Span | None, look: str, why: str) -> Values:
    assert span is not None
    return {"start": span.start, "end": span.end, "look": look, "why": pieces(f"{why} · {place(span)}")}


def _issue_mark(issue: Issue, span: Span) -> Values:
    return {
        "start": span.start,
        "end": span.end,
        "block": "",
        "look": "mended" if issue.code.is_note else "bad",
        "why": pieces(f"{issue.code} · {issue.message} · {place(span)}"),
        "faulty": not issue.code.is_note,
        "spots": [],
    }


AROUND = 40
"""The number of characters of the same line that are shown before and after a change."""
_LONGEST = 400
"""The number of characters of one change that are shown."""


def differences(text: str, block: Block) -> list[Values]:
    """Return a block's repairs as differences; repairs near each other on one line become one difference."""
    ordered = sorted(block.repairs, key=lambda repair: repair.span)
    return [_difference(text, group) for group in _groups(text, ordered)]


def _groups(text: str, repairs: Sequence[Repair]) -> Iterator[list[Repair]]:
    """Yield groups of repairs to show together; a repair that does not replace exactly its span's text is alone."""
    group: list[Repair] = []
    for repair in repairs:
        if group and not _joins(text, group[-1], repair):
            yield group
            group = []
        group.append(repair)
    if group:
        yield group


def _joins(text: str, one: Repair, other: Repair) -> bool:
    gap = text[one.span.end : other.span.start]
    is_behind = one.span.end <= other.span.start
    return (
        is_behind
        and len(gap) <= AROUND
        and "\n" not in gap
        and _replaces(text, one)
        and _replaces(text, other)
    )


def _replaces(text: str, repair: Repair) -> bool:
    return repair.span.of(text) == repair.before


def _difference(text: str, group: Sequence[Repair]) -> Values:
    first, last = group[0], group[-1]
    start, end = first.span.start, last.span.end
    before, after = _ahead(text, start), _behind(text, end)
    is_exact = all(_replaces(text, repair) for repair in group)
    return {
        "kinds": ", ".join(dict.fromkeys(words(repair.kind) for repair in group)),
        "where": place(Span(start, end)),
        "start": start,
        "end": end,
        "before": _line(before, _sides(text, group, is_before=True), after if is_exact else ""),
        "after": _line(before, _sides(text, group, is_before=False), after if is_exact else ""),
    }


def _sides(text: str, group: Sequence[Repair], *, is_before: bool) -> Iterator[tuple[str, bool]]:
    """Yield the text before or after the repairs in stretches, each with whether it is a change."""
    at = group[0].span.start
    for repair in group:
        yield text[at : repair.span.start], False
        yield _seen(repair.before if is_before else repair.after), True
        at = repair.span.end


def _line(before: str, changes: Iterator[tuple[str, bool]], after: str) -> list[Values]:
    parts = [(before, False), *changes, (after, False)]
    return [{"text": pieces(part), "changed": changed} for part, changed in parts if part]


def _seen(text: str) -> str:
    """Return changed text with visible line breaks and tabs."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text) - _LONGEST:,} more)"
    return cut.replace("\n", "↵\n").replace("\t", "⇥")


def _ahead(text: str, start: int) -> str:
    found = text[max(0, start - AROUND) : start].rpartition("\n")[2]
    return f"…{found}" if len(found) == AROUND < start else found


def _behind(text: str, end: int) -> str:
    found = text[end : end + AROUND].partition("\n")[0]
    return f"{found}…" if len(found) == AROUND and end + AROUND < len(text) else found


MOST = 500
"""The number of occurrences in one response that are marked."""

_SPAN = re.compile(r"([0-9]{1,12})-([0-9]{1,12})")


def span_of(written: str, text: str) -> Span | None:
    """Return the span, in code points, that a link names as ``412-420``; None if the response has no such span."""
    found = _SPAN.fullmatch(written)
    if found is None:
        return None
    span = Span(int(found[1]), int(found[2]))
    return span if span.start <= span.end <= len(text) else None


def occurrences(sought: str, text: str) -> list[tuple[int, int]]:
    """Return the spans of a text in a response, in code points, ignoring case; none for an empty text."""
    if not sought:
        return []
    found = re.finditer(re.escape(sought), text, re.IGNORECASE)
    return [match.span() for match, _ in zip(found, range(MOST), strict=False)]


def found_data(sought: str, mentions: Sequence[Mention], index: int) -> Values | None:
    """Return the data of a search, or None if there is no search."""
    if not sought:
        return None
    here = next((mention for mention in mentions if mention.index == index), None)
    return {
        "text": sought,
        "shown": pieces(sought),
        "turns": [mention.index for mention in mentions],
        "here": "" if here is None else ", ".join(here.places),
    }


SHOWN = 60_000
"""The number of characters of a response that are drawn at once."""

_BEFORE = SHOWN // 3
"""The number of drawn characters before the requested position."""


def part_of(length: int, around: int) -> Span:
    """Return the part of a text to draw, around a position."""
    start = max(0, min(around - _BEFORE, length - SHOWN))
    return Span(start, min(length, start + SHOWN))


def first_of_interest(at: Span | None, found: Sequence[tuple[int, int]], marks: Sequence[Values]) -> int:
    """Return the position to show first: a requested or found one, else the first wrong one, else the first mark."""
    if at is not None:
        return at.start
    if found:
        return found[0][0]
    wrong = (spot["start"] for mark in marks for spot in mark["spots"] if spot["look"] == "wrong")
    faulty = (mark["start"] for mark in marks if mark["faulty"])
    read = (mark["start"] for mark in marks)
    return next((place for places in (wrong, faulty, read) for place in places), 0)


def within(part: Span, placed: Sequence[Values]) -> Iterator[Values]:
    """Yield the marks within a part of a text, cut at its ends, with their spots."""
    for each in placed:
        start, end = max(each["start"], part.start), min(each["end"], part.end)
        if start < end or (start == end and each["start"] == each["end"]):
            inner = {"spots": list(within(part, each["spots"]))} if each.get("spots") else {}
            yield each | {"start": start, "end": end} | inner


def gaps(part: Span, length: int) -> tuple[list[Values], list[Values]]:
    """Return the tokens for the text before and after a part; each has a position that leads to the adjacent part."""
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
