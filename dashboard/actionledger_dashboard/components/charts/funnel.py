"""How far responses or actions get, as bars."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from actionledger.ledger.queries import Mark
from actionledger_dashboard.components.charts.common import BLUE, ROW_PIXELS, Chart, ink, selectable

_BAR_PIXELS, _LABEL_PIXELS = 18, 125
_ROOM_FOR_TEXT = 1.45


@dataclass(frozen=True, slots=True)
class Step:
    """One bar of a funnel.

    Args:
        label: what is counted.
        count: how many got here.
        of: how many got to the step before.
        opens: the turns that a selection of the bar leads to.
    """

    label: str
    count: int
    of: int
    opens: Mark

    @property
    def lost(self) -> int:
        """How many got to the step before and not here."""
        return max(self.of - self.count, 0)

    @property
    def text(self) -> str:
        """The count, and its share where something was lost."""
        return f"{self.count:,}  ({self.count / self.of:.1%})" if self.lost else f"{self.count:,}"


def funnel_chart(steps: Sequence[Step]) -> Chart:
    """Return the steps as bars; what is lost on the way to a step is the pale end of its bar.

    Args:
        steps: from the first to the last.
    """
    rows = [
        {
            "step": step.label,
            "count": step.count,
            "whole": step.count + step.lost,
            "lost": step.lost,
            "text": step.text,
        }
        for step in steps
    ]
    along = alt.Scale(
        domain=[0, _ROOM_FOR_TEXT * max(1, *(step.count + step.lost for step in steps))], nice=False
    )
    whole = alt.X("whole:Q", scale=along, axis=None)
    axis = alt.Axis(
        labelOverlap=False, labelLimit=_LABEL_PIXELS, minExtent=_LABEL_PIXELS, ticks=False, domain=False
    )
    base = alt.Chart(pd.DataFrame(rows), height=alt.Step(ROW_PIXELS)).encode(
        y=alt.Y("step:N", sort=None, title=None, axis=axis),
        tooltip=[
            alt.Tooltip("step:N", title="Step"),
            alt.Tooltip("count:Q", title="Got here", format=","),
            alt.Tooltip("lost:Q", title="Lost on the way", format=","),
        ],
    )
    bar: dict[str, Any] = {"height": _BAR_PIXELS, "color": BLUE, "cursor": "pointer"}
    return selectable(
        alt.layer(
            base.mark_bar(opacity=0.25, **bar).encode(x=whole),
            base.mark_bar(**bar).encode(x=alt.X("count:Q", scale=along, axis=None)),
            base.mark_text(align="left", dx=6, color=ink(), fontSize=12).encode(x=whole, text="text:N"),
        ),
        "step",
    )
