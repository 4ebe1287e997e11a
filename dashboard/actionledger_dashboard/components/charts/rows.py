"""Any two columns of an answer as a chart."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Literal, TypeAlias

import altair as alt
import pandas as pd

from actionledger.core.text import NO_NAME
from actionledger_dashboard.components.charts.common import BLUE
from actionledger_dashboard.components.visible import visible

Shape: TypeAlias = Literal["bars", "line", "points"]
"""What a row is drawn as."""

_HEIGHT = 320
_MOST_BARS = 60
_FEW_BARS = 6
_LONGEST_LABEL = 60
_READ_BY_TOOLTIPS = {"image", "title"}
"""What a tooltip takes for more than a name: the picture to fetch, and its heading."""


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
    """Return whether there are more bars than a chart has room for."""
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
