"""The charts: rows in, a selectable chart out. Sizes are explicit, and every colour is legible on light and on dark."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from math import ceil
from typing import Any, Literal, TypeAlias

import altair as alt
import pandas as pd
import streamlit as st

from actionledger.core.text import NO_NAME
from actionledger.ledger.queries import Trend
from actionledger.replay.contrasts import Measure
from actionledger.report.charts.contrast import contrast_of
from actionledger.report.charts.trend import READING, Event, Wording, trend_of
from actionledger_dashboard.components.wording import visible

__all__ = ["Chart", "Event", "contrast_chart", "picked_points", "spending_chart", "trend_chart"]


Chart: TypeAlias = alt.LayerChart | alt.FacetChart
"""The chart types that Altair's layering returns."""

BLUE, ORANGE = "#3f7fc1", "#cf7a30"

_INKS = {"light": "#5f6673", "dark": "#a9b0bc"}

ROW_PIXELS = 30

_MARK = "mark"


def ink() -> str:
    """Return a text colour for the viewer's background; no single grey is legible on both light and dark."""
    with suppress(AttributeError, RuntimeError):
        return _INKS[st.context.theme.type or "light"]
    return _INKS["light"]


def selectable(chart: Chart, *fields: str) -> Chart:
    """Return the chart with selectable marks."""
    return chart.add_params(alt.selection_point(name=_MARK, fields=list(fields), on="click"))


def picked_points(picked: Any) -> list[dict[str, str]]:
    """Return a chart's selected marks, each as the values of its fields."""
    points: list[dict[str, str]] = picked.selection.get(_MARK, [])
    return points


def trend_chart(
    trend: Trend, now: datetime, events: Sequence[Event] = (), wording: Wording = READING
) -> Chart:
    """Return the periods as points on one or two lines, each with its band; a pressed point returns its ``day``."""
    seen = [replace(event, label=visible(event.label), detail=visible(event.detail)) for event in events]
    drawn = trend_of(trend, now, seen, ink(), wording).configure_point(cursor="pointer")
    return selectable(drawn.configure_rule(cursor="pointer"), "day")


def contrast_chart(measures: Sequence[Measure], names: Mapping[str, str], before: str, after: str) -> Chart:
    """Return each measure as two points with their intervals, the side before above the side after."""
    return contrast_of(measures, names, visible(before), visible(after), ink())


def spending_chart(rows: Sequence[Mapping[str, Any]], by: str) -> alt.Chart | None:
    """Return each period's cost as bars, or its tokens if no cost is known; None if neither is known, or for a single period."""
    dated = [row for row in rows if row[by] is not None]
    if any(row["cost_usd"] for row in dated):
        name, title, shape = "cost_usd", "Cost in dollars", "$,.2f"
    else:
        name, title, shape = "tokens", "Tokens", ",d"
    bars = [
        {
            "period": datetime.combine(row[by], datetime.min.time()),
            name: row[name] if name in row else (row["input_tokens"] or 0) + (row["output_tokens"] or 0),
            "turns": row["turns"],
        }
        for row in dated
    ]
    if len(bars) == 1 or not any(bar[name] for bar in bars):  # the sums above say all of a single period
        return None
    unit: Any = {"day": "yearmonthdate", "week": "yearmonthdate", "month": "yearmonth"}[by]
    chart: alt.Chart = (
        alt.Chart(pd.DataFrame(bars))
        .mark_bar(color=BLUE)
        .encode(
            x=alt.X(
                "period:T", timeUnit=unit, title=None, axis=alt.Axis(labelColor=ink(), labelOverlap=True)
            ),
            y=alt.Y(
                name,
                type="quantitative",
                title=title,
                axis=alt.Axis(labelColor=ink(), titleColor=ink(), tickCount=4),
            ),
            tooltip=[
                alt.Tooltip("period:T", title=by.capitalize(), format="%Y-%m-%d"),
                alt.Tooltip(name, type="quantitative", title=title, format=shape),
                alt.Tooltip("turns:Q", title="Turns", format=",d"),
            ],
        )
        .properties(height=180)
    )
    return chart


