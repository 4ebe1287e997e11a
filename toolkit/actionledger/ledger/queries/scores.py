"""Filters by sessions' scores, such as ``reward>=0.5``."""

import math
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias, get_args

from actionledger.core.errors import UsageError, require_number
from actionledger.core.patterns import regex

Comparison: TypeAlias = Literal[">=", "<=", "="]
"""How a score is compared."""


_BOUND = regex(r"(?s)\s*(?P<name>[^<>=\s].*?)\s*(?P<comparison>>=|<=|=)\s*(?P<value>[-+\d.eE]+)\s*")


@dataclass(frozen=True, slots=True)
class ScoreBound:
    """A bound on a score.

    Args:
        name: the score's name by its source or a reviewer.
        comparison: at least, at most or exactly.
        value: the number; finite.

    Raises:
        UsageError: the comparison is unknown, or the number is not finite.

    Example:
        >>> str(al.ScoreBound("reward", ">=", 0.5))
        'reward>=0.5'
    """

    name: str
    comparison: Comparison
    value: float

    def __post_init__(self) -> None:
        require_number("What bounds a score", self.value)
        if self.comparison not in get_args(Comparison) or not math.isfinite(self.value):
            raise UsageError(
                f"{self.comparison}{self.value} bounds no score; write >=, <= or = and a number, such as reward>=0.5."
            )

    def __str__(self) -> str:
        return f"{self.name}{self.comparison}{str(self.value).removesuffix('.0')}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a bound such as ``reward>=0.5``.

        Args:
            text: a name, a comparison and a number.

        Raises:
            UsageError: the text is not a bound.

        Example:
            >>> al.ScoreBound.parse("reward >= 0.5").value
            0.5
        """
        if found := _BOUND.fullmatch(text):
            comparison = next(each for each in get_args(Comparison) if each == found["comparison"])
            try:
                return cls(found["name"], comparison, float(found["value"]))
            except ValueError:
                pass
        raise UsageError(
            f"{text!r} bounds no score; write a name, >=, <= or =, and a number, such as reward>=0.5."
        )
