"""What the charts share: colours, sizes and how a mark is selected."""

from contextlib import suppress
from typing import Any, TypeAlias

import altair as alt
import streamlit as st

Chart: TypeAlias = alt.LayerChart | alt.FacetChart
"""What Altair's layering gives."""

BLUE, ORANGE = "#3f7fc1", "#cf7a30"

_INKS = {"light": "#5f6673", "dark": "#a9b0bc"}

ROW_PIXELS = 30

_MARK = "mark"


def ink() -> str:
    """Return the colour of text that reads well on the reader's background: no grey does on both."""
    with suppress(AttributeError, RuntimeError):
        return _INKS[st.context.theme.type or "light"]
    return _INKS["light"]


def selectable(chart: Chart, *fields: str) -> Chart:
    """Return the chart with marks that can be selected."""
    return chart.add_params(alt.selection_point(name=_MARK, fields=list(fields), on="click"))


def picked_points(picked: Any) -> list[dict[str, str]]:
    """Return the marks that are selected in a chart, each as the values of its fields."""
    points: list[dict[str, str]] = picked.selection.get(_MARK, [])
    return points
