"""Repairs as a difference of texts: the line as the model wrote it, and as it was read."""

from collections.abc import Iterator, Sequence

from actionledger.core.values import Block, Repair, Span
from actionledger_dashboard.components.visible import pieces
from actionledger_dashboard.viewer.looks import Values, place, words

AROUND = 40
"""How many characters of the same line are shown on either side of a change."""
_LONGEST = 400
"""How much of one change is shown, in characters."""


def differences(text: str, block: Block) -> list[Values]:
    """Return what a block's repairs changed, those on one line that are near each other as one difference."""
    ordered = sorted(block.repairs, key=lambda repair: repair.span)
    return [_difference(text, group) for group in _groups(text, ordered)]


def _groups(text: str, repairs: Sequence[Repair]) -> Iterator[list[Repair]]:
    """Yield repairs that are told together; one that is no replacement of the text it names stands alone."""
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
    """Yield what stood there or was read, in stretches, and whether each is a change."""
    at = group[0].span.start
    for repair in group:
        yield text[at : repair.span.start], False
        yield _seen(repair.before if is_before else repair.after), True
        at = repair.span.end


def _line(before: str, changes: Iterator[tuple[str, bool]], after: str) -> list[Values]:
    parts = [(before, False), *changes, (after, False)]
    return [{"text": pieces(part), "changed": changed} for part, changed in parts if part]


def _seen(text: str) -> str:
    """Return changed text so that a line break in it is seen."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text) - _LONGEST:,} more)"
    return cut.replace("\n", "↵\n").replace("\t", "⇥")


def _ahead(text: str, start: int) -> str:
    found = text[max(0, start - AROUND) : start].rpartition("\n")[2]
    return f"…{found}" if len(found) == AROUND < start else found


def _behind(text: str, end: int) -> str:
    found = text[end : end + AROUND].partition("\n")[0]
    return f"{found}…" if len(found) == AROUND and end + AROUND < len(text) else found
