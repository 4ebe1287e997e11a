"""The rates of two sides beside each other, as a notebook has them, in the reader's ink."""

from collections.abc import Mapping, Sequence

from actionledger.replay.contrasts import Measure
from actionledger.report.charts.contrast import contrast_of
from actionledger_dashboard.components.charts.common import Chart, ink
from actionledger_dashboard.components.visible import visible


def contrast_chart(measures: Sequence[Measure], names: Mapping[str, str], before: str, after: str) -> Chart:
    """Return each measure as two points, the side before above the side after, each on its interval if it has one."""
    return contrast_of(measures, names, visible(before), visible(after), ink())
