"""Whether two small shares of different things differ by more than chance, counted exactly."""

from math import exp, lgamma

_ROUNDING = 1e-7
"""By how much two logarithms of the same probability may differ."""


def fisher(before: int, of_before: int, after: int, of_after: int) -> float:
    """Return the two-sided p-value of R. A. Fisher's exact test: whether two shares of different things differ.

    The ways in which as many successes can fall to the two sides, those counted that are no likelier than the observed one
    (R. A. Fisher, "Statistical Methods for Research Workers", 5th ed. 1934, section 21.02).

    Args:
        before: how many of the first things had the property.
        of_before: how many of them there are.
        after: how many of the second things had it.
        of_after: how many of them there are.

    Returns:
        The probability of a split at least as unlikely, 0 to 1; 1 where one side has nothing.
    """
    together, everything = before + after, of_before + of_after
    whole = _log_choose(everything, together)

    def log_likely(successes: int) -> float:
        return _log_choose(of_before, successes) + _log_choose(of_after, together - successes) - whole

    observed = log_likely(before) + _ROUNDING
    ways = range(max(0, together - of_after), min(of_before, together) + 1)
    return min(1.0, sum(exp(each) for each in map(log_likely, ways) if each <= observed))


def _log_choose(count: int, chosen: int) -> float:
    return lgamma(count + 1) - lgamma(chosen + 1) - lgamma(count - chosen + 1)
