"""Permutation tests over sessions of whether two rates over different turns differ by more than chance."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import comb, erfc, hypot, inf, prod, sqrt
from random import Random
from statistics import NormalDist
from typing import NamedTuple

from actionledger.core.errors import require_kind
from actionledger.core.rates import Z_95, Cells, Rate
from actionledger.replay.statistics.paired import SURE

_LEAST_P, _LEAST_QUANTILE, _MOST_QUANTILE = 1e-300, 0.5, 100.0
"""Limits of p-values and quantiles; beyond them an interval's end stays at the limit."""


def difference_test(before: Rate, after: Rate) -> float | None:
    """Return the two-sided p-value of two rates over different turns, clustered by session.

    It uses the studentised permutation test over sessions (``permuting``). The score test is used instead for independent items, if
    only sums over sessions are known, or for many sessions: over 500 on the smaller side, or 20,000 in all.

    Args:
        before: the first rate.
        after: the second, over other turns.

    Returns:
        0 to 1; None if one of the rates has no interval.

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
    Statistics in Medicine 17 (1998), method 10, from the rates' own intervals, which are wider if turns cluster in sessions. It
    agrees with the test about 0: if the two would contradict each other, the end nearer to 0 is moved to the test's.

    Args:
        before: the first rate.
        after: the second, over other turns.
        p_value: the test's p-value; by default that of ``difference_test``.

    Returns:
        Its ends, each -1 to 1; None if one of the rates has no interval.

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

    The z test with the pooled share (K. Pearson's chi-square of the 2 x 2 table without a correction), with the rates' effective
    counts under clustering by session (J. N. K. Rao and A. J. Scott, "A Simple Method for the Analysis of Clustered Binary Data",
    Biometrics 48, 1992).

    Args:
        before: the first rate.
        after: the second, over other turns.

    Returns:
        0 to 1; None if one of the rates has no interval.

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
    """Return Newcombe's interval; if the test disagrees about 0, the end towards 0 is moved to the test's side.

    That end is a test-based one: Newcombe's at the 95 % quantile, rescaled so that the end reaches 0 at the p-value's quantile (O.
    Miettinen, "Estimability and Estimation in Case-Referent Studies", American
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


DRAWS = 1_999
"""Number of random deals of the sessions besides the observed one; if there are no more ways, each is used once."""

MOST_SESSIONS = 500
_MOST_IN_ALL = 20_000
"""Limits for dealing: with more sessions on the smaller side, a sum is as good as normal; with more on both sides together, it takes too long."""

_MOST_DRAWS = 19_999
_MOST_STEPS = 4_000_000
"""With many groups, the maximum number of deals, and of additions for them."""

_CERTAIN = 60
"""This many informative sessions are more than enough to reach any p-value."""

_LANE = 64
_MASK = (1 << _LANE) - 1
"""Three sums are packed into one integer, with this many bits each, so that a deal is summed in one step."""

_ROUNDING = 1e-9
"""Tolerance for two statistics of the same deal."""


class Side(NamedTuple):
    """The sums over one side's sessions, or over all: sessions, items, items with the property, squares and products."""

    sessions: int
    things: int
    sizes: int
    hits: int
    totals: int
    products: int


def is_dealt(before: int, after: int) -> bool:
    """Return whether the number of sessions on either side is small enough for permutation."""
    return min(before, after) <= MOST_SESSIONS and before + after <= _MOST_IN_ALL


def permutation_test(before: Cells, after: Cells, *, seed: int = 1) -> float | None:
    """Return the two-sided p-value of the studentised permutation test over sessions, for two rates."""
    if not is_dealt(sum(before.values()), sum(after.values())):
        return None
    one, other = sorted((_each(before), _each(after)))  # the same permutations, whichever side is named first
    sizes = [count for count, _ in one + other]
    hits = {place: score for place, (_, score) in enumerate(one + other) if score}
    [p_value] = permutation_tests(sizes, len(one), [hits], seed=seed)
    return p_value


def smallest_p_value(before: int, after: int, telling: int) -> float:
    """Return the smallest possible p-value: the probability that one side gets all the sessions that show a difference."""
    sessions = before + after
    if not 0 < telling <= sessions:
        return 1.0
    return min(1.0, _all_on(before, sessions, telling) + _all_on(after, sessions, telling))


def _all_on(side: int, sessions: int, telling: int) -> float:
    if telling > side:
        return 0.0
    return prod((side - place) / (sessions - place) for place in range(min(telling, _CERTAIN)))


def permutation_tests(
    sizes: Sequence[int], first: int, groups: Sequence[Mapping[int, int]], *, seed: int = 1
) -> list[float]:
    """Return the p-values of the studentised permutation test over sessions, for several properties of the same items.

    If both sides have one rate, sessions can be dealt to them at random. The statistic is the difference of the rates over its
    standard error by sessions, so the test also holds if the sides' sessions differ in length and correlation (E. Chung and J. P.
    Romano, "Exact and Asymptotically Robust Permutation Tests", Annals of
    Statistics 41, 2013). The observed deal is counted among them (B. Phipson and G. K. Smyth, "Permutation P-values
    Should Never Be Zero", 2010).
    """
    dealt = min(first, len(sizes) - first)
    if dealt < 1:
        return [1.0] * len(groups)
    lengths = [_packed(1, size, size * size) for size in sizes]
    found = [_Group(sizes, group) for group in groups]
    whole = sum(lengths)
    ours = range(first) if dealt == first else range(first, len(sizes))
    seen = [group.statistic(whole, lengths, set(ours)) - _ROUNDING for group in found]
    as_far = [0] * len(groups)
    steps = dealt + sum(min(dealt, len(group.hits)) + 3 for group in found)
    # The number of deals: with many groups, a p-value must be able to become small enough for Holm's procedure.
    every, deals = _deals(
        len(sizes), dealt, max(DRAWS, min(_MOST_DRAWS, 100 * len(groups), _MOST_STEPS // steps)), seed
    )
    ways = 0
    for deal in deals:
        ways += 1
        for place, group in enumerate(found):
            as_far[place] += group.statistic(whole, lengths, deal) >= seen[place]
    # If all deals were tried, the observed one is among them.
    return [(times + (not every)) / (ways + (not every)) for times in as_far]


class _Group:
    """The items with a property, or those without it, whichever are rarer: the statistic is the same, and its sums are faster."""

    def __init__(self, sizes: Sequence[int], hits: Mapping[int, int]) -> None:
        lacking = {place: size - hits.get(place, 0) for place, size in enumerate(sizes)}
        rarer = min((hits, lacking), key=lambda each: sum(map(bool, each.values())))
        self.hits = {
            place: _packed(score, score * score, score * sizes[place])
            for place, score in rarer.items()
            if score
        }
        self._whole = sum(self.hits.values())

    def statistic(self, whole: int, lengths: Sequence[int], deal: set[int]) -> float:
        """Return the squared difference of the two sides' rates over its variance."""
        ours = sum(map(lengths.__getitem__, deal))
        hits = sum(map(self.hits.__getitem__, self.hits.keys() & deal))
        one = Side(*_unpacked(ours), *_unpacked(hits))
        other = Side(*_unpacked(whole - ours), *_unpacked(self._whole - hits))
        difference = one.hits / one.things - other.hits / other.things
        if abs(difference) < _ROUNDING:
            return 0.0
        variance = _variance(one) + _variance(other)
        return difference * difference / variance if variance > _ROUNDING**2 else inf


def _variance(side: Side) -> float:
    """Return the variance of a rate over sessions, by Taylor linearisation; 1 for a single session, whose variance is unknown."""
    if side.sessions < 2:
        return 1.0
    share = side.hits / side.things
    among = side.totals - 2 * share * side.products + share * share * side.sizes
    return max(0.0, among) / (side.things * side.things) * side.sessions / (side.sessions - 1)


def _deals(sessions: int, dealt: int, draws: int, seed: int) -> tuple[bool, Iterator[set[int]]]:
    """Return whether all deals are tried, and yield the sessions that each gives to the smaller side."""
    if comb(sessions, dealt) <= draws:
        return True, map(set, combinations(range(sessions), dealt))
    chance = Random(seed)  # noqa: S311 - must be repeatable, not secure
    places = range(sessions)
    return False, (set(chance.sample(places, dealt)) for _ in range(draws))


def _each(cells: Cells) -> list[tuple[int, int]]:
    """Return each session separately, in an order that doesn't depend on how they were counted."""
    return [cell for cell, sessions in sorted(cells.items()) for _ in range(sessions) if cell[0]]


def _packed(first: int, second: int, third: int) -> int:
    return first | second << _LANE | third << 2 * _LANE


def _unpacked(sums: int) -> tuple[int, int, int]:
    return sums & _MASK, sums >> _LANE & _MASK, sums >> 2 * _LANE
