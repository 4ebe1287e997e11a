"""A rate with what it takes to believe it: its count, its sessions and its interval."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from math import sqrt

from actionledger.common.plurals import counted

Z_95 = 1.959963984540054

MINIMUM_SESSIONS = 10
"""With fewer sessions than this, weighed by their sizes, nothing is said of how far a share may be off."""

TOO_FEW = "too few sessions"
"""What stands where an interval would, if there are fewer."""

NOT_AUDITABLE = "not auditable"
"""What stands where a parse rate would, if recordings have kept the calls alone and not how they were written."""


def shown_p(value: float) -> str:
    """Return a p-value as it is shown: never as nothing at all."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.2g}"


def shown_share(value: float) -> str:
    """Return a share in per cent as it is shown: as all or as nothing only where it is that."""
    shown = f"{value:.1%}"
    if shown == "100.0%" and value < 1:
        return "> 99.9%"
    return "< 0.1%" if shown == "0.0%" and value > 0 else shown


@dataclass(frozen=True, slots=True)
class Clustering:
    """How counted things fall into sessions: what is alike within one makes them say less than as many on their own.

    A thing has a score: 1 or 0 for a rate; 1, 0 or -1 for the difference between two readings.

    Args:
        sessions: how many have at least one of the things.
        sizes: the sum of their squared counts.
        totals: the sum of their squared scores.
        products: the sum of count times score.
    """

    sessions: int
    sizes: int
    totals: int
    products: int

    def is_enough(self, count: int) -> bool:
        """Return whether there are sessions enough for an interval.

        They are counted by L. Kish's formula, the squared count over the sum of the squared sizes: sessions of one size
        count in full, a giant one beside small ones is hardly more than one.

        Args:
            count: how many things there are.
        """
        return count * count >= MINIMUM_SESSIONS * self.sizes

    def effective_count(self, count: int, score: int, squares: int, lowest: int = 0) -> float:
        """Return how many independent things would say as much.

        The count over the design effect, times (t(count - 1) / t(sessions - 1))², the 97.5 % quantiles of Student's
        distribution: what few sessions leave unknown about the variance itself (E. L. Korn and B. I. Graubard,
        "Confidence Intervals for Proportions with Small Expected Number of Positive Counts Estimated from Survey Data",
        Survey Methodology 24, 1998).

        Args:
            count: how many things there are.
            score: the sum of their scores.
            squares: the sum of their squared scores.
            lowest: the lowest score that there can be; the highest is 1.
        """
        effect = self.design_effect(count, score, squares, lowest)
        return count / effect * (_student(count - 1) / _student(self.sessions - 1)) ** 2

    def design_effect(self, count: int, score: int, squares: int, lowest: int = 0) -> float:
        """Return by how much the sessions widen the variance of the mean score, 1 or more.

        The variance by Taylor linearisation of the ratio over sessions (W. G. Cochran, "Sampling Techniques", 3rd ed. 1977,
        section 9.1), over that of as many independent things. Before, half a session with the lowest score throughout and
        half a session with the highest are added, each of the size ``sizes / count``: where all things score alike
        their variance says nothing, and the effect is then that size, its bound if a session's things are all alike.

        Args:
            count: how many things there are.
            score: the sum of their scores.
            squares: the sum of their squared scores.
            lowest: the lowest score that there can be; the highest is 1.
        """
        size = self.sizes / count
        whole, sessions = count + size, self.sessions + 1
        mean = (score + size * (1 + lowest) / 2) / whole
        among = self.totals - 2 * mean * self.products + mean * mean * self.sizes
        among += size * size * ((1 - mean) ** 2 + (lowest - mean) ** 2) / 2
        within = squares + size * (1 + lowest * lowest) / 2 - whole * mean * mean
        return max(1.0, (among * sessions / (sessions - 1)) / (within * whole / (whole - 1)))


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of a count, with its Wilson score interval at the count that its sessions leave of it.

    The interval is the one of E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical
    Inference", JASA 22 (1927): it stays within 0 and 1 and holds for small counts and extreme shares. What falls
    into sessions counts for less than as many independent things, by the design effect; where every session has one, the two are
    the same. Rates of the same counts are equal.

    Args:
        successes: how many had the property, 0 to ``count``.
        count: how many were looked at.
        clustering: how these fall into sessions; None where each stands for itself.
        refusal: why there is nothing to count where there might have been something, in a word or two; empty otherwise.

    Example:
        >>> rate = al.Rate(successes=87, count=120)
        >>> rate.value, [round(end, 3) for end in rate.interval]
        (0.725, [0.639, 0.797])
    """

    successes: int
    count: int
    clustering: Clustering | None = field(default=None, compare=False)
    refusal: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.count:
            raise ValueError(f"{self.successes} of {self.count} is no rate")

    @property
    def value(self) -> float | None:
        """The share, 0 to 1, or None where nothing was counted."""
        return self.successes / self.count if self.count else None

    @property
    def shown_value(self) -> str:
        """The share in per cent, or the word for why there is none."""
        return self.refusal or "–" if self.value is None else shown_share(self.value)

    @property
    def design_effect(self) -> float:
        """By how much sessions widen the variance, 1 or more; 1 where each stands for itself or nothing was counted."""
        if self.clustering is None or not self.count:
            return 1.0
        return self.clustering.design_effect(self.count, self.successes, self.successes)

    @property
    def effective_count(self) -> float | None:
        """How many independent things would say as much; None where nothing was counted, or too few sessions were."""
        if not self.count:
            return None
        if self.clustering is None:
            return self.count
        if not self.clustering.is_enough(self.count):
            return None
        return self.clustering.effective_count(self.count, self.successes, self.successes)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval (low, high), each 0 to 1; None where nothing was counted, or too few sessions were."""
        return self._wilson(effective) if (effective := self.effective_count) is not None else None

    @property
    def plain_interval(self) -> tuple[float, float] | None:
        """The interval that takes each thing for itself: too narrow where sessions repeat; None where nothing was counted."""
        return self._wilson(self.count) if self.count else None

    @property
    def shown_interval(self) -> str:
        """The interval in per cent, or the word for why there is none; empty where nothing was counted."""
        if not self.count:
            return ""
        if self.interval is None:
            return TOO_FEW
        low, high = self.interval
        return f"[{low:.1%}, {high:.1%}]"

    def _wilson(self, count: float) -> tuple[float, float]:
        share = self.successes / self.count
        spread = Z_95 * Z_95 / count
        centre = share + spread / 2
        margin = Z_95 * sqrt(share * (1 - share) / count + spread / (4 * count))
        low = 0.0 if self.successes == 0 else max(0.0, (centre - margin) / (1 + spread))
        high = 1.0 if self.successes == self.count else min(1.0, (centre + margin) / (1 + spread))
        return low, high

    def _repr_html_(self) -> str:
        from actionledger.display.figures import rate_html  # noqa: PLC0415 - only where it is looked at

        return rate_html(self.value, self.interval, str(self))

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.shown_value} (0)"
        within = f" in {counted(self.clustering.sessions, 'session')}" if self.clustering else ""
        return f"{self.shown_value} {self.shown_interval} ({self.successes:,}/{self.count:,}{within})"


