"""Two rates over different turns: two models, two weeks, two runs that share none."""

from math import erfc, hypot, sqrt

from actionledger.errors import require_kind
from actionledger.rates import Rate


def unpaired_difference(before: Rate, after: Rate) -> tuple[float, float] | None:
    """Return the 95 % interval of the difference between two rates over different turns (second minus first).

    The hybrid score interval of R. G. Newcombe, "Interval Estimation for the Difference between Independent Proportions",
    Statistics in Medicine 17 (1998), method 10, of the rates' own intervals: where turns cluster in sessions, of the wider ones.

    Args:
        before: the first rate.
        after: the second, over other turns.

    Returns:
        Its ends, each -1 to 1; None where one of the rates has no interval.

    Example:
        >>> low, high = al.statistics.unpaired_difference(al.Rate(56, 70), al.Rate(48, 80))
        >>> round(low, 4), round(high, 4)
        (-0.3339, -0.0524)
    """
    for rate in (before, after):
        require_kind(rate, Rate, "What is compared are two rates, as al.statistics.rate gives them")
    first, second = before.interval, after.interval
    if first is None or second is None or before.value is None or after.value is None:
        return None
    change = after.value - before.value
    down = hypot(after.value - second[0], first[1] - before.value)
    up = hypot(second[1] - after.value, before.value - first[0])
    return max(-1.0, change - down), min(1.0, change + up)


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
