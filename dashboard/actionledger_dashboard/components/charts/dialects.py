"""In which dialects responses were read, as parts of all that meant to act."""

from collections import Counter
from collections.abc import Iterator, Sequence

import altair as alt
import pandas as pd

from actionledger.ledger.queries import ReadIn
from actionledger_dashboard.components.charts.common import GREY, ROW_PIXELS, Chart, selectable
from actionledger_dashboard.components.charts.groups import label_axis, shown_label
from actionledger_dashboard.components.visible import visible
from actionledger_dashboard.components.wording import interval, sessions

OTHERS = "other dialects"
_COLOURS = ("#3f7fc1", "#cf7a30", "#2f9488", "#8d6cc4", "#b5557f", "#8a8a2b")
_BAR_PIXELS = 18


def dialects_chart(found: Sequence[ReadIn], groups: Sequence[str]) -> Chart:
    """Return a bar for each group, as long as its parse success and parted by dialect.

    Args:
        found: how many of each group were read in which dialect.
        groups: the groups' labels, from above to below.
    """
    frequent = Counter[str]()
    for part in found:
        frequent[part.dialect] += part.share.successes
    named = [name for name, _ in frequent.most_common(len(_COLOURS))]
    shown = [visible(name) for name in named] + [OTHERS] * (len(named) < len(frequent))
    colours = [*_COLOURS[: len(named)], GREY]
    frame = pd.DataFrame(_rows(found, groups, named))
    along = alt.Scale(domain=[0, 1], nice=False)
    bars = alt.Chart(frame, height=alt.Step(ROW_PIXELS)).mark_bar(height=_BAR_PIXELS, cursor="pointer")
    parts = bars.encode(
        y=alt.Y("group:N", sort=[shown_label(label) for label in groups], title=None, axis=label_axis()),
        x=alt.X(
            "share:Q",
            title=None,
            scale=along,
            axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], orient="top"),
        ),
        color=alt.Color(
            "shown:N",
            title=None,
            scale=alt.Scale(domain=shown, range=colours),
            legend=alt.Legend(orient="bottom", columns=4, labelLimit=160, symbolType="square"),
        ),
        order=alt.Order("order:Q"),
        tooltip=[
            alt.Tooltip("group:N", title="Of"),
            alt.Tooltip("each:N", title="Dialect"),
            alt.Tooltip("share:Q", title="Read in it", format=".1%"),
            alt.Tooltip("interval:N", title="95 % interval"),
            alt.Tooltip("read:Q", title="Responses", format=","),
            alt.Tooltip("count:Q", title="Meant to act", format=","),
            alt.Tooltip("sessions:Q", title="Sessions", format=","),
        ],
    )
    return selectable(alt.layer(parts), "label", "dialect")


def _rows(
    found: Sequence[ReadIn], groups: Sequence[str], named: Sequence[str]
) -> Iterator[dict[str, object]]:
    for part in found:
        if part.label in groups:
            is_named = part.dialect in named
            yield {
                "label": part.label,
                "group": shown_label(part.label),
                "dialect": part.dialect,
                "each": visible(part.dialect),
                "shown": visible(part.dialect) if is_named else OTHERS,
                "order": named.index(part.dialect) if is_named else len(named),
                "share": part.share.value,
                "interval": interval(part.share),
                "read": part.share.successes,
                "count": part.share.count,
                "sessions": sessions(part.share),
            }