def clustered(sessions: Iterable[tuple[int, int]]) -> Rate:
    """Return the rate over things that fall into sessions.

    Args:
        sessions: of each session how many of its things had the property, and how many it has, 1 or more.
    """
    counts = list(sessions)
    return Rate(
        sum(successes for successes, _ in counts),
        sum(count for _, count in counts),
        Clustering(
            len(counts),
            sum(count * count for _, count in counts),
            sum(successes * successes for successes, _ in counts),
            sum(successes * count for successes, count in counts),
        ),
    )


def clustered_by(things: Iterable[tuple[Hashable, bool]]) -> Rate:
    """Return the rate over things that fall into sessions.

    Args:
        things: of each its session, and whether it had the property.
    """
    counts: dict[Hashable, tuple[int, int]] = {}
    for session, hit in things:
        successes, count = counts.get(session, (0, 0))
        counts[session] = (successes + hit, count + 1)
    return clustered(counts.values())


def summed(rates: Iterable[Rate]) -> Rate:
    """Return the rate over all that some rates are about; a session that has things in two of them counts twice.

    Args:
        rates: they, over different things.
    """
    together = list(rates)
    successes, count = sum(rate.successes for rate in together), sum(rate.count for rate in together)
    if all(rate.clustering is None for rate in together):
        return Rate(successes, count)
    parts = [
        rate.clustering or Clustering(rate.count, rate.count, rate.successes, rate.successes)
        for rate in together
    ]
    return Rate(
        successes,
        count,
        Clustering(
            sum(part.sessions for part in parts),
            sum(part.sizes for part in parts),
            sum(part.totals for part in parts),
            sum(part.products for part in parts),
        ),
    )


def _student(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's distribution: M. Abramowitz and I. A. Stegun (1964), 26.7.5.

    Args:
        freedom: the degrees of freedom; from 9 on it is right to five digits.
    """
    z2 = Z_95 * Z_95
    terms = (
        (z2 + 1) / 4,
        ((5 * z2 + 16) * z2 + 3) / 96,
        (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
        ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160,
    )
    return Z_95 * (1 + sum(term / float(freedom) ** power for power, term in enumerate(terms, start=1)))
