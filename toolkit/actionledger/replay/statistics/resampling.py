"""What sessions drawn anew would have shown."""

from collections.abc import Mapping
from math import exp, sqrt
from random import Random

DRAWS = 2_000
"""How often the sessions are drawn."""

MINIMUM_DRAWN = 10
"""With fewer sessions than this, weighed by their sizes, drawing them anew says too little."""

_MANY = 50
"""From so many sessions on, how often they are drawn is as good as normal."""


def resampled_difference(
    cells: Mapping[tuple[int, int], int], *, seed: int = 1, draws: int = DRAWS
) -> tuple[float, float] | None:
    """Return the 95 % interval of the difference between two rates over the same turns, by drawing the sessions anew.

    The percentile bootstrap (B. Efron, "Bootstrap Methods: Another Look at the Jackknife", Annals of Statistics 7, 1979) with
    sessions as units. How often a session is drawn is Poisson (N. Chamandy and others, "Estimating Uncertainty for Massive
    Data Streams", Google 2012), so that alike sessions are drawn together, and half a million cost what a hundred do.
    """
    turns = sum(size * sessions for (size, _), sessions in cells.items())
    squares = sum(size * size * sessions for (size, _), sessions in cells.items())
    if not turns or turns * turns < MINIMUM_DRAWN * squares:
        return None
    chance = Random(seed)  # noqa: S311 - drawn to be repeated, not to be unforeseeable
    ordered = sorted(cells.items())
    shares = sorted(share for _ in range(draws) if (share := _drawn(ordered, chance)) is not None)
    return shares[int(0.025 * len(shares))], shares[min(len(shares) - 1, int(0.975 * len(shares)))]


def _drawn(cells: list[tuple[tuple[int, int], int]], chance: Random) -> float | None:
    turns = score = 0
    for (size, scored), sessions in cells:
        times = poisson(sessions, chance)
        turns += size * times
        score += scored * times
    return score / turns if turns else None


def poisson(mean: int, chance: Random) -> int:
    """Return a draw of Poisson's distribution: by its definition, or where the mean is large, of the normal one beside it."""
    if mean >= _MANY:
        return max(0, round(chance.gauss(mean, sqrt(mean))))
    limit, drawn, product = exp(-mean), 0, chance.random()
    while product > limit:
        product *= chance.random()
        drawn += 1
    return drawn
