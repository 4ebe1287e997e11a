"""The same tasks, done twice: by two models, or in two weeks."""

from collections.abc import Sequence

from actionledger.replay.statistics.paired import Cell, inverted, share_with_zero, spans

DRAWS = 4_999
"""How often the tasks are turned round."""

MINIMUM_TASKS = 10
"""With fewer tasks there is no interval."""


def task_test(differences: Sequence[float], *, seed: int = 1) -> float:
    """Return the two-sided p-value of the sign-flip test over tasks.

    Under the hypothesis that nothing differs, each task's difference is as likely to be the other way round (R. A. Fisher,
    "The Design of Experiments", 1935, section 21). All ways of turning them round are counted, or of many tasks so many
    are drawn, the one that was seen counted among them (B. Phipson and G. K. Smyth, "Permutation P-values Should Never Be
    Zero", 2010).

    Args:
        differences: of each task, the second share minus the first.
        seed: what the drawing begins with.

    Returns:
        Above 0, at most 1.

    Example:
        >>> al.statistics.task_test([0.5, 0.0, 1.0, 0.5, -0.5, 1.0, 1.0, 0.5])
        0.078125
    """
    return share_with_zero(spans(_each(differences), seed=seed, draws=DRAWS)) if differences else 1.0


def task_difference(differences: Sequence[float], *, seed: int = 1) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean difference over tasks: those that the sign-flip test over tasks doesn't reject.

    Args:
        differences: of each task, the second share minus the first.
        seed: what the drawing begins with.

    Returns:
        Its ends, each -1 to 1; None with fewer than ten tasks.

    Example:
        >>> low, high = al.statistics.task_difference([0.5, 0.0, 1.0, 0.5, -0.5, 1.0, 1.0, 0.5, 0.0, 0.5])
        >>> round(low, 3), round(high, 3)
        (0.1, 0.8)
    """
    if len(differences) < MINIMUM_TASKS:
        return None
    found = spans(_each(differences), seed=seed, draws=DRAWS)
    return inverted(found, share_with_zero(found))


def _each(differences: Sequence[float]) -> list[Cell]:
    return [Cell(1, difference, 1) for difference in differences]
