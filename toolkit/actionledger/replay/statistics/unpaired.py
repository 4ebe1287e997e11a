"""Two rates over different turns: two models, two weeks, two runs that share none."""

from math import erfc, hypot, sqrt
from statistics import NormalDist

from actionledger.core.errors import require_kind
from actionledger.core.rates import Z_95, Rate
from actionledger.replay.statistics.flipping import SURE
from actionledger.replay.statistics.permuting import permutation_test

_LEAST_P, _LEAST_QUANTILE, _MOST_QUANTILE = 1e-300, 0.5, 100.0
"""How far p-values and quantiles are followed: beyond, an end is what it is there."""


def difference_test(before: Rate, after: Rate) -> float | None:
    """Return the two-sided p-value of two rates over different turns, sessions taken into account.

    The studentised permutation test of sessions (``permuting``). Where each thing stands for itself, where only sums over
    sessions are known, or more than 500 sessions are on the smaller side or 20,000 on both, it is the score test.

    Args:
        before: the first rate.
        after: the second, over other turns.

    Returns:
        0 to 1; None where one of the rates has no interval.

    Example:
        >>> one, other = (
        ...     al.statistics.rate([turn < hits for turn in range(40)], by=[turn // 2 for turn in range(40)])
        ...     for hits in (10, 30)
        ... )
        >>> al.statistics.difference_test(one, other)
        0.004
    """
    p_value = score_test(before, after)
    if p_value is None or before.clustering is None or after.clustering is None:
        return p_value
    one, other = before.clustering.cells, after.clustering.cells
    dealt = None if one is None or other is None else permutation_test(one, other)
    return p_value if dealt is None else dealt


def unpaired_difference(
    before: Rate, after: Rate, p_value: float | None = None
) -> tuple[float, float] | None:
    """Return the 95 % interval of the difference between two rates over different turns (second minus first).

    The hybrid score interval of R. G. Newcombe, "Interval Estimation for the Difference between Independent Proportions",
    Statistics in Medicine 17 (1998), method 10, of the rates' own intervals: where turns cluster in sessions, of the wider ones.
    It says of 0 what the test says: where the two would contradict each other, the end that is nearer to 0 is put where the test has it.

    Args:
        before: the first rate.
        after: the second, over other turns.
        p_value: that of the test; by default of ``difference_test``.

    Returns:
        Its ends, each -1 to 1; None where one of the rates has no interval.

    Example:
        >>> low, high = al.statistics.unpaired_difference(al.Rate(56, 70), al.Rate(48, 80))
        >>> round(low, 4), round(high, 4)
        (-0.3339, -0.0524)
    """
    for rate in (before, after):
        require_kind(rate, Rate, "What is compared are two rates, as al.statistics.rate gives them")
    tested = difference_test(before, after) if p_value is None else p_value
    first, second = before.effective_count, after.effective_count
    if first is None or second is None or before.value is None or after.value is None or tested is None:
        return None
    return _agreeing(before, after, tested)


def score_test(before: Rate, after: Rate) -> float | None:
    """Return the two-sided p-value of the score test of two rates over different turns.

    The z test with the pooled share (K. Pearson's chi-square of the 2 x 2 table without a correction), with the counts that
    sessions leave of the rates (J. N. K. Rao and A. J. Scott, "A Simple Method for the Analysis of Clustered Binary Data",
    Biometrics 48, 1992).

    Args:
        before: the first rate.
        after: the second, over other turns.

    Returns:
        0 to 1; None where one of the rates has no interval.

    Example:
        >>> round(al.statistics.score_test(al.Rate(56, 70), al.Rate(48, 80)), 4)
        0.008
    """
    for rate in (before, after):
        require_kind(rate, Rate, "What is compared are two rates, as al.statistics.rate gives them")
    first, second = before.effective_count, after.effective_count
    if first is None or second is None or before.value is None or after.value is None:
        return None
    pooled = (before.value * first + after.value * second) / (first + second)
    deviation = sqrt(pooled * (1 - pooled) * (1 / first + 1 / second))
    return erfc(abs(after.value - before.value) / deviation / sqrt(2)) if deviation else 1.0


def _agreeing(before: Rate, after: Rate, p_value: float) -> tuple[float, float]:
    """Return Newcombe's interval; where the test says otherwise of 0, the end towards 0 lies on the side on which the test has it.

    That end is Newcombe's at the quantile that belongs to 95 % if the quantile at which it would reach 0 is taken for that of
    the p-value: a test-based end (O. Miettinen, "Estimability and Estimation in Case-Referent Studies", American
    Journal of Epidemiology 103, 1976).
    """
    low, high = _newcombe(before, after, Z_95)
    if (p_value < SURE) is not (low <= 0 <= high):
        return low, high
    is_more = (after.value or 0.0) > (before.value or 0.0)
    tested = max(_LEAST_QUANTILE, -NormalDist().inv_cdf(max(_LEAST_P, p_value) / 2))
    towards = _newcombe(before, after, Z_95 * _reaching_zero(before, after, is_more=is_more) / tested)
    return (towards[0], high) if is_more else (low, towards[1])


def _newcombe(before: Rate, after: Rate, quantile: float) -> tuple[float, float]:
    first, second = before.interval_at(quantile), after.interval_at(quantile)
    one, other = before.value, after.value
    if first is None or second is None or one is None or other is None:
        return -1.0, 1.0
    change = other - one
    down = hypot(other - second[0], first[1] - one)
    up = hypot(second[1] - other, one - first[0])
    return max(-1.0, change - down), min(1.0, change + up)


def _reaching_zero(before: Rate, after: Rate, *, is_more: bool) -> float:
    """Return the quantile at which the interval's end towards 0 is 0."""
    least, most = 0.0, _MOST_QUANTILE
    for _ in range(60):
        middle = (least + most) / 2
        low, high = _newcombe(before, after, middle)
        is_short = low > 0 if is_more else high < 0
        least, most = (middle, most) if is_short else (least, middle)
    return least
