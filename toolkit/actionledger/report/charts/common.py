"""Shared parts of the charts: colours, sizes, and rates in words."""

from collections.abc import Iterable
from math import floor
from typing import TypeAlias

import altair as alt

from actionledger.core.errors import UsageError
from actionledger.core.rates import Rate
from actionledger.core.text import NO_NAME, cut, visible
from actionledger.ledger.queries.addresses import refuse_others
from actionledger.ledger.queries.filters import EVERYTHING, FILTERS, Filter

Chart: TypeAlias = alt.LayerChart | alt.FacetChart
"""An Altair chart of layers, which can be changed, combined and saved."""

BLUE, ORANGE = "#3f7fc1", "#cf7a30"
INK = "#7b828e"
"""The colour of text, readable on white and on black; a caller that knows the background passes a better one."""

ROW_PIXELS = 30
BAR_PIXELS = 18
WIDTH = 420
LONGEST = 40

_SHOWN_AS = ("unit", "by", "reasons", "group", "order", "page")
"""The parameters of a page's address that affect only the display, not the selection."""

_ALMOST_ALL = 0.5  # from here on an axis need not begin at 0: a point has no length that could mislead


def within_of(within: Filter | str) -> Filter:
    """Return a filter, given as one or as a dashboard page's address."""
    if not isinstance(within, str):
        return within
    refuse_others(within, *FILTERS, *_SHOWN_AS)
    return Filter.of_address(within)


def nothing_in(within: Filter) -> UsageError:
    """Return the error for a chart without data."""
    what = "the ledger" if within == EVERYTHING else within.words
    return UsageError(f"There is nothing to draw: no response of {what} has what the chart shows.")


def label(name: str) -> str:
    """Return a display name on one line; it may be untrusted text."""
    return cut(visible(name) or NO_NAME, LONGEST)


def share(rate: Rate) -> str:
    """Return a rate's share in per cent, or the word for why it is missing."""
    return rate.shown_value


def interval(rate: Rate) -> str:
    """Return a rate's 95 % interval in per cent, or the word for why it is missing."""
    if rate.interval is None:
        return rate.shown_interval or "–"
    low, high = rate.interval
    return f"{low:.1%} – {high:.1%}"


def sessions(rate: Rate) -> int | None:
    """Return the number of sessions behind a rate; None if unknown."""
    return rate.clustering.sessions if rate.clustering else None


def beginning(rates: Iterable[Rate]) -> float:
    """Return the start of an axis of shares: 0, or if all shares are high, a multiple of 10 % below the lowest."""
    ends = [(rate.interval or (rate.value, 1.0))[0] for rate in rates if rate.value is not None]
    lowest = min(ends, default=0.0)
    return min(0.9, floor(lowest * 10 + 1e-9) / 10) if lowest > _ALMOST_ALL else 0.0
