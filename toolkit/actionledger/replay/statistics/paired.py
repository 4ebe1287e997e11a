"""Sign-flip tests of whether two parses of the same turns, or two attempts at the same tasks, differ by more than chance."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import ceil, erfc, exp, inf, lgamma, log, sqrt
from operator import mul
from random import Random
from typing import NamedTuple, TypeAlias

from actionledger.core.rates import Z_95, Cells, Clustering

DRAWS = 1_999
"""Number of random flips besides the observed one; if there are hardly more ways, each is used once."""

SURE = 0.05
"""Below this p-value a difference counts as more than chance, and its interval excludes 0."""

_MOST_CELLS = 400
"""With more kinds of sessions than this, their sum is treated as normal."""

_ROUNDING = 1e-12
"""Tolerance for the means of the same items."""


class Cell(NamedTuple):
    """A group of equal sessions: the size of each, the sum of its scores, and the number of sessions."""

    size: int
    score: float
    sessions: int


class Span(NamedTuple):
    """The range of differences for which one way of flipping sessions is at least as extreme as the observed one."""

    low: float
    high: float

    @property
    def has_zero(self) -> bool:
        """Whether it contains no difference (0)."""
        return self.low <= _ROUNDING and self.high >= -_ROUNDING


def spans(cells: Sequence[Cell], *, seed: int = 1, draws: int = DRAWS) -> list[Span]:
    """Return the span of each way of flipping sessions, including the observed one.

    If the true mean difference were d, a session's score minus d times its count would be equally likely with the opposite sign.
    The flipped sessions have one mean, the others another, and the observed mean lies between the two. These two means bound the d
    for which this way is as extreme.
    """
    count = sum(cell.size * cell.sessions for cell in cells)
    score = sum(cell.score * cell.sessions for cell in cells)
    found = (_span(count, score, *turned) for turned in _ways(cells, seed, draws))
    return list(found)


def share_with_zero(found: Sequence[Span]) -> float:
    """Return the two-sided p-value of no difference: the share of spans that contain it."""
    return sum(span.has_zero for span in found) / len(found)


def inverted(found: Sequence[Span], p_value: float) -> tuple[float, float]:
    """Return the 95 % interval: the differences that the sign-flip test doesn't reject."""
    # All spans contain the observed difference, so fewer contain a difference the farther it is from there.
    place = ceil(SURE * len(found) - _ROUNDING) - 1
    lows, highs = sorted(span.low for span in found), sorted((span.high for span in found), reverse=True)
    low, high = lows[place], highs[place]
    if p_value >= SURE:
        low, high = min(low, 0.0), max(high, 0.0)
    elif low <= _ROUNDING and high >= -_ROUNDING:
        # The draws are off by a way or two: the next one excludes 0.
        if lows[-1] > _ROUNDING:
            low = next(each for each in lows if each > _ROUNDING)
        else:
            high = next((each for each in highs if each < -_ROUNDING), high)
    return max(-1.0, low), min(1.0, high)


def inverted_by_sums(cells: Sequence[Cell]) -> tuple[float, float] | None:
    """Return the same interval if the sum over sessions is normal; None with too few kinds of sessions for that."""
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
    """Yield, for each way, the number of items in the unflipped sessions and the sum of their scores."""
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
    chance = Random(seed)  # noqa: S311 - must be repeatable, not secure
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


_EXACT = 5_000
"""Up to this sum of shifts, all combinations are counted; above, their sum is treated as normal."""

_NEGLIGIBLE = 1e-18
"""A negligible probability, and the smallest p-value that a test over sessions returns."""


def mcnemar(only_before: int, only_after: int) -> float:
    """Return the two-sided p-value of the exact McNemar test.

    If nothing changed, each turn that differs is equally likely to differ either way: a binomial test with one half (Q. McNemar,
    Psychometrika 12, 1947, in its exact form).
    """
    differing, fewer = only_before + only_after, min(only_before, only_after)
    if 2 * fewer >= differing - 1:
        return 1.0
    log_half = differing * log(0.5)
    tail = sum(
        exp(lgamma(differing + 1) - lgamma(k + 1) - lgamma(differing - k + 1) + log_half)
        for k in range(fewer + 1)
    )
    return min(1.0, 2 * tail)


def session_test(shifts: Mapping[int, int]) -> float:
    """Return the two-sided p-value of the sign-flip test over sessions: the McNemar test for turns clustered in sessions.

    If nothing changed, a session's total gain or loss is equally likely with the opposite sign, however its turns are correlated
    (R. A. Fisher, "The Design of Experiments", 1935, section 21, with sessions as pairs). All ways of flipping sessions are
    counted. If no session has two turns that differ, this is the exact McNemar test.
    """
    observed = abs(sum(shift * sessions for shift, sessions in shifts.items()))
    sizes: dict[int, int] = defaultdict(int)
    for shift, sessions in shifts.items():
        sizes[abs(shift)] += sessions
    if sum(size * sessions for size, sessions in sizes.items()) > _EXACT:
        deviation = sqrt(sum(size * size * sessions for size, sessions in sizes.items()))
        return max(_NEGLIGIBLE, erfc(max(0, observed - 1) / deviation / sqrt(2)))
    sums = {0: 1.0}
    for size, sessions in sizes.items():
        added: dict[int, float] = defaultdict(float)
        for share, won in _binomial(sessions):
            for before, likely in sums.items():
                added[before + size * (2 * won - sessions)] += likely * share
        sums = {at: likely for at, likely in added.items() if likely > _NEGLIGIBLE}
    tail = sum(likely for at, likely in sums.items() if abs(at) >= observed)
    return min(1.0, max(_NEGLIGIBLE, tail))


