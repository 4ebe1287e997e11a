"""Shared parts of the charts of Altair: sizes, filters and names."""

from typing import TypeAlias

import altair as alt

from actionledger.core.errors import UsageError
from actionledger.core.rates import Rate
from actionledger.core.text import NO_NAME, cut, visible
from actionledger.ledger.queries.addresses import refuse_others
from actionledger.ledger.queries.filters import EVERYTHING, FILTERS, Filter

Chart: TypeAlias = alt.LayerChart | alt.FacetChart
"""An Altair chart of layers, which can be changed, combined and saved."""

ROW_PIXELS = 30
BAR_PIXELS = 18
WIDTH = 420
LONGEST = 40

_SHOWN_AS = ("unit", "by", "reasons", "group", "order", "page")
"""The parameters of a page's address that affect only the display, not the selection."""


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
