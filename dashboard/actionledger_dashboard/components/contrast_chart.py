"""The chart of two sides' measures, the one chart that needs Altair; only a comparison that draws it loads this module."""

from collections.abc import Mapping, Sequence

from actionledger.replay.contrasts import Measure
from actionledger.report.charts.common import Chart
from actionledger.report.charts.contrast import contrast_of
from actionledger_dashboard.components.charts import ink
from actionledger_dashboard.components.wording import visible


def contrast_chart(measures: Sequence[Measure], names: Mapping[str, str], before: str, after: str) -> Chart:
    """Return each measure as two points with their intervals, the side before above the side after."""
    return contrast_of(measures, names, visible(before), visible(after), ink())
