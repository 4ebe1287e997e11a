"""Whether a difference between two readings of the same turns is more than chance."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import erfc, exp, lgamma, log, sqrt
from typing import TypeAlias

from actionledger.core.rates import Z_95, Cells, Clustering
from actionledger.replay.statistics.flipping import SURE, Cell, Span, inverted, inverted_by_sums, spans

_EXACT = 5_000
"""Up to this sum of shifts every way they can fall is counted; above, their sum is as good as normal."""

_NEGLIGIBLE = 1e-18
"""A probability that nobody would miss, and the least that a test over sessions gives."""


def mcnemar(only_before: int, only_after: int) -> float:
    """Return the two-sided p-value of the exact McNemar test.

    Under the hypothesis that nothing changed, each of the turns that differ is as likely to differ one way as the other:
    a binomial test with one half (Q. McNemar, Psychometrika 12, 1947, in its exact form).
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
    """Return the two-sided p-value of the sign-flip test over sessions: the McNemar test where turns cluster in sessions.

    Under the hypothesis that nothing changed, what a session's turns won or lost together is as likely to be the other way
    round, whatever its turns have in common (R. A. Fisher, "The Design of Experiments", 1935, section 21, with sessions as
    pairs). All ways of turning sessions round are counted; where no session has two turns that differ, this is
    the exact McNemar test.
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
    """Return the least p-value that the sign-flip test can give where so many sessions shift: had all of them shifted one way."""
    shifting = sum(sessions for shift, sessions in shifts.items() if shift)
    return min(1.0, 2 * 0.5 ** min(shifting, 60))


def _binomial(count: int) -> Iterator[tuple[float, int]]:
    """Yield how likely each number of heads is in so many throws of a coin, the negligible left out."""
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
    Binomial Proportions Based on Paired Data", Journal of Educational and Behavioral Statistics 37 (2012), at the count
    that sessions leave. Where the sessions themselves are known, it holds all that the sign-flip test doesn't reject,
    and says of 0 what that test says: the end towards 0 of a difference that is more than chance is the test's.
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
    # The same draws for both ways to name the two readings.
    least, most = _agreeing(-high, -low, mirrored)
    return -most, -least


def _adjusted_wald(only_before: float, only_after: float, pairs: float) -> tuple[float, float]:
    lost, won = (only_before + 1) / (pairs + 2), (only_after + 1) / (pairs + 2)
    centre = won - lost
    margin = Z_95 * sqrt((won + lost - centre**2) / (pairs + 2))
    return max(-1.0, centre - margin), min(1.0, centre + margin)


_Cells: TypeAlias = tuple[tuple[tuple[int, int], int], ...]


def shifted(cells: Cells) -> float:
    """Return how many sessions have shifted, by L. Kish's formula."""
    shifts = [(abs(score), sessions) for (_, score), sessions in cells.items()]
    squares = sum(shift * shift * sessions for shift, sessions in shifts)
    return sum(shift * sessions for shift, sessions in shifts) ** 2 / squares if squares else 0.0


@lru_cache(maxsize=256)
def _agreeing(low: float, high: float, cells: _Cells) -> tuple[float, float]:
    """Return an interval as far as the sign-flip test's on either side, and no farther than it towards 0 of what is more than chance."""
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
