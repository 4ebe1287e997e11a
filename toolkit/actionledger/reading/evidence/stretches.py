"""The parts of a response that no dialect has read: its fences, and what stands between them and the blocks."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from actionledger.core.values import Span
from actionledger.reading.scan.openings import Openers, Opening, is_fence
from actionledger.reading.scan.source import Source

_FENCES = Openers(frozenset(), frozenset(), fences=True)


class Stretch(NamedTuple):
    """A part of the response that no dialect has read.

    Args:
        span: all of it, its fence included.
        body: what stands in it.
        is_fence: whether it is a fence.
    """

    span: Span
    body: Span
    is_fence: bool


def stretches(
    source: Source, covered: Sequence[Span], fenced: Sequence[tuple[Span, Span]]
) -> Iterator[Stretch]:
    """Yield the fences and what stands between them and the blocks that were read."""
    text, end, at, low = source.text, len(source.text), 0, 0
    known = {span.start: (span, body) for span, body in fenced}
    for block in [*covered, Span(end, end)]:
        while (opening := _FENCES.next(text, at, block.start)) is not None:
            at = max(opening.end, opening.start + 1)
            if not is_fence(opening, text):
                continue
            span, body = known.get(opening.start) or _fence(source, opening, block.start)
            yield from _open(low, opening.start)
            yield Stretch(span, body, is_fence=True)
            low = at = max(at, span.end)
        yield from _open(low, block.start)
        low = at = max(low, block.end)


def _open(start: int, end: int) -> Iterator[Stretch]:
    if start < end:
        yield Stretch(Span(start, end), Span(start, end), is_fence=False)


def _fence(source: Source, opening: Opening, end: int) -> tuple[Span, Span]:
    closing = source.closing_fence(opening, opening.end, end)
    return Span(opening.start, closing.end), Span(opening.end, closing.start)
