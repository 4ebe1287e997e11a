"""A chart of parse success over time, with intervals and events."""

from collections.abc import Sequence
from datetime import datetime

import altair as alt

from actionledger.core.ids import now
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.trend import Trend, Unit, success_over_time
from actionledger.report.charts.common import WIDTH, Chart, nothing_in, within_of
from actionledger.report.drawing import INK
from actionledger.report.trend_spec import Event, trend_spec


def trend(
    ledger: Queryable,
    within: Filter | str = EVERYTHING,
    *,
    unit: Unit = "week",
    events: Sequence[Event] = (),
    ink: str = INK,
) -> Chart:
    """Return a chart of parse success over time, with and without repairs, each with its 95 % band.

    Args:
        ledger: the ledger to query.
        within: filter for the responses, or a dashboard page's address.
        unit: length of a period: ``day`` or ``week``.
        events: the events to mark as vertical lines.
        ink: the colour of the text.

    Raises:
        UsageError: no matching response has a time and can be audited.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("mint", ledger=ledger) as runtime:
        ...         turn = runtime.handle("<execute>1 + 1</execute>")
        ...     chart = al.charts.trend(ledger, unit="day")
        >>> chart.properties(height=120).height
        120
    """
    chosen = within_of(within)
    found = success_over_time(ledger, chosen, unit)
    if not found.periods:
        raise nothing_in(chosen)
    return trend_of(found, now(), events, ink).properties(width=WIDTH)


def trend_of(found: Trend, at: datetime, events: Sequence[Event] = (), ink: str = INK) -> Chart:
    """Return the chart of ``trend_spec`` as a value of Altair."""
    chart: Chart = alt.LayerChart.from_dict(trend_spec(found, at, events, ink))
    return chart