def least_by_flipping(shifts: Mapping[int, int]) -> float:
    """Return the smallest p-value that the sign-flip test can give for these sessions: if all had shifted one way."""
    shifting = sum(sessions for shift, sessions in shifts.items() if shift)
    return min(1.0, 2 * 0.5 ** min(shifting, 60))


def _binomial(count: int) -> Iterator[tuple[float, int]]:
    """Yield the probability of each number of heads in this many coin throws, without negligible ones."""
    log_half = count * log(0.5)
    for won in range(count + 1):
        likely = exp(lgamma(count + 1) - lgamma(won + 1) - lgamma(count - won + 1) + log_half)
        if likely > _NEGLIGIBLE:
            yield likely, won


def paired_difference(
    only_before: int, only_after: int, pairs: int, clustering: Clustering | None = None
) -> tuple[float, float] | None:
    """Return the 95 % interval of the difference between two rates over the same turns (second minus first).

    The adjusted Wald interval of D. G. Bonett and R. M. Price, "Adjusted Wald Confidence Interval for a Difference of
    Binomial Proportions Based on Paired Data", Journal of Educational and Behavioral Statistics 37 (2012), at the effective sample
    size with sessions as clusters. If the sessions themselves are known, it contains all differences that the sign-flip test
    doesn't reject. It agrees with that test about 0: for a significant difference, the end towards 0 is the test's.
    """
    if clustering is None:
        return _adjusted_wald(only_before, only_after, pairs)
    if not pairs or not clustering.is_enough(pairs):
        return None
    score, squares = only_after - only_before, only_after + only_before
    cells = clustering.cells
    together = squares * squares / clustering.totals if clustering.totals else 0.0
    bearing = together if cells is None else shifted(cells)
    effective = clustering.effective_count(pairs, score, squares, bearing)
    share = effective / pairs
    low, high = _adjusted_wald(only_before * share, only_after * share, effective)
    if not cells:
        return low, high
    told = tuple(sorted(cells.items()))
    mirrored = tuple(sorted(((count, -score), sessions) for (count, score), sessions in cells.items()))
    if told <= mirrored:
        return _agreeing(low, high, told)
    # The draws don't depend on the order of the two sides.
    least, most = _agreeing(-high, -low, mirrored)
    return -most, -least


def _adjusted_wald(only_before: float, only_after: float, pairs: float) -> tuple[float, float]:
    lost, won = (only_before + 1) / (pairs + 2), (only_after + 1) / (pairs + 2)
    centre = won - lost
    margin = Z_95 * sqrt((won + lost - centre**2) / (pairs + 2))
    return max(-1.0, centre - margin), min(1.0, centre + margin)


_Cells: TypeAlias = tuple[tuple[tuple[int, int], int], ...]


def shifted(cells: Cells) -> float:
    """Return the effective number of sessions that shifted, by L. Kish's formula."""
    shifts = [(abs(score), sessions) for (_, score), sessions in cells.items()]
    squares = sum(shift * shift * sessions for shift, sessions in shifts)
    return sum(shift * sessions for shift, sessions in shifts) ** 2 / squares if squares else 0.0


@lru_cache(maxsize=256)
def _agreeing(low: float, high: float, cells: _Cells) -> tuple[float, float]:
    """Widen an interval to the sign-flip test's; if the difference is significant, its end towards 0 is the test's."""
    shifts: Counter[int] = Counter()
    for (_, score), sessions in cells:
        shifts[score] += sessions
    p_value = session_test({score: sessions for score, sessions in shifts.items() if score})
    each = [Cell(count, score, sessions) for (count, score), sessions in cells if count]
    by_sums = inverted_by_sums(each)
    least, most = inverted(spans(each) if by_sums is None else [Span(*by_sums)], p_value)
    if p_value >= SURE:
        return min(low, least), max(high, most)
    return (least, max(high, most)) if least > 0 else (min(low, least), most)


TASK_DRAWS = 4_999
"""Number of random flips of the tasks."""

MINIMUM_TASKS = 10
"""Minimum number of tasks for an interval."""


def task_test(differences: Sequence[float], *, seed: int = 1) -> float:
    """Return the two-sided p-value of the sign-flip test over tasks.

    If nothing differs, each task's difference is equally likely with the opposite sign (R. A. Fisher, "The Design of Experiments",
    1935, section 21). All ways of flipping them are counted; for many tasks they are sampled, with the observed one included (B.
    Phipson and G. K. Smyth, "Permutation P-values Should Never Be Zero", 2010).

    Args:
        differences: for each task, the second share minus the first.
        seed: the seed for sampling.

    Returns:
        Above 0, at most 1.

    Example:
        >>> al.statistics.task_test([0.5, 0.0, 1.0, 0.5, -0.5, 1.0, 1.0, 0.5])
        0.078125
    """
    return share_with_zero(spans(_each(differences), seed=seed, draws=TASK_DRAWS)) if differences else 1.0


def task_difference(differences: Sequence[float], *, seed: int = 1) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean difference over tasks: the values that the sign-flip test over tasks doesn't reject.

    Args:
        differences: for each task, the second share minus the first.
        seed: the seed for sampling.

    Returns:
        Its ends, each -1 to 1; None with fewer than ten tasks.

    Example:
        >>> low, high = al.statistics.task_difference([0.5, 0.0, 1.0, 0.5, -0.5, 1.0, 1.0, 0.5, 0.0, 0.5])
        >>> round(low, 3), round(high, 3)
        (0.1, 0.8)
    """
    if len(differences) < MINIMUM_TASKS:
        return None
    found = spans(_each(differences), seed=seed, draws=TASK_DRAWS)
    return inverted(found, share_with_zero(found))


def _each(differences: Sequence[float]) -> list[Cell]:
    return [Cell(1, difference, 1) for difference in differences]
