"""Parse success over time, with its intervals, and what was new when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from math import ceil

import altair as alt
import pandas as pd

from actionledger.ledger.queries import Trend
from actionledger_dashboard.components.charts.common import BLUE, ORANGE, Chart, ink, selectable
from actionledger_dashboard.components.visible import visible
from actionledger_dashboard.components.whiskers import beginning
from actionledger_dashboard.components.wording import interval, sessions

_HEIGHT = 270
_LABELS = 12
_WHOLE, _STRICT = "read whole", "without a repair"
_LABELLED = 4  # so many events have room for their words; of more of them the words are in their tooltips
_LONGEST = 34


@dataclass(frozen=True, slots=True)
class Event:
    """Something that may be why a course changes, or that it did.

    Args:
        day: the period's beginning.
        label: what happened, in a few words; others may have written it.
        detail: all of it.
        is_change: whether the rate itself is another one from here on, by more than chance.
    """

    day: date
    label: str
    detail: str
    is_change: bool = False


def trend_chart(trend: Trend, now: datetime, events: Sequence[Event] = ()) -> Chart:
    """Return the periods as points on two lines, each with its band; the period that is not over yet is hollow and on neither.

    Args:
        trend: the periods, at least one.
        now: the time, UTC without a zone.
        events: what is marked on the way, as vertical lines.
    """
    frame = _frame(trend, now)
    rates = [rate for period in trend.periods for rate in (period.success, period.strict)]
    begin = beginning(rates)
    along = alt.Scale(domain=[begin, 1.0], clamp=True, nice=False, zero=False)
    names = [_WHOLE, _STRICT]
    legend = alt.Legend(orient="bottom", symbolOpacity=1)
    colour = alt.Color(
        "series:N", title=None, scale=alt.Scale(domain=names, range=[BLUE, ORANGE]), legend=legend
    )
    shape = alt.Shape(
        "series:N", title=None, scale=alt.Scale(domain=names, range=["circle", "diamond"]), legend=legend
    )
    axis = alt.Axis(format="%b %d", grid=False, values=_ticks(trend), labelFlush=False)
    days = alt.X("utcyearmonthdate(start):T", title=None, axis=axis)
    base = alt.Chart(frame, height=_HEIGHT).encode(x=days, color=colour)
    share = alt.Y(
        "share:Q",
        title=_cut(begin),
        scale=along,
        axis=alt.Axis(format="%", titleColor=ink(), titleFontWeight="normal"),
    )
    over = base.transform_filter(alt.datum.state == "over")
    has_band = bool(((frame["state"] == "over") & frame["low"].notna()).any())
    band = over.transform_filter("isValid(datum.low)").mark_area(opacity=0.18)
    return selectable(
        alt.layer(
            # A layer without a mark would be a thing without a name to who can't see it.
            *(
                [band.encode(y=alt.Y("low:Q", title=_cut(begin), scale=along), y2="high:Q")]
                if has_band
                else []
            ),
            *(_events(events, days) if events else []),
            over.mark_line(strokeWidth=2).encode(y=share),
            _points(base, colour).encode(y=share, shape=shape),
        ),
        "day",
    )


def _cut(begin: float) -> str | None:
    """Return what says that the axis doesn't begin at nothing; None where it does."""
    return f"// axis cut below {begin:.0%}" if begin else None


def _events(events: Sequence[Event], days: alt.X) -> list[alt.Chart]:
    """Return the vertical lines, those of changes solid, with their words above them where there is room."""
    frame = pd.DataFrame(
        {
            "day": event.day.isoformat(),
            "start": event.day.isoformat(),
            "label": _shortened(event.label) if len(events) <= _LABELLED else "",
            "detail": visible(event.detail),
            "place": -6 - 13 * (at % 2),
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
    lines = base.mark_rule(color=ink(), strokeWidth=2, cursor="pointer").encode(strokeDash=dash)
    words = base.mark_text(color=ink(), align="left", dx=-2, fontSize=11).encode(
        y=alt.Y("place:Q", scale=None, axis=None), text="label:N"
    )
    return [lines, words] if len(events) <= _LABELLED else [lines]


def _shortened(label: str) -> str:
    shown = visible(label)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def _ticks(trend: Trend) -> list[alt.DateTime]:
    """Return where the axis has labels: at periods, and not at more than have room."""
    every = ceil(len(trend.periods) / _LABELS)
    starts = (period.start for period in trend.periods[::every])
    return [alt.DateTime(year=start.year, month=start.month, date=start.day, utc=True) for start in starts]


def _frame(trend: Trend, now: datetime) -> pd.DataFrame:
    return pd.DataFrame(
        {
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
            "state": "over" if period.end <= now else "not over yet",
        }
        for period in trend.periods
        for name, rate in ((_WHOLE, period.success), (_STRICT, period.strict))
    )


def _points(base: alt.Chart, colour: alt.Color) -> alt.Chart:
    points: alt.Chart = base.mark_point(size=55, strokeWidth=2, opacity=1, cursor="pointer").encode(
        fill=alt.condition(alt.datum.state == "over", colour, alt.value("transparent")),
        tooltip=[
            alt.Tooltip("day:N", title="From"),
            alt.Tooltip("series:N", title="Responses"),
            alt.Tooltip("share:Q", title="Share", format=".1%"),
            alt.Tooltip("interval:N", title="95 % interval"),
            alt.Tooltip("read:Q", title="Read", format=","),
            alt.Tooltip("count:Q", title="Meant to act", format=","),
            alt.Tooltip("sessions:Q", title="Sessions", format=","),
            alt.Tooltip("state:N", title="Period"),
        ],
    )
    return points
