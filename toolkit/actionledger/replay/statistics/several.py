"""Many comparisons at once: some differ by chance."""

from collections.abc import Collection, Sequence

from actionledger.errors import UsageError, require_kind, require_number


def holm(p_values: Sequence[float]) -> list[float]:
    """Return each p-value as it is once all of them were looked at.

    S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979): below 0.05
    stand only those that hold together; the chance that any of them is false is at most 5 %, however they depend on each other.

    Args:
        p_values: one of each comparison, 0 to 1, in any order.

    Returns:
        The adjusted values in the same order, 0 to 1, none below its own.

    Raises:
        UsageError: a value is no p-value; NaN is none, and has no place in their order.

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
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda at: p_values[at])):
        highest = max(highest, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = highest
    return adjusted
