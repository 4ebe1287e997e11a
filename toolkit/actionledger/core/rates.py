"""A rate with its count, its sessions and its interval."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import TypeAlias

from actionledger.core.hooks import drawn
from actionledger.core.text import counted

Z_95 = 1.959963984540054

_CORRELATION, _MOST_ALIKE, _FEW = 0.24, 0.35, 4
_WEIGHT = 3
_FREEDOM = 12
_UNEVEN = 3
"""The usual values, for data that show little. The things of a session correlate by 0.24, or by 4 over the number of sessions if that is more, up
to 0.35. This weighs as many sessions as ``_WEIGHT``. Beyond those with the rarer outcome, ``_FREEDOM`` sessions tell how far the variance is off. Up
to ``_UNEVEN`` sessions for each that counts by Kish's formula change nothing; more of them, as with a few giants, raise both. Chosen by simulation:
docs/statistics.md.
"""

MINIMUM_SESSIONS = 5
"""The fewest sessions, weighted by their sizes, for which an interval is given."""

TOO_FEW = "too few sessions"
"""The text instead of an interval if there are fewer."""

NOT_AUDITABLE = "not auditable"
"""The text instead of a parse rate if recordings have kept only the calls, not the raw text."""


def shown_p(value: float) -> str:
    """Return a p-value as text, never as zero."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.2g}"


def shown_share(value: float) -> str:
    """Return a share in percent; it is shown as 0 % or 100 % only if it is exactly that."""
    shown = f"{value:.1%}"
    if shown == "100.0%" and value < 1:
        return "> 99.9%"
    return "< 0.1%" if shown == "0.0%" and value > 0 else shown


Cells: TypeAlias = Mapping[tuple[int, int], int]
"""The number of sessions for each count of things and sum of scores."""


