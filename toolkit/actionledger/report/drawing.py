"""Shared parts of all charts, without a library: colours, rates in words, and where an axis begins."""

from collections.abc import Iterable
from math import floor
from typing import Any, TypeAlias

from actionledger.core.rates import Rate

Spec: TypeAlias = dict[str, Any]
"""A chart, or a part of one, as Vega-Lite writes it."""

BLUE, ORANGE = "#3f7fc1", "#cf7a30"
INK = "#7b828e"
"""The colour of text, readable on white and on black; a caller that knows the background passes a better one."""

_ALMOST_ALL = 0.5  # from here on an axis need not begin at 0: a point has no length that could mislead


def encoded(field: str, kind: str, title: str | None = None, **more: Any) -> Spec:
    """Return how a field is drawn; ``kind`` is nominal, quantitative or temporal."""
    return {"field": field, "type": kind, "title": title, **more}


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
