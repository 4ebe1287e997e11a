"""Whether a difference between two readings of the same turns is more than chance."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import erfc, exp, lgamma, log, sqrt

from actionledger.rates import Z_95, Clustering

_EXACT = 5_000
"""Up to this sum of shifts every way they can fall is counted; above, their sum is as good as normal."""

_NEGLIGIBLE = 1e-18
"""A probability that nobody would miss, and the least that a test over sessions gives."""


def mcnemar(only_before: int, only_after: int) -> float:
    """Return the two-sided p-value of the exact McNemar test.

    Under the hypothesis that nothing changed, each of the turns that differ is as likely to differ one way as the other:
    a binomial test with one half (Q. McNemar, Psychometrika 12, 1947, in its exact form).

    Args:
        only_before: turns that only the first reading got right.
        only_after: turns that only the second got right.

    Returns:
        The probability of a split at least as uneven, 0 to 1; 1 where no turn differs.
    """
    differing, fewer = only_before + only_after, min(only_before, only_after)
    if 2 * fewer >= differing - 1:
        return 1.0
    log_half = differing * log(0.5)
    tail = sum(
        exp(lgamma(differing + 1) - lgamma(k + 1) - lgamma(differing - k + 1) + log_half)
        for k in range(fewer + 1)
    )
    return min(1.0, 2 * tail)


def session_test(shifts: Mapping[int, int]) -> float:
    """Return the two-sided p-value of the sign-flip test over sessions: the McNemar test where turns cluster in sessions.

    Under the hypothesis that nothing changed, what a session's turns won or lost together is as likely to be the other way
    round, whatever its turns have in common (R. A. Fisher, "The Design of Experiments", 1935, section 21, with sessions as
    pairs). All ways of turning sessions round are counted; where no session has two turns that differ, this is
    the exact McNemar test.

    Args:
        shifts: how many sessions there are by how many more of their turns were won than lost.

    Returns:
        The probability of a sum at least as far from 0; 1 where no session shifts.
    """
    observed = abs(sum(shift * sessions for shift, sessions in shifts.items()))
    sizes: dict[int, int] = defaultdict(int)
    for shift, sessions in shifts.items():
        sizes[abs(shift)] += sessions
    if sum(size * sessions for size, sessions in sizes.items()) > _EXACT:
        deviation = sqrt(sum(size * size * sessions for size, sessions in sizes.items()))
        return max(_NEGLIGIBLE, erfc(max(0, observed - 1) / deviation / sqrt(2)))
    sums = {0: 1.0}
    for size, sessions in sizes.items():
        added: dict[int, float] = defaultdict(float)
        for share, won in _binomial(sessions):
            for before, likely in sums.items():
                added[before + size * (2 * won - sessions)] += likely * share
        sums = {at: likely for at, likely in added.items() if likely > _NEGLIGIBLE}
    tail = sum(likely for at, likely in sums.items() if abs(at) >= observed)
    return min(1.0, max(_NEGLIGIBLE, tail))


def _binomial(count: int) -> Iterator[tuple[float, int]]:
    """Yield how likely each number of heads is in so many throws of a coin, the negligible left out."""
    log_half = count * log(0.5)
    for won in range(count + 1):
        likely = exp(lgamma(count + 1) - lgamma(won + 1) - lgamma(count - won + 1) + log_half)
        if likely > _NEGLIGIBLE:
            yield likely, won


def paired_difference(
    only_before: int, only_after: int, pairs: int, clustering: Clustering | None = None
) -> tuple[float, float] | None:
    """Return the 95 % interval of the difference between two rates over the same turns (second minus first).

    The adjusted Wald interval of D. G. Bonett and R. M. Price, "Adjusted Wald Confidence Interval for a Difference of
    Binomial Proportions Based on Paired Data", Journal of Educational and Behavioral Statistics 37 (2012); where turns cluster in
    sessions, it is wider by the root of the design effect of their scores (1 won, -1 lost).

    Args:
        only_before: turns that only the first reading got right.
        only_after: turns that only the second got right.
        pairs: all turns that both have read.
        clustering: how they fall into sessions; None where each stands for itself.

    Returns:
        Its ends, each -1 to 1; None where too few sessions were compared.
    """
    if clustering is not None and not (pairs and clustering.is_enough(pairs)):
        return None
    score, squares = only_after - only_before, only_after + only_before
    effective = clustering.effective_count(pairs, score, squares, lowest=-1) if clustering else pairs
    lost, won = (only_before + 1) / (pairs + 2), (only_after + 1) / (pairs + 2)
    centre = won - lost
    wider = pairs / effective if pairs else 1.0
    margin = Z_95 * sqrt(wider * (won + lost - centre**2) / (pairs + 2))
    return max(-1.0, centre - margin), min(1.0, centre + margin)
