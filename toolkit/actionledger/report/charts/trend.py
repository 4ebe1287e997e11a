"""A chart of parse success over time, with intervals and events."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import accumulate, pairwise
from math import ceil
from typing import NamedTuple

import altair as alt
import pandas as pd

from actionledger.core.ids import now
from actionledger.core.text import visible
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.trend import Trend, Unit, success_over_time
from actionledger.report.charts.common import (
    BLUE,
    INK,
    ORANGE,
    WIDTH,
    Chart,
    beginning,
    interval,
    nothing_in,
    sessions,
    within_of,
)

_HEIGHT = 270
_LABELS = 12
_LABELLED = 4  # with more events than this, their words are only in tooltips
_LONGEST = 26
_GAP = 4  # a line ends where more of the shortest steps between periods than this have no data


class Wording(NamedTuple):
    """A rate's names in its chart."""

    series: tuple[str, ...]  # the names of the lines: of `success`, and of `strict` if it differs
    things: str  # the name of the counted items
    good: str  # the name of the items that have the property
    whole: str  # the name of the items that they are a share of


READING = Wording(("parsed", "without a repair"), "Responses", "Read", "Meant to act")
ELSEWHERE = Wording(("succeeded",), "Executions", "Succeeded", "Tried")


@dataclass(frozen=True, slots=True)
class Event:
    """An event that may explain a change over time, or the change itself.

    Args:
        day: the period's first day.
        label: the event in a few words; may be untrusted text.
        detail: the full description.
        is_change: whether the rate itself changed here by more than chance.

    Example:
        >>> from datetime import date
        >>> al.charts.Event(date(2026, 3, 2), "large", "the model large is new").label
        'large'
    """

    day: date
    label: str
    detail: str
    is_change: bool = False


def trend(
    ledger: Queryable,
    within: Filter | str = EVERYTHING,
    *,
    unit: Unit = "week",
    events: Sequence[Event] = (),
    ink: str = INK,
) -> Chart:
    """Return a chart of parse success over time, with and without repairs, each with its 95 % band.

    Args:
        ledger: the ledger to query.
        within: filter for the responses, or a dashboard page's address.
        unit: length of a period: ``day`` or ``week``.
        events: the events to mark as vertical lines.
        ink: the colour of the text.

    Raises:
        UsageError: no matching response has a time and can be audited.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("mint", ledger=ledger) as runtime:
        ...         turn = runtime.handle("<execute>1 + 1</execute>")
        ...     chart = al.charts.trend(ledger, unit="day")
        >>> chart.properties(height=120).height
        120
    """
    chosen = within_of(within)
    found = success_over_time(ledger, chosen, unit)
    if not found.periods:
        raise nothing_in(chosen)
    return trend_of(found, now(), events, ink).properties(width=WIDTH)


def trend_of(
    found: Trend, at: datetime, events: Sequence[Event] = (), ink: str = INK, wording: Wording = READING
) -> Chart:
    """Return the periods as points on one or two lines with bands; the current, unfinished period is a hollow point off the lines.

    Args:
        found: the periods, at least one.
        at: the time, UTC without a zone.
        events: the events to mark as vertical lines.
        ink: the colour of the text.
        wording: the rate's names.
    """
    frame = _frame(found, at, wording)
    rates = [rate for period in found.periods for rate in (period.success, period.strict)]
    begin = beginning(rates)
    along = alt.Scale(domain=[begin, 1.0], clamp=True, nice=False, zero=False)
    names = list(wording.series)
    legend = alt.Legend(orient="top", symbolOpacity=1)
    colour = alt.Color(
        "series:N",
        title=None,
        scale=alt.Scale(domain=names, range=[BLUE, ORANGE][: len(names)]),
        legend=legend,
    )
    shape = alt.Shape(
        "series:N",
        title=None,
        scale=alt.Scale(domain=names, range=["circle", "diamond"][: len(names)]),
        legend=legend,
    )
    axis = alt.Axis(format="%b %d", grid=False, values=_ticks(found), labelFlush=False)
    days = alt.X("utcyearmonthdate(start):T", title=None, axis=axis)
    base = alt.Chart(frame, height=_HEIGHT).encode(x=days, color=colour)
    share = alt.Y(
        "share:Q",
        title=_cut(begin),
        scale=along,
        axis=alt.Axis(format="%", titleColor=ink, titleFontWeight="normal"),
    )
    over = base.transform_filter(alt.datum.state == "over")
    drawn_low = (frame["state"] == "over") & frame["low"].notna()
    alone = frame["stretch"].map(frame.groupby("stretch")["day"].nunique()) == 1
    frame["is_alone"] = alone
    band = over.transform_filter("isValid(datum.low)").mark_area(opacity=0.18).encode(detail="stretch:N")
    single = over.transform_filter("datum.is_alone && isValid(datum.low)").mark_rule(
        strokeWidth=6, opacity=0.18
    )
    return alt.layer(
        # An empty layer would be an unnamed element to screen readers.
        *(
            [band.encode(y=alt.Y("low:Q", title=_cut(begin), scale=along), y2="high:Q")]
            if (drawn_low & ~alone).any()
            else []
        ),
        # An area needs two periods; the interval of a single one is a bar.
        *(
            [single.encode(y=alt.Y("low:Q", title=_cut(begin), scale=along), y2="high:Q")]
            if (drawn_low & alone).any()
            else []
        ),
        *(
            _events(events, days, ink, _last_labelled_day(found), is_low=_is_high(found, begin))
            if events
            else []
        ),
        over.mark_line(strokeWidth=2).encode(y=share, detail="stretch:N"),
        _points(base, colour, wording).encode(y=share, shape=shape),
    )


