"""The charts, as Vega-Lite writes them: rows in, a chart out. Sizes are explicit, and every colour is legible on light and on dark.

They need neither Altair nor pandas: loading both took half of the first page's processor time, and half of the server's memory.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from itertools import groupby
from math import ceil, isfinite
from typing import Any, Literal, TypeAlias

import streamlit as st

from actionledger.core.text import NO_NAME
from actionledger.ledger.queries import Trend
from actionledger.report.drawing import BLUE, Spec, encoded
from actionledger.report.trend_spec import READING, Event, Wording, trend_spec
from actionledger_dashboard.components.wording import visible

__all__ = ["Event", "show_chart", "spending_chart", "trend_chart"]

_INKS = {"light": "#5f6673", "dark": "#a9b0bc"}

_MARK = "mark"


def ink() -> str:
    """Return a text colour for the viewer's background; no single grey is legible on both light and dark."""
    with suppress(AttributeError, RuntimeError):
        return _INKS[st.context.theme.type or "light"]
    return _INKS["light"]


def show_chart(key: str, chart: Spec, alt: str) -> list[dict[str, str]]:
    """Show a chart, and return the selected marks, each as the values of its fields."""
    drawn = _with_rows(chart)
    if "params" not in chart:
        st.vega_lite_chart(spec=drawn, key=key, alt=alt)
        return []
    picked: Any = st.vega_lite_chart(spec=drawn, key=key, alt=alt, on_select="rerun")
    points: list[dict[str, str]] = picked.selection.get(_MARK, [])
    return points


def _with_rows(chart: Spec) -> Spec:
    """Return a chart whose layers hold their rows themselves: Streamlit converts all others by pandas."""
    rows = chart["datasets"]
    layers = [
        {
            "data": {"values": rows[name]},
            "layer": [{part: layer[part] for part in layer if part != "data"} for layer in alike],
        }
        for name, alike in groupby(chart["layer"], lambda layer: layer["data"]["name"])
    ]
    return {name: part for name, part in chart.items() if name != "datasets"} | {"layer": layers}


def trend_chart(
    trend: Trend, now: datetime, events: Sequence[Event] = (), wording: Wording = READING
) -> Spec:
    """Return the periods as points on one or two lines, each with its band; a pressed point returns its ``day``."""
    seen = [replace(event, label=visible(event.label), detail=visible(event.detail)) for event in events]
    chart = trend_spec(trend, now, seen, ink(), wording)
    *others, points = chart["layer"]
    pick = {"name": _MARK, "select": {"type": "point", "fields": ["day"], "on": "click"}, "views": ["points"]}
    pressed = {"cursor": "pointer"}
    return chart | {
        "layer": [*others, points | {"name": "points"}],
        "params": [pick],
        "config": {"point": pressed, "rule": pressed},
    }


def _single(rows: Sequence[Spec], mark: Spec, encoding: Spec, height: int) -> Spec:
    """Return a chart of one layer."""
    layer = {"data": {"name": "rows"}, "mark": {"color": BLUE, **mark}, "encoding": encoding}
    return {"height": height, "layer": [layer], "datasets": {"rows": list(rows)}}


def spending_chart(rows: Sequence[Mapping[str, Any]], by: str) -> Spec | None:
    """Return each period's cost as bars, or its tokens if no cost is known; None if neither is known, or for a single period."""
    dated = [row for row in rows if row[by] is not None]
    if any(row["cost_usd"] for row in dated):
        name, title, shape = "cost_usd", "Cost in dollars", "$,.2f"
    else:
        name, title, shape = "tokens", "Tokens", ",d"
    bars = [
        {
            "period": datetime.combine(row[by], datetime.min.time()).isoformat(),
            name: row[name] if name in row else (row["input_tokens"] or 0) + (row["output_tokens"] or 0),
            "turns": row["turns"],
        }
        for row in dated
    ]
    if len(bars) == 1 or not any(bar[name] for bar in bars):  # the sums above say all of a single period
        return None
    unit = {"day": "yearmonthdate", "week": "yearmonthdate", "month": "yearmonth"}[by]
    along = {"labelColor": ink(), "labelOverlap": True}
    up = {"labelColor": ink(), "titleColor": ink(), "tickCount": 4}
    tooltip = [
        encoded("period", "temporal", by.capitalize(), format="%Y-%m-%d"),
        encoded(name, "quantitative", title, format=shape),
        encoded("turns", "quantitative", "Turns", format=",d"),
    ]
    encoding = {
        "x": encoded("period", "temporal", timeUnit=unit, axis=along),
        "y": encoded(name, "quantitative", title, axis=up),
        "tooltip": tooltip,
    }
    return _single(bars, {"type": "bar"}, encoding, 180)


