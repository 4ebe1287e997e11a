"""What is marked in a response: its blocks, what is faulty or was repaired within them, and where each action stands."""

from collections.abc import Iterator, Sequence

from actionledger.core.values import Block, Issue, Span
from actionledger.ledger.queries import TurnDetail
from actionledger_dashboard.components.visible import pieces
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
    """Return a mark for each block, and for each issue that stands outside of every block, in text order."""
    spans = [block.span for block in detail.blocks]
    found = [_block_mark(block, detail) for block in detail.blocks]
    found += [
        _issue_mark(issue, issue.span)
        for issue in detail.issues
        if issue.span is not None and not any(overlap(issue.span, span) for span in spans)
    ]
    return list(_apart(sorted(found, key=lambda mark: (mark["start"], mark["end"]))))


def calls_of(detail: TurnDetail) -> list[Values]:
    """Return where each action stands, in text order; of two at the same characters the first."""
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
        # Where nothing within it says what is wrong, all of it is.
        "faulty": look_of(block.status) == "bad" and not any(spot["look"] == "wrong" for spot in spots),
        "spots": spots,
    }


def _spots(block: Block, issues: Sequence[Issue]) -> Iterator[Values]:
    """Yield the places within a block that were repaired or are wrong, in text order, each once, what is wrong first."""
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
