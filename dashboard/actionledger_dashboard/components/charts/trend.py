"""Parse success over time, with its interval."""

from datetime import datetime
from math import ceil

import altair as alt
import pandas as pd

from actionledger.ledger.queries import Trend
from actionledger_dashboard.components.charts.common import BLUE, ORANGE, Chart, selectable
from actionledger_dashboard.components.wording import interval, sessions

_HEIGHT = 270
_LABELS = 12
_WHOLE, _STRICT = "read whole", "without a repair"
_BELOW = 0.02


def trend_chart(trend: Trend, now: datetime) -> Chart:
    """Return the periods as points on two lines; the period that is not over yet is hollow and on neither.

    Args:
        trend: the periods, at least one.
        now: the time, UTC without a zone.
    """
    frame = _frame(trend, now)
    along = alt.Scale(
        domain=[max(0.0, float(frame[["low", "share"]].min().min()) - _BELOW), 1.0],
        clamp=True,
        nice=False,
        zero=False,
    )
    colour = alt.Color(
        "series:N",
        title=None,
        scale=alt.Scale(domain=[_WHOLE, _STRICT], range=[BLUE, ORANGE]),
        legend=alt.Legend(orient="top", symbolOpacity=1),
    )
    axis = alt.Axis(format="%b %d", grid=False, values=_ticks(trend), labelFlush=False)
    days = alt.X("utcyearmonthdate(start):T", title=None, axis=axis)
    base = alt.Chart(frame, height=_HEIGHT).encode(x=days, color=colour)
    share = alt.Y("share:Q", title=None, scale=along, axis=alt.Axis(format="%"))
    over = base.transform_filter(alt.datum.state == "over")
    band = over.transform_filter(alt.datum.series == _WHOLE).mark_area(opacity=0.2)
    has_band = bool(((frame["state"] == "over") & (frame["series"] == _WHOLE) & frame["low"].notna()).any())
    return selectable(
        alt.layer(
            # A layer without a mark would be a thing without a name to who can't see it.
            *([band.encode(y=alt.Y("low:Q", title=None, scale=along), y2="high:Q")] if has_band else []),
            over.mark_line(strokeWidth=2).encode(y=share),
            _points(base, colour).encode(y=share),
        ),
        "day",
    )


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
