"""Sessions or tasks that are turned round: which differences a sign-flip test leaves possible."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import ceil, inf, sqrt
from operator import mul
from random import Random
from typing import NamedTuple

from actionledger.core.rates import Z_95

DRAWS = 1_999
"""How often all are turned round by chance, beside the way that was seen; where there are hardly more ways, each of them once."""

SURE = 0.05
"""Below this p-value a difference is taken for more than chance, and its interval leaves out 0."""

_MOST_CELLS = 400
"""Where more kinds of sessions than this are told apart, their sum is as good as normal."""

_ROUNDING = 1e-12
"""By how much two means of the same things may differ."""


class Cell(NamedTuple):
    """Sessions that are alike: of what size each is, the sum of their scores, and how many such sessions there are."""

    size: int
    score: float
    sessions: int


class Span(NamedTuple):
    """The differences of which one way of turning sessions round is as far out as what was seen."""

    low: float
    high: float

    @property
    def has_zero(self) -> bool:
        """Whether no difference is one of them."""
        return self.low <= _ROUNDING and self.high >= -_ROUNDING


def spans(cells: Sequence[Cell], *, seed: int = 1, draws: int = DRAWS) -> list[Span]:
    """Return the spans of the ways to turn sessions round, that of the way that was seen among them.

    Were the true mean difference d, a session's score less d times its count would be as likely the other way round. Those that
    are turned round have one mean, the others another, and what was seen lies between the two: so far, and no farther,
    may d be for this way to be as far out.
    """
    count = sum(cell.size * cell.sessions for cell in cells)
    score = sum(cell.score * cell.sessions for cell in cells)
    found = (_span(count, score, *turned) for turned in _ways(cells, seed, draws))
    return list(found)


def share_with_zero(found: Sequence[Span]) -> float:
    """Return the two-sided p-value of no difference: of how many ways it is in the span."""
    return sum(span.has_zero for span in found) / len(found)


def inverted(found: Sequence[Span], p_value: float) -> tuple[float, float]:
    """Return the 95 % interval of the differences that the sign-flip test doesn't reject."""
    # All spans hold what was seen, so that fewer and fewer hold a difference the farther it is from there.
    place = ceil(SURE * len(found) - _ROUNDING) - 1
    lows, highs = sorted(span.low for span in found), sorted((span.high for span in found), reverse=True)
    low, high = lows[place], highs[place]
    if p_value >= SURE:
        low, high = min(low, 0.0), max(high, 0.0)
    elif low <= _ROUNDING and high >= -_ROUNDING:
        # The draws are off by a way or two: the next one leaves 0 out.
        if lows[-1] > _ROUNDING:
            low = next(each for each in lows if each > _ROUNDING)
        else:
            high = next((each for each in highs if each < -_ROUNDING), high)
    return max(-1.0, low), min(1.0, high)


def inverted_by_sums(cells: Sequence[Cell]) -> tuple[float, float] | None:
    """Return the same interval where the sum over sessions is normal; None where there are too few kinds of sessions for that."""
    if len(cells) <= _MOST_CELLS:
        return None
    count = sum(cell.size * cell.sessions for cell in cells)
    score = sum(cell.score * cell.sessions for cell in cells)
    sizes, totals, products = (
        sum(each * cell.sessions for each, cell in zip(terms, cells, strict=True))
        for terms in (
            [cell.size**2 for cell in cells],
            [cell.score**2 for cell in cells],
            [cell.size * cell.score for cell in cells],
        )
    )
    # (score - d count)² = z² (totals - 2 d products + d² sizes), solved for d.
    square = count * count - Z_95**2 * sizes
    middle = score * count - Z_95**2 * products
    rest = score * score - Z_95**2 * totals
    if square <= 0:
        return -1.0, 1.0
    spread = sqrt(max(0.0, middle * middle - square * rest))
    return max(-1.0, (middle - spread) / square), min(1.0, (middle + spread) / square)


def _ways(cells: Sequence[Cell], seed: int, draws: int) -> Iterator[tuple[int, float]]:
    """Yield of each way how many things are in the sessions that stay as they are, and the sum of their scores."""
    sessions = sum(cell.sessions for cell in cells)
    if 2**sessions <= draws + 1:
        each = [(cell.size, cell.score) for cell in cells for _ in range(cell.sessions)]
        for stay in product((1, 0), repeat=sessions):
            yield (
                sum(size for stays, (size, _) in zip(stay, each, strict=True) if stays),
                sum(score for stays, (_, score) in zip(stay, each, strict=True) if stays),
            )
        return
    yield sum(cell.size * cell.sessions for cell in cells), 0.0
    chance = Random(seed)  # noqa: S311 - drawn to be repeated, not to be unforeseeable
    sizes, scores = [cell.size for cell in cells], [cell.score for cell in cells]
    many = [cell.sessions for cell in cells]
    for _ in range(draws):
        kept = [each.bit_count() for each in map(chance.getrandbits, many)]
        yield sum(map(mul, kept, sizes)), sum(map(mul, kept, scores))


def _span(count: int, score: float, kept: int, kept_score: float) -> Span:
    if kept in {0, count}:
        return Span(-inf, inf)
    ends = kept_score / kept, (score - kept_score) / (count - kept)
    return Span(min(ends), max(ends))