_STRETCHES = 500
"""A longer session is drawn as this many stretches, each by its largest and smallest turn: ten thousand points take a browser seconds."""


def context_chart(found: Sequence[tuple[int, int | None, int | None]]) -> Spec:
    """Return the model's input tokens at each turn as an area; it falls where the context was compacted."""
    step = ceil(len(found) / _STRETCHES)
    stretches = (found[at : at + step] for at in range(0, len(found), step or 1))
    drawn = [turn for each in stretches for turn in sorted({max(each, key=_tokens), min(each, key=_tokens)})]
    rows = [
        dict(zip(("turn", "tokens", "cached"), turn, strict=True)) for turn in (drawn if step > 2 else found)
    ]
    axis = {"labelColor": ink(), "titleColor": ink()}
    encoding = {
        "x": encoded("turn", "quantitative", "Turn", axis=axis | {"format": "d"}),
        "y": encoded("tokens", "quantitative", "Input tokens", axis=axis | {"tickCount": 4, "format": "~s"}),
        "tooltip": [
            encoded("turn", "quantitative", "Turn"),
            encoded("tokens", "quantitative", "Input tokens", format=",d"),
            encoded("cached", "quantitative", "of them cached", format=",d"),
        ],
    }
    area = {"type": "area", "opacity": 0.35, "line": {"color": BLUE}, "interpolate": "step-after"}
    return _single(rows, area, encoding, 160)


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
) -> Spec:
    """Return a chart of one column over another."""
    kind = _kind(along)
    rows = [
        {"along": _label(place) if kind == "nominal" else _written(place), "value": _written(value)}
        for place, value in zip(along, values, strict=True)
    ]
    titles = [_title(name) for name in names]
    axis: Spec = {}
    if kind == "nominal":
        axis = {"axis": {"labelLimit": 160, "labelAngle": 0 if len(rows) <= _FEW_BARS else -60}}
    scale = "ordinal" if kind == "quantitative" and shape == "bars" else kind
    encoding = {
        "x": encoded("along", scale, titles[0], sort=None, **axis),
        "y": encoded("value", "quantitative", titles[1], scale={"zero": shape == "bars"}),
        "tooltip": [encoded("along", kind, titles[0]), encoded("value", "quantitative", titles[1])],
    }
    marks: dict[Shape, Spec] = {
        "bars": {"type": "bar"},
        "line": {"type": "line", "point": True},
        "points": {"type": "point", "filled": True, "opacity": 0.8},
    }
    return _single(rows, marks[shape], encoding, _HEIGHT)


def _written(value: Any) -> Any:
    """Return a value as JSON has it: times as texts, and no number that JSON lacks."""
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, date | datetime):
        return value.isoformat()
    return float(value) if isfinite(value) else None


def too_many(along: Sequence[Any], shape: Shape) -> bool:
    """Return whether there are more bars than fit into a chart."""
    return shape == "bars" and _kind(along) != "temporal" and len(along) > _MOST_BARS


def _kind(values: Sequence[Any]) -> Literal["quantitative", "temporal", "nominal"]:
    there = [value for value in values if value is not None]
    if there and all(isinstance(value, date | datetime) for value in there):
        return "temporal"
    if there and all(isinstance(value, int | float) and not isinstance(value, bool) for value in there):
        return "quantitative"
    return "nominal"


def _label(value: object) -> str:
    text = visible("–" if value is None else str(value))
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"


def _title(name: str) -> str:
    label = _label(name) or NO_NAME
    return f"{label} " if label.lower() in _READ_BY_TOOLTIPS else label
