"""Parse success over time, as a notebook has it, in the reader's ink and with marks that can be selected."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from actionledger.ledger.queries import Trend
from actionledger.report.charts.trend import READING, Event, Wording, trend_of
from actionledger_dashboard.components.charts.common import Chart, ink, selectable
from actionledger_dashboard.components.visible import visible


def trend_chart(
    trend: Trend, now: datetime, events: Sequence[Event] = (), wording: Wording = READING
) -> Chart:
    """Return the periods as points on two lines, or on one, each with its band; a point that is pressed gives its ``day``."""
    seen = [replace(event, label=visible(event.label), detail=visible(event.detail)) for event in events]
    drawn = trend_of(trend, now, seen, ink(), wording).configure_point(cursor="pointer")
    return selectable(drawn.configure_rule(cursor="pointer"), "day")
