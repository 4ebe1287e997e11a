"""How far responses and actions get, as bars."""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.funnel import Funnel, funnel as counted_funnel
from actionledger.ledger.queries.stages import Step, stages_of
from actionledger.report.charts.common import (
    BAR_PIXELS,
    BLUE,
    INK,
    ROW_PIXELS,
    WIDTH,
    Chart,
    nothing_in,
    within_of,
)

_ROOM_FOR_TEXT = 1.35


def funnel(
    ledger: Queryable | Funnel, within: Filter | str = EVERYTHING, *, ink: str = INK
) -> alt.VConcatChart:
    """Return how far responses and actions get, as bars; what is lost on the way to a step is the pale end of its bar.

    Args:
        ledger: what to ask, or what ``funnel`` found in it.
        within: which responses, as a filter or as the address of a page of the dashboard.
        ink: the colour of the text.

    Raises:
        UsageError: no response fits.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     turn_id = ledger.record_turn("s1", "<execute>1 + 1</execute>", profile="mint")
        ...     chart = al.charts.funnel(ledger)
        >>> [part.title for part in chart.vconcat]
        ['Reading: responses', 'Checking: actions']
    """
    chosen = within_of(within)
    found = ledger if isinstance(ledger, Funnel) else counted_funnel(ledger, chosen)
    if not found.responses:
        raise nothing_in(chosen)
    parts = [_bars(stage.steps, ink).properties(title=stage.label) for stage in stages_of(found)]
    return alt.vconcat(*parts)


def _bars(steps: Sequence[Step], ink: str) -> Chart:
    frame = pd.DataFrame(
        {
            "step": step.label,
            "count": step.count,
            "whole": step.count + step.lost,
            "lost": step.lost,
            "text": f"{step.count:,}  ({step.count / step.of:.1%})" if step.lost else f"{step.count:,}",
        }
        for step in steps
    )
    along = alt.Scale(domain=[0, _ROOM_FOR_TEXT * max(1, int(frame["whole"].max()))], nice=False)
    axis = alt.Axis(minExtent=130, labelLimit=130, ticks=False, domain=False)
    base = alt.Chart(frame, width=WIDTH, height=alt.Step(ROW_PIXELS)).encode(
        y=alt.Y("step:N", sort=None, title=None, axis=axis),
        tooltip=[
            alt.Tooltip("step:N", title="Step"),
            alt.Tooltip("count:Q", title="Got here", format=","),
            alt.Tooltip("lost:Q", title="Lost on the way", format=","),
        ],
    )
    whole = alt.X("whole:Q", scale=along, axis=None)
    return alt.layer(
        base.mark_bar(opacity=0.25, height=BAR_PIXELS, color=BLUE).encode(x=whole),
        base.mark_bar(height=BAR_PIXELS, color=BLUE).encode(x=alt.X("count:Q", scale=along, axis=None)),
        base.mark_text(align="left", dx=6, color=ink, fontSize=12).encode(x=whole, text="text:N"),
    )
