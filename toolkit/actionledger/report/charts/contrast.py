"""A chart that compares the rates of two sides: a point with its interval for each."""

from collections.abc import Iterator, Mapping, Sequence

import altair as alt
import pandas as pd

from actionledger.core.errors import require_kind
from actionledger.core.text import visible
from actionledger.replay.contrasts import Contrast, Measure
from actionledger.replay.paired import PairedComparison
from actionledger.report.charts.common import WIDTH, Chart, share
from actionledger.report.drawing import BLUE, INK, ORANGE, beginning, interval, sessions

_SIDE_PIXELS = 22
_LABEL_PIXELS = 125
_ROOM_FOR_TEXT = 1.75
_PARTS = 5  # parts of an axis that begins at a multiple of 10 %, so that each label is a whole per cent
_LONGEST = 60

_NAMES = {
    "parse_success": "parse success",
    "strict_success": "strict success",
    "validation": "validation rate",
    "execution": "execution rate",
    "recorded_execution": "recorded executions",
    "recorded_success": "recorded successes",
    "harness_took": "their harness took",
}
"""The rates' names, the same everywhere."""


def compared(
    found: Contrast | PairedComparison, before: str = "before", after: str = "after", *, ink: str = INK
) -> Chart:
    """Return a chart of a comparison: each rate of both sides as a point on its 95 % interval.

    Args:
        found: the result of ``compare``.
        before: the first side's name.
        after: the second side's name.
        ink: the colour of the text.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     for model in ("large", "small"):
        ...         with al.Runtime("mint", ledger=ledger, model=model) as runtime:
        ...             turn = runtime.handle("<execute>1 + 1</execute>")
        ...     models = al.compare(ledger, al.Filter(models=("large",)), al.Filter(models=("small",)))
        >>> al.charts.compared(models, "large", "small").properties(width=200).width
        200
    """
    if isinstance(found, Contrast):
        return contrast_of(found.measures, _NAMES, before, after, ink).properties(width=WIDTH)
    require_kind(found, PairedComparison, "What is drawn is what al.compare gives")
    read = Measure("parse_success", found.before, found.after, found.difference, found.p_value)
    return contrast_of([read], _NAMES, before, after, ink).properties(width=WIDTH)


def contrast_of(
    measures: Sequence[Measure], names: Mapping[str, str], before: str, after: str, ink: str = INK
) -> Chart:
    """Return each measure as two points, the first side above the second, each on its interval if it has one.

    Args:
        measures: the measures from top to bottom.
        names: the measures' display names.
        before: the first side's name; may be untrusted text.
        after: the second side's name, likewise.
        ink: the colour of the text.
    """
    sides = [f"before: {_cut(before)}", f"after: {_cut(after)}"]
    frame = pd.DataFrame(_rows(measures, names, sides))
    begin = beginning([rate for measure in measures for rate in (measure.before, measure.after)])
    room = 1 - begin
    along = alt.Scale(domain=[begin, begin + _ROOM_FOR_TEXT * room], nice=False, zero=False)
    ticks = [begin + room * part / _PARTS for part in range(_PARTS + 1)]
    axis = alt.Axis(format="%", values=ticks, orient="top")
    colour = alt.Color(
        "side:N",
        title=None,
        scale=alt.Scale(domain=sides, range=[BLUE, ORANGE]),
        legend=alt.Legend(orient="bottom", labelLimit=320, columns=1, symbolOpacity=1),
    )
    shape = alt.Shape("side:N", title=None, scale=alt.Scale(domain=sides, range=["circle", "diamond"]))
    base = alt.Chart(frame, height=alt.Step(_SIDE_PIXELS)).encode(
        y=alt.Y(
            "measure:N",
            sort=None,
            title=None,
            axis=alt.Axis(minExtent=_LABEL_PIXELS, labelLimit=_LABEL_PIXELS, ticks=False, domain=False),
        ),
        yOffset=alt.YOffset("side:N", sort=sides),
        tooltip=[
            alt.Tooltip("measure:N", title="Measure"),
            alt.Tooltip("side:N", title="Side"),
            alt.Tooltip("shown:N", title="Share"),
            alt.Tooltip("interval:N", title="95 % interval"),
            alt.Tooltip("count:Q", title="n", format=","),
            alt.Tooltip("sessions:Q", title="Sessions", format=","),
        ],
    )
    whiskers = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=5, opacity=0.4)
    layers = [
        # An empty layer would be an unnamed element to screen readers.
        *(
            [whiskers.encode(x=alt.X("low:Q", title=None, scale=along, axis=axis), x2="high:Q", color=colour)]
            if frame["low"].notna().any()
            else []
        ),
        base.mark_point(filled=True, opacity=1, size=80).encode(
            x=alt.X("share:Q", title=None, scale=along, axis=axis), color=colour, shape=shape
        ),
        base.mark_text(color=ink, align="left", fontSize=12).encode(
            x=alt.datum(1 + 0.04 * room, scale=along), text="text:N"
        ),
    ]
    return alt.layer(*layers)


def _rows(
    measures: Sequence[Measure], names: Mapping[str, str], sides: Sequence[str]
) -> Iterator[dict[str, object]]:
    for measure in measures:
        for side, rate in zip(sides, (measure.before, measure.after), strict=True):
            ends = rate.interval or (None, None)
            yield {
                "measure": names[measure.name],
                "side": side,
                "share": rate.value,
                "shown": share(rate),
                "low": ends[0],
                "high": ends[1],
                "interval": interval(rate),
                "count": rate.count,
                "sessions": sessions(rate),
                "text": f"{share(rate)} of {rate.count:,}" if rate.count else share(rate),
            }


def _cut(name: str) -> str:
    shown = visible(name)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
