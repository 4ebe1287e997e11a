"""Find when a rate changed over time, and adjust p-values for many comparisons."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

from actionledger.core.errors import UsageError, require_kind, require_number
from actionledger.core.rates import Clustering, Rate, summed
from actionledger.replay.statistics.unpaired import score_test, unpaired_difference

Spanning: TypeAlias = Mapping[int, tuple[int, int]]
"""A session in several periods: for each period's index, its number of items, and of those with the property."""

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A period at which a rate changed."""

    index: int  # the period's place, from 1, since the first has no period before it
    # before, after: the rates on both sides, each up to the next change
    before: Rate
    after: Rate
    p_value: float  # the probability that chance makes so large a step anywhere in this stretch

    @property
    def difference(self) -> tuple[float, float] | None:
        """The 95 % interval of the step, -1 to 1, excluding 0 as the test does; too narrow, because the largest step was chosen."""
        return unpaired_difference(self.before, self.after, self.p_value)


def change_points(
    periods: Sequence[Rate], alpha: float = ALPHA, spanning: Iterable[Spanning] = ()
) -> list[ChangePoint]:
    """Return the periods at which a rate changed.

    Binary segmentation (A. J. Scott and M. Knott, "A Cluster Analysis Method for Grouping Means in the Analysis of Variance",
    Biometrics 30, 1974). The boundary with the smallest p-value divides the periods if this value times the number of possible
    boundaries (Bonferroni) is below ``alpha``. Then each side is searched in the same way.
    """
    row = _Row(periods, spanning)
    bounds = [0, *sorted(_divisions(row, 0, len(periods), alpha)), len(periods)]
    found = []
    for begin, at, end in zip(bounds, bounds[1:], bounds[2:], strict=False):
        best = _steps(row, begin, end).get(at, 1.0)
        found.append(ChangePoint(at, row.rate(begin, at), row.rate(at, end), best))
    return found


class _Row:
    """The periods, with corrections for sessions that are in two of them."""

    def __init__(self, periods: Sequence[Rate], spanning: Iterable[Spanning]) -> None:
        self.periods = periods
        self._pairs: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        for session in spanning:
            for (nth, one), (mth, other) in combinations(enumerate(sorted(session)), 2):
                (count, hits), (then, hits_then) = session[one], session[other]
                sums = self._pairs[one, other]
                # A session in several consecutive periods counts once.
                sums[0] += mth == nth + 1
                sums[1] += 2 * count * then
                sums[2] += 2 * hits * hits_then
                sums[3] += count * hits_then + then * hits

    def rate(self, begin: int, end: int) -> Rate:
        """Return the rate over several periods together, in which a session counts once."""
        together = summed(self.periods[begin:end])
        clustering = together.clustering
        if clustering is None:
            return together
        twice, sizes, totals, products = (
            sum(sums[which] for (one, other), sums in self._pairs.items() if begin <= one and other < end)
            for which in range(4)
        )
        return replace(
            together,
            clustering=Clustering(
                clustering.sessions - twice,
                clustering.sizes + sizes,
                clustering.totals + totals,
                clustering.products + products,
            ),
        )


def _divisions(row: _Row, begin: int, end: int, alpha: float) -> Iterator[int]:
    steps = _steps(row, begin, end)
    at = min(steps, key=lambda place: steps[place], default=None)
    if at is not None and steps[at] < alpha:
        yield at
        yield from _divisions(row, begin, at, alpha)
        yield from _divisions(row, at, end, alpha)


def _steps(row: _Row, begin: int, end: int) -> dict[int, float]:
    """Return the p-value of each boundary that can be tested, adjusted for all of them."""
    tested = {
        at: p_value
        for at in range(begin + 1, end)
        if (p_value := score_test(row.rate(begin, at), row.rate(at, end))) is not None
    }
    return {at: min(1.0, p_value * len(tested)) for at, p_value in tested.items()}


_ALPHA = 0.05


def holm(p_values: Sequence[float], least: Sequence[float] = ()) -> list[float]:
    """Return the p-values adjusted by Holm's procedure for all of them.

    S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979). Among the
    values below 0.05, the chance that any is false is at most 5 %, however they depend on each other.

    A comparison that could not have been below 0.05 with any result is not counted (R. E. Tarone, "A Modified Bonferroni Method for
    Discrete Data", Biometrics 46, 1990).

    Args:
        p_values: one per comparison, 0 to 1, in any order.
        least: the smallest possible value of each, in the same order; without it, every value is assumed possible.

    Returns:
        The adjusted values in the same order, 0 to 1, none below its own.

    Raises:
        UsageError: a value is not a p-value, such as NaN, or ``least`` has a different length.

    Example:
        >>> al.statistics.holm([0.04, 0.01, 0.5])
        [0.08, 0.03, 0.5]
    """
    require_kind(p_values, Collection, "p_values is a list of numbers")
    for value in p_values:
        require_number("A p-value", value)
        if not 0 <= value <= 1:
            raise UsageError(
                f"{value} is not a p-value; give one from 0 to 1, and leave out what was not tested."
            )
    if least and len(least) != len(p_values):
        raise UsageError(f"There are {len(p_values)} p-values and {len(least)} least ones; give one of each.")
    adjusted = [max(each) for each in zip(p_values, least or p_values, strict=True)]
    reached = [place for place in range(len(p_values)) if not least or least[place] < _ALPHA]
    highest = 0.0
    for rank, place in enumerate(sorted(reached, key=lambda at: p_values[at])):
        highest = max(highest, min(1.0, p_values[place] * (len(reached) - rank)))
        adjusted[place] = highest
    return adjusted
