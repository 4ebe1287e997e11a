"""Where a rate over time changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from actionledger.rates import Rate, summed
from actionledger.replay.statistics.unpaired import score_test, unpaired_difference

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A period from which on a rate is another one.

    Args:
        index: the period's place, from 1: the first has nothing before it.
        before, after: the rate on either side, up to the next change.
        p_value: how likely chance alone makes so large a step anywhere in this stretch.
    """

    index: int
    before: Rate
    after: Rate
    p_value: float

    @property
    def difference(self) -> tuple[float, float] | None:
        """The 95 % interval of the step, -1 to 1; too narrow by the choice of the largest one."""
        return unpaired_difference(self.before, self.after)


def change_points(periods: Sequence[Rate], alpha: float = ALPHA) -> list[ChangePoint]:
    """Return where a rate over time changed.

    Binary segmentation (A. J. Scott and M. Knott, "A Cluster Analysis Method for Grouping Means in the Analysis of Variance",
    Biometrics 30, 1974): the boundary with the least p-value divides the periods if, times the number of boundaries that
    there were to choose from (Bonferroni), it is below ``alpha``; then either side is looked at in the same way.

    Args:
        periods: the rate of each period, in order; a session that goes on in two of them counts in both.
        alpha: how often a stretch without a change may be divided by chance, at most.

    Returns:
        The changes, in order; none where no boundary has sessions enough on both of its sides.
    """
    bounds = [0, *sorted(_divisions(periods, 0, len(periods), alpha)), len(periods)]
    found = []
    for begin, at, end in zip(bounds, bounds[1:], bounds[2:], strict=False):
        best = _steps(periods, begin, end).get(at, 1.0)
        found.append(ChangePoint(at, summed(periods[begin:at]), summed(periods[at:end]), best))
    return found


def _divisions(periods: Sequence[Rate], begin: int, end: int, alpha: float) -> Iterator[int]:
    steps = _steps(periods, begin, end)
    at = min(steps, key=lambda place: steps[place], default=None)
    if at is not None and steps[at] < alpha:
        yield at
        yield from _divisions(periods, begin, at, alpha)
        yield from _divisions(periods, at, end, alpha)


def _steps(periods: Sequence[Rate], begin: int, end: int) -> dict[int, float]:
    """Return the p-value of each boundary that can be judged, all of them taken into account."""
    tested = {
        at: p_value
        for at in range(begin + 1, end)
        if (p_value := score_test(summed(periods[begin:at]), summed(periods[at:end]))) is not None
    }
    return {at: min(1.0, p_value * len(tested)) for at, p_value in tested.items()}