@dataclass(frozen=True, slots=True)
class Clustering:
    """How counted things are distributed over sessions; things that are alike within one carry less information than independent ones.

    A thing has a score: 1 or 0 for a rate; 1, 0 or -1 for the difference between two readings.

    Args:
        sessions: the number of sessions with at least one thing.
        sizes: the sum of their squared counts.
        totals: the sum of their squared scores.
        products: the sum of count times score.
        cells: the sessions by count and score; None if only these sums are known.
    """

    sessions: int
    sizes: int
    totals: int
    products: int
    cells: Cells | None = field(default=None, compare=False, repr=False)

    def is_enough(self, count: int) -> bool:
        """Return whether there are enough sessions for an interval.

        They are counted by L. Kish's formula, the squared count over the sum of the squared sizes. Sessions of one size
        count in full; a giant one among small ones counts as hardly more than one.

        Args:
            count: the number of things.
        """
        return count * count >= MINIMUM_SESSIONS * self.sizes

    def linearised(self, count: int, score: int, squares: int) -> float:
        """Return by how much the sessions widen the variance of the mean score, as far as the data show it; 0 if all are alike.

        It is the variance by Taylor linearisation of the ratio over sessions (W. G. Cochran, "Sampling Techniques", 3rd ed. 1977,
        section 9.1), over that of as many independent things. Sessions of different sizes are counted by L. Kish's formula.

        Args:
            count: the number of things.
            score: the sum of their scores.
            squares: the sum of their squared scores.
        """
        # Integers throughout, so that zero is exact: if all things score alike, both are 0.
        among = self.totals * count * count - 2 * score * self.products * count + score * score * self.sizes
        within = (squares * count - score * score) * count
        if within <= 0 or among <= 0 or count * count <= self.sizes:
            return 0.0
        return (among / within) * (count * count / (count * count - self.sizes)) * ((count - 1) / count)

    def bearing(self, count: int, score: int) -> float:
        """Return how many sessions the rarer of both outcomes comes from, by L. Kish's formula; 0 if there is only one outcome.

        Args:
            count: the number of things.
            score: how many of them have the property.
        """
        spread = self.sizes - 2 * self.products + self.totals
        rarer = [(score, self.totals), (count - score, spread)]
        fewest = min(score, count - score)
        return min(rare * rare / squared if squared else 0.0 for rare, squared in rarer if rare == fewest)

    def design_effect(
        self, count: int, score: int, squares: int | None = None, bearing: float | None = None
    ) -> float:
        """Return by how much the sessions widen the variance of a mean score, 1 or more: a weighted mean of the data's and the usual effect.

        The data's effect weighs as many sessions as the rarer outcome comes from, the usual one three. Usually things of a session
        correlate by 0.24, and by more if there are few sessions, since the worst ones may be unseen. If a few giants have most of the
        things, the data show little, and both grow. If all things are alike, the data show nothing.

        Args:
            count: the number of things.
            score: the sum of their scores.
            squares: the sum of their squared scores; that of a rate by default.
            bearing: how many sessions the outcome comes from; those of a rate's rarer outcome by default.
        """
        shown = self.linearised(count, score, score if squares is None else squares)
        weight = self.bearing(count, score) if bearing is None else bearing
        each = self.sizes / (count * count)
        uneven = max(1.0, self.sessions * each / _UNEVEN)
        alike = min(_MOST_ALIKE, max(_CORRELATION * uneven, _FEW * each))
        usual = 1 + alike * (self.sizes / count - 1)
        return max(1.0, (weight * shown + _WEIGHT * uneven * usual) / (weight + _WEIGHT * uneven))

    def effective_count(
        self, count: int, score: int, squares: int | None = None, bearing: float | None = None
    ) -> float:
        """Return the number of independent things that would carry as much information.

        It is the count over the design effect, times (t(count - 1) / t(f))², the 97.5 % quantiles of Student's distribution. The factor
        accounts for the uncertainty of the variance itself with few sessions (E. L. Korn and B. I. Graubard, "Confidence Intervals for
        Proportions with Small Expected Number of Positive Counts Estimated from Survey Data", Survey Methodology 24, 1998).
        f is limited by the sessions with the rarer outcome. The result is no less than if all things of a session were alike. For a
        rate, it is also no less than with two half sessions more, one of hits and one of misses.

        Args:
            count: the number of things.
            score: the sum of their scores.
            squares: the sum of their squared scores; that of a rate by default.
            bearing: how many sessions the outcome comes from; those of a rate's rarer outcome by default.
        """
        whole, fewer = student(count - 1), count * count / self.sizes - 1
        weight = self.bearing(count, score) if bearing is None else bearing
        effect = self.design_effect(count, score, squares, weight)
        effect *= (student(min(fewer, weight + _FREEDOM)) / whole) ** 2
        alike = max(self.sizes / count, self.linearised(count, score, score if squares is None else squares))
        effect = min(effect, alike * (student(fewer) / whole) ** 2)
        if squares is None:
            effect = min(effect, self._halved(count, score) * (student(self.sessions - 1) / whole) ** 2)
        return count / max(1.0, effect)

    def _halved(self, count: int, score: int) -> float:
        """Return the design effect with two half sessions more, one of hits and one of misses, each of the usual size."""
        size = self.sizes / count
        whole, sessions = count + size, self.sessions + 1
        share = (score + size / 2) / whole
        among = self.totals - 2 * share * self.products + share * share * self.sizes
        among += size * size * ((1 - share) ** 2 + share * share) / 2
        within = whole * share * (1 - share)
        return (among * sessions / (sessions - 1)) / (within * whole / (whole - 1))


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of a count, with its Wilson score interval for the effective count of its sessions.

    The interval is the one of E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical
    Inference", JASA 22 (1927): it stays within 0 and 1 and holds for small counts and extreme shares. Things
    in sessions count for less than as many independent ones, by the design effect; if every session has one thing, they count in
    full. Rates with the same counts are equal.

    Args:
        successes: how many things have the property, 0 to ``count``.
        count: the number of things.
        clustering: how they are distributed over sessions; None if they are independent.
        refusal: why nothing could be counted, in a word or two; empty otherwise.

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
            raise ValueError(f"{self.successes} of {self.count} is not a rate")

    @property
    def value(self) -> float | None:
        """The share, 0 to 1, or None if nothing was counted."""
        return self.successes / self.count if self.count else None

    @property
    def shown_value(self) -> str:
        """The share in percent, or a word that says why there is none."""
        return self.refusal or "–" if self.value is None else shown_share(self.value)

    @property
    def design_effect(self) -> float:
        """By how much sessions widen the variance, 1 or more; 1 for independent things or if nothing was counted."""
        if self.clustering is None or not self.count:
            return 1.0
        return self.clustering.design_effect(self.count, self.successes)

    @property
    def effective_count(self) -> float | None:
        """The number of independent things that would carry as much information; None if nothing was counted or there are too few sessions."""
        if not self.count:
            return None
        if self.clustering is None:
            return self.count
        if not self.clustering.is_enough(self.count):
            return None
        return self.clustering.effective_count(self.count, self.successes)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval (low, high), each 0 to 1; None if nothing was counted or there are too few sessions."""
        return self.interval_at(Z_95)

    def interval_at(self, quantile: float) -> tuple[float, float] | None:
        """Return the interval of another confidence.

        Args:
            quantile: the normal distribution's that belongs to it; 1.96 to 95 %.

        Example:
            >>> [round(end, 2) for end in al.Rate(90, 100).interval_at(2.58)]
            [0.8, 0.95]
        """
        return None if (effective := self.effective_count) is None else self._wilson(effective, quantile)

    @property
    def plain_interval(self) -> tuple[float, float] | None:
        """The interval for independent things, which is too narrow if sessions repeat; None if nothing was counted."""
        return self._wilson(self.count) if self.count else None

    @property
    def shown_interval(self) -> str:
        """The interval in percent, or a word that says why there is none; empty if nothing was counted."""
        if not self.count:
            return ""
        if self.interval is None:
            return TOO_FEW
        low, high = self.interval
        return f"[{low:.1%}, {high:.1%}]"

    def _wilson(self, count: float, quantile: float = Z_95) -> tuple[float, float]:
        share = self.successes / self.count
        spread = quantile * quantile / count
        centre = share + spread / 2
        margin = quantile * sqrt(share * (1 - share) / count + spread / (4 * count))
        low = 0.0 if self.successes == 0 else max(0.0, (centre - margin) / (1 + spread))
        high = 1.0 if self.successes == self.count else min(1.0, (centre + margin) / (1 + spread))
        return low, high

    def _repr_html_(self) -> str:
        return drawn(self, "html")

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.shown_value} (0)"
        within = f" in {counted(self.clustering.sessions, 'session')}" if self.clustering else ""
        return f"{self.shown_value} {self.shown_interval} ({self.successes:,}/{self.count:,}{within})"


def clustered(sessions: Iterable[tuple[int, int]]) -> Rate:
    """Return the rate over things in sessions: for each session, how many of its things have the property, and how many it has, 1 or more."""
    counts = list(sessions)
    return Rate(
        sum(successes for successes, _ in counts),
        sum(count for _, count in counts),
        Clustering(
            len(counts),
            sum(count * count for _, count in counts),
            sum(successes * successes for successes, _ in counts),
            sum(successes * count for successes, count in counts),
            Counter((count, successes) for successes, count in counts),
        ),
    )


def clustered_by(things: Iterable[tuple[Hashable, bool]]) -> Rate:
    """Return the rate over things: for each, its session, and whether it has the property."""
    counts: dict[Hashable, tuple[int, int]] = {}
    for session, hit in things:
        successes, count = counts.get(session, (0, 0))
        counts[session] = (successes + hit, count + 1)
    return clustered(counts.values())


def summed(rates: Iterable[Rate]) -> Rate:
    """Return the rate over the things of several rates; a session with things in two of them counts twice."""
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


def student(freedom: float) -> float:
    """Return the 97.5 % quantile of Student's distribution: M. Abramowitz and I. A. Stegun (1964), 26.7.5."""
    z2 = Z_95 * Z_95
    terms = (
        (z2 + 1) / 4,
        ((5 * z2 + 16) * z2 + 3) / 96,
        (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
        ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160,
    )
    return Z_95 * (1 + sum(term / float(freedom) ** power for power, term in enumerate(terms, start=1)))
