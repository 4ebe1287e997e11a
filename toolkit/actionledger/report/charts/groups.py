"""Charts of how far responses and actions get, as bars, and of parse success by one dimension, as points with intervals."""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from actionledger.core.errors import require_number
from actionledger.core.rates import Rate
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.funnel import Dimension, Funnel, funnel as counted_funnel, funnel_by
from actionledger.ledger.queries.stages import Step, stages_of
from actionledger.report.charts.common import (
    BAR_PIXELS,
    ROW_PIXELS,
    WIDTH,
    Chart,
    label,
    nothing_in,
    share,
    within_of,
)
from actionledger.report.drawing import BLUE, INK, beginning, interval, sessions

_ROOM_FOR_COUNT = 1.35


def funnel(
    ledger: Queryable | Funnel, within: Filter | str = EVERYTHING, *, ink: str = INK
) -> alt.VConcatChart:
    """Return a chart of how far responses and actions get, as bars; the pale end of a step's bar is the loss before it.

    Args:
        ledger: the ledger to query, or the result of ``funnel``.
        within: filter for the responses, or a dashboard page's address.
        ink: the colour of the text.

    Raises:
        UsageError: no response matches.

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
    along = alt.Scale(domain=[0, _ROOM_FOR_COUNT * max(1, int(frame["whole"].max()))], nice=False)
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


_ROOM_FOR_TEXT = 1.4
_PARTS = 5


def groups(
    ledger: Queryable,
    by: Dimension = "model",
    within: Filter | str = EVERYTHING,
    *,
    most: int = 30,
    ink: str = INK,
) -> Chart:
    """Return parse success for each model, profile, task, source or run, as a point on its 95 % interval, with its count.

    The highest comes first, except for models, which are ordered by their number of responses. A parse rate ranks models only if
    each was asked for the parser's format.

    Args:
        ledger: the ledger to query.
        by: ``model``, ``profile``, ``task``, ``source`` or ``run``.
        within: filter for the responses, or a dashboard page's address.
        most: maximum number of groups, those with the most responses; if there are more, the chart's title says so.
        ink: the colour of the text.

    Raises:
        UsageError: no matching response can be audited.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     for model in ("large", "small"):
        ...         with al.Runtime("mint", ledger=ledger, model=model) as runtime:
        ...             turn = runtime.handle("<execute>1 + 1</execute>")
        ...     chart = al.charts.groups(ledger, by="model")
        >>> chart.properties(width=200).width
        200
    """
    require_number("most", most, least=1)
    chosen = within_of(within)
    counted = [(name, found.parse_success) for name, found in funnel_by(ledger, by, chosen)]
    found = [(name, rate) for name, rate in counted if rate.count]
    if not found:
        raise nothing_in(chosen)
    # Models are not ranked: the rate depends on the parser, whose format their prompts may not have asked for.
    drawn = (
        found[:most]
        if by == "model"
        else sorted(found[:most], key=lambda pair: (-(pair[1].value or 0), pair[0]))
    )
    title = f"the {most} with the most responses, of {len(found):,}" if len(found) > most else None
    chart = _points(drawn, ink)
    return chart.properties(title=title) if title else chart


def _points(found: Sequence[tuple[str, Rate]], ink: str) -> Chart:
    frame = pd.DataFrame(_row(name, rate) for name, rate in found)
    begin = beginning([rate for _, rate in found])
    room = 1 - begin
    axis = alt.Axis(minExtent=130, labelLimit=200, ticks=False, domain=False)
    base = alt.Chart(frame, width=WIDTH, height=alt.Step(ROW_PIXELS)).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=axis),
        tooltip=[
            alt.Tooltip("name:N", title="Of"),
            alt.Tooltip("share:Q", title="Parse success", format=".1%"),
            alt.Tooltip("interval:N", title="95 % interval"),
            alt.Tooltip("count:Q", title="Meant to act", format=","),
            alt.Tooltip("sessions:Q", title="Sessions", format=","),
        ],
    )
    along = alt.Scale(domain=[begin, begin + _ROOM_FOR_TEXT * room], nice=False, zero=False)
    ticks = [begin + room * part / _PARTS for part in range(_PARTS + 1)]
    at = alt.Axis(format="%", values=ticks, orient="top")
    ends = base.transform_filter("isValid(datum.low)").encode(
        x=alt.X("low:Q", title=None, scale=along, axis=at), x2="high:Q"
    )
    whiskers = [ends.mark_rule(color=BLUE, strokeWidth=6, opacity=0.35)] if frame["low"].notna().any() else []
    return alt.layer(
        *whiskers,
        base.mark_point(color=BLUE, filled=True, opacity=1, size=90).encode(
            x=alt.X("share:Q", title=None, scale=along, axis=at)
        ),
        base.mark_text(color=ink, align="left", fontSize=12).encode(
            x=alt.datum(1 + 0.04 * room, scale=along), text="text:N"
        ),
    )


def _row(name: str, rate: Rate) -> dict[str, object]:
    low, high = rate.interval or (None, None)
    return {
        "name": label(name),
        "share": rate.value,
        "low": low,
        "high": high,
        "interval": interval(rate),
        "count": rate.count,
        "sessions": sessions(rate),
        "text": f"{share(rate)} of {rate.count:,}",
    }
