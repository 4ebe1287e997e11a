"""A rate as the components draw it: a dot on its interval, on a scale that all of a group share."""

from collections.abc import Iterable
from math import floor
from typing import Any

from actionledger.rates import Rate
from actionledger_dashboard.components.wording import interval, share

_ALMOST_ALL = 0.5  # from here on a scale need not begin at nothing: a dot has no length that could mislead


def drawn_rate(rate: Rate) -> dict[str, Any]:
    """Return what ``whisker.js`` draws of a rate.

    Args:
        rate: it.
    """
    low, high = rate.interval or (None, None)
    return {
        "value": rate.value,
        "low": low,
        "high": high,
        "shown": share(rate),
        "interval": interval(rate),
    }


def beginning(rates: Iterable[Rate]) -> float:
    """Return where a scale begins that shows all of some rates: at nothing, or at a multiple of 10 % below them all.

    Args:
        rates: they; those of nothing have no place on it.
    """
    ends = [(rate.interval or (rate.value, 1.0))[0] for rate in rates if rate.value is not None]
    lowest = min(ends, default=0.0)
    return min(0.9, floor(lowest * 10 + 1e-9) / 10) if lowest > _ALMOST_ALL else 0.0
