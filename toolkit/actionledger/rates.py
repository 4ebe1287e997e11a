"""A rate with what it takes to believe it: its count and its interval."""

from dataclasses import dataclass
from math import sqrt

Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of a count, with its Wilson score interval.

    The interval is the one of E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical
    Inference", JASA 22 (1927): it stays within 0 and 1 and holds for small counts and extreme shares.

    Args:
        successes: how many had the property, 0 to ``count``.
        count: how many were looked at.

    Example:
        >>> rate = al.Rate(successes=87, count=120)
        >>> rate.value, [round(end, 3) for end in rate.interval]
        (0.725, [0.639, 0.797])
    """

    successes: int
    count: int

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.count:
            raise ValueError(f"{self.successes} of {self.count} is no rate")

    @property
    def value(self) -> float | None:
        """The share, 0 to 1, or None where nothing was counted."""
        return self.successes / self.count if self.count else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval (low, high), each 0 to 1; (0, 1) where nothing was counted."""
        if not self.count:
            return 0.0, 1.0
        share, count = self.successes / self.count, self.count
        spread = Z_95 * Z_95 / count
        centre = share + spread / 2
        margin = Z_95 * sqrt(share * (1 - share) / count + spread / (4 * count))
        low = 0.0 if self.successes == 0 else max(0.0, (centre - margin) / (1 + spread))
        high = 1.0 if self.successes == count else min(1.0, (centre + margin) / (1 + spread))
        return low, high

    def _repr_html_(self) -> str:
        from actionledger.display.figures import rate_html  # noqa: PLC0415 - only where it is looked at

        return rate_html(self.value, self.interval, str(self))

    def __str__(self) -> str:
        if self.value is None:
            return "– (0)"
        low, high = self.interval
        return f"{self.value:.1%} [{low:.1%}, {high:.1%}] ({self.successes:,}/{self.count:,})"