_STRETCHES = 500
"""A longer session is drawn as this many stretches, each by its largest and smallest turn: ten thousand points take a browser seconds."""


def context_chart(found: Sequence[tuple[int, int | None, int | None]]) -> alt.Chart:
    """Return the model's input tokens at each turn as an area; it falls where the context was compacted."""
    step = ceil(len(found) / _STRETCHES)
    stretches = (found[at : at + step] for at in range(0, len(found), step or 1))
    drawn = [turn for each in stretches for turn in sorted({max(each, key=_tokens), min(each, key=_tokens)})]
    turns = pd.DataFrame(drawn if step > 2 else found, columns=["turn", "tokens", "cached"])
    chart: alt.Chart = (
        alt.Chart(turns)
        .mark_area(color=BLUE, opacity=0.35, line={"color": BLUE}, interpolate="step-after")
        .encode(
            x=alt.X("turn:Q", title="Turn", axis=alt.Axis(labelColor=ink(), titleColor=ink(), format="d")),
            y=alt.Y(
                "tokens:Q",
                title="Input tokens",
                axis=alt.Axis(labelColor=ink(), titleColor=ink(), tickCount=4, format="~s"),
            ),
            tooltip=[
                alt.Tooltip("turn:Q", title="Turn"),
                alt.Tooltip("tokens:Q", title="Input tokens", format=",d"),
                alt.Tooltip("cached:Q", title="of them cached", format=",d"),
            ],
        )
        .properties(height=160)
    )
    return chart


def _tokens(turn: tuple[int, int | None, int | None]) -> int:
    return turn[1] or 0


Shape: TypeAlias = Literal["bars", "line", "points"]
"""The shape that rows are drawn as."""

_HEIGHT = 320
_MOST_BARS = 60
_FEW_BARS = 6
_LONGEST_LABEL = 60
_READ_BY_TOOLTIPS = {"image", "title"}
"""Field names that Vega's tooltips interpret: an image to fetch, and a heading."""


def rows_chart(
    names: tuple[str, str], along: Sequence[Any], values: Sequence[float | None], shape: Shape
) -> alt.Chart:
    """Return a chart of one column over another."""
    kind = _kind(along)
    places = list(along) if kind != "N" else [_label(value) for value in along]
    frame = pd.DataFrame({"along": places, "value": list(values)})
    titles = [_title(name) for name in names]
    axis = alt.X(f"along:{'O' if kind == 'Q' and shape == 'bars' else kind}", title=titles[0], sort=None)
    if kind == "N":
        axis = axis.axis(labelLimit=160, labelAngle=0 if len(places) <= _FEW_BARS else -60)
    base = alt.Chart(frame, height=_HEIGHT).encode(
        x=axis,
        y=alt.Y("value:Q", title=titles[1], scale=alt.Scale(zero=shape == "bars")),
        tooltip=[alt.Tooltip(f"along:{kind}", title=titles[0]), alt.Tooltip("value:Q", title=titles[1])],
    )
    drawn = {
        "bars": lambda: base.mark_bar(color=BLUE),
        "line": lambda: base.mark_line(color=BLUE, point=True),
        "points": lambda: base.mark_point(color=BLUE, filled=True, opacity=0.8),
    }
    chart: alt.Chart = drawn[shape]()
    return chart


def too_many(along: Sequence[Any], shape: Shape) -> bool:
    """Return whether there are more bars than fit into a chart."""
    return shape == "bars" and _kind(along) != "T" and len(along) > _MOST_BARS


def _kind(values: Sequence[Any]) -> Literal["Q", "T", "N"]:
    there = [value for value in values if value is not None]
    if there and all(isinstance(value, date | datetime) for value in there):
        return "T"
    if there and all(isinstance(value, int | float) and not isinstance(value, bool) for value in there):
        return "Q"
    return "N"


def _label(value: object) -> str:
    text = visible("–" if value is None else str(value))
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"


def _title(name: str) -> str:
    label = _label(name) or NO_NAME
    return f"{label} " if label.lower() in _READ_BY_TOOLTIPS else label