def _cut(begin: float) -> str | None:
    """Return the note that the axis doesn't begin at 0; None if it does."""
    return f"Axis starts at {begin:.0%}" if begin else None


def _is_high(found: Trend, begin: float) -> bool:
    """Whether the lines are in the chart's upper half."""
    values = [
        rate.value
        for period in found.periods
        for rate in (period.success, period.strict)
        if rate.value is not None
    ]
    return bool(values) and sum(values) / len(values) > (1 + begin) / 2


def _events(events: Sequence[Event], days: alt.X, ink: str, late: date, *, is_low: bool) -> list[alt.Chart]:
    """Return the events as vertical lines, solid for changes; labels from ``late`` on are placed before the line, and at the bottom if ``is_low``."""
    frame = pd.DataFrame(
        {
            "day": event.day.isoformat(),
            "start": event.day.isoformat(),
            "label": _shortened(event.label) if len(events) <= _LABELLED else "",
            "detail": visible(event.detail),
            "off": 8 + 14 * at,  # one line each: next to each other they overlap on a phone
            "is_late": event.day > late,
            "kind": "changed" if event.is_change else "new",
        }
        for at, event in enumerate(events)
    )
    base = alt.Chart(frame, height=_HEIGHT).encode(
        x=days,
        tooltip=[
            alt.Tooltip("day:N", title="From"),
            alt.Tooltip("kind:N", title="What"),
            alt.Tooltip("detail:N", title="Which"),
        ],
    )
    dash = alt.StrokeDash(
        "kind:N", scale=alt.Scale(domain=["changed", "new"], range=[[1, 0], [2, 3]]), legend=None
    )
    lines = base.mark_rule(color=ink, strokeWidth=2).encode(strokeDash=dash)
    words = [
        base.transform_filter(f"{'' if is_late else '!'}datum.is_late")
        .transform_calculate(place="height - datum.off" if is_low else "datum.off")
        .mark_text(color=ink, align="right" if is_late else "left", dx=-4 if is_late else 4, fontSize=11)
        .encode(y=alt.Y("place:Q", scale=None, axis=None), text="label:N")
        for is_late in (False, True)
        if any((event.day > late) == is_late for event in events)
    ]
    return [lines, *words] if len(events) <= _LABELLED else [lines]


def _last_labelled_day(found: Trend) -> date:
    """Return the day after which labels have no room to the right."""
    first, last = found.periods[0].start, found.periods[-1].start
    return (first + (last - first) * 0.7).date()


def _shortened(label: str) -> str:
    shown = visible(label)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def _ticks(found: Trend) -> list[alt.DateTime]:
    """Return the positions of the axis labels: at periods, and no more than fit."""
    every = ceil(len(found.periods) / _LABELS)
    starts = (period.start for period in found.periods[::every])
    return [alt.DateTime(year=start.year, month=start.month, date=start.day, utc=True) for start in starts]


def _stretches(found: Trend) -> list[int]:
    """Return for each period the number of its stretch; a line over months without data would invent a course."""
    starts = [period.start for period in found.periods]
    steps = [after - before for before, after in pairwise(starts)]
    gap = _GAP * min(steps, default=timedelta())
    return list(accumulate((step > gap for step in steps), initial=0))


def _frame(found: Trend, at: datetime, wording: Wording) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "stretch": stretch,
            "day": period.start.date().isoformat(),
            "start": period.start.date().isoformat(),
            "series": name,
            "share": rate.value,
            "low": rate.interval[0] if rate.interval else None,
            "high": rate.interval[1] if rate.interval else None,
            "interval": interval(rate),
            "read": rate.successes,
            "count": rate.count,
            "sessions": sessions(rate),
            "state": "over" if period.end <= at else "not over yet",
        }
        for period, stretch in zip(found.periods, _stretches(found), strict=True)
        for name, rate in zip(wording.series, (period.success, period.strict), strict=False)
    )


def _points(base: alt.Chart, colour: alt.Color, wording: Wording) -> alt.Chart:
    points: alt.Chart = base.mark_point(size=55, strokeWidth=2, opacity=1).encode(
        fill=alt.condition(alt.datum.state == "over", colour, alt.value("transparent")),
        tooltip=[
            alt.Tooltip("day:N", title="From"),
            alt.Tooltip("series:N", title=wording.things),
            alt.Tooltip("share:Q", title="Share", format=".1%"),
            alt.Tooltip("interval:N", title="95 % interval"),
            alt.Tooltip("read:Q", title=wording.good, format=","),
            alt.Tooltip("count:Q", title=wording.whole, format=","),
            alt.Tooltip("sessions:Q", title="Sessions", format=","),
            alt.Tooltip("state:N", title="Period"),
        ],
    )
    return points
