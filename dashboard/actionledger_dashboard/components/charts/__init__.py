"""The charts: rows in, a selectable chart out. Sizes are explicit, and every colour reads on light and on dark."""

from actionledger_dashboard.components.charts.common import Chart, picked_points
from actionledger_dashboard.components.charts.contrast import contrast_chart
from actionledger_dashboard.components.charts.dialects import dialects_chart
from actionledger_dashboard.components.charts.funnel import Step, funnel_chart
from actionledger_dashboard.components.charts.groups import Group, groups_chart
from actionledger_dashboard.components.charts.trend import trend_chart

__all__ = [
    "Chart",
    "Group",
    "Step",
    "contrast_chart",
    "dialects_chart",
    "funnel_chart",
    "groups_chart",
    "picked_points",
    "trend_chart",
]
