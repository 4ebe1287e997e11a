"""A rate as the components draw it: a dot on its interval, on a scale that all of a group share."""

from typing import Any

from actionledger.core.rates import Rate
from actionledger_dashboard.components.wording import interval, share


def drawn_rate(rate: Rate) -> dict[str, Any]:
    """Return what ``whisker.js`` draws of a rate."""
    low, high = rate.interval or (None, None)
    return {
        "value": rate.value,
        "low": low,
        "high": high,
        "shown": share(rate),
        "interval": interval(rate),
    }
