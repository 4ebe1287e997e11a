"""Many comparisons at once: some differ by chance."""

from collections.abc import Collection, Sequence

from actionledger.core.errors import UsageError, require_kind, require_number

_ALPHA = 0.05


def holm(p_values: Sequence[float], least: Sequence[float] = ()) -> list[float]:
    """Return each p-value as it is once all of them were looked at.

    S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979): below 0.05
    stand only those that hold together; the chance that any of them is false is at most 5 %, however they depend on each other.

    A comparison that could not have come out below 0.05, whatever it showed, is none to choose from, and does not count (R. E. Tarone,
    "A Modified Bonferroni Method for Discrete Data", Biometrics 46, 1990).

    Args:
        p_values: one of each comparison, 0 to 1, in any order.
        least: the least that each could have been, in the same order; without it, each is taken to reach any value.

    Returns:
        The adjusted values in the same order, 0 to 1, none below its own.

    Raises:
        UsageError: a value is no p-value; NaN is none, and has no place in their order. Or there are not as many least values.

    Example:
        >>> al.statistics.holm([0.04, 0.01, 0.5])
        [0.08, 0.03, 0.5]
    """
    require_kind(p_values, Collection, "p_values is a list of numbers")
    for value in p_values:
        require_number("A p-value", value)
        if not 0 <= value <= 1:
            raise UsageError(
                f"{value} is no p-value; give one from 0 to 1, and leave out what was not tested."
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
