"""The same tasks, done twice: by two models, or in two weeks."""

from collections.abc import Sequence
from random import Random

from actionledger.rates import MINIMUM_SESSIONS

DRAWS = 4_999
"""How often the tasks are turned round, or drawn anew."""


def task_test(differences: Sequence[float], *, seed: int = 1) -> float:
    """Return the two-sided p-value of the sign-flip test over tasks.

    Under the hypothesis that nothing differs, each task's difference is as likely to be the other way round (R. A. Fisher,
    "The Design of Experiments", 1935, section 21). So many ways of turning them round are drawn, the one that was seen
    counted among them (B. Phipson and G. K. Smyth, "Permutation P-values Should Never Be Zero", 2010).

    Args:
        differences: of each task, the second share minus the first.
        seed: what the drawing begins with.

    Returns:
        Above 0, at most 1.

    Example:
        >>> al.statistics.task_test([0.5, 0.0, 1.0, 0.5, -0.5, 1.0, 1.0, 0.5])
        0.0758
    """
    sizes = [abs(difference) for difference in differences if difference]
    observed = abs(sum(differences)) - 1e-12
    chance = Random(seed)  # noqa: S311 - drawn to be repeated, not to be unforeseeable
    as_far = sum(abs(_turned(sizes, chance)) >= observed for _ in range(DRAWS))
    return (as_far + 1) / (DRAWS + 1)


def task_difference(differences: Sequence[float], *, seed: int = 1) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean difference over tasks, by the percentile bootstrap with tasks as units.

    Args:
        differences: of each task, the second share minus the first.
        seed: what the drawing begins with.

    Returns:
        Its ends, each -1 to 1; None with fewer than ten tasks.

    Example:
        >>> al.statistics.task_difference([0.5, 0.0, 1.0, 0.5, -0.5, 1.0, 1.0, 0.5, 0.0, 0.5])
        (0.15, 0.7)
    """
    if len(differences) < MINIMUM_SESSIONS:
        return None
    chance = Random(seed)  # noqa: S311 - as above
    count = len(differences)
    means = sorted(sum(chance.choices(differences, k=count)) / count for _ in range(DRAWS))
    return means[int(0.025 * DRAWS)], means[int(0.975 * DRAWS)]


def _turned(sizes: Sequence[float], chance: Random) -> float:
    heads = chance.getrandbits(len(sizes)) if sizes else 0
    return sum(size if heads >> at & 1 else -size for at, size in enumerate(sizes))
