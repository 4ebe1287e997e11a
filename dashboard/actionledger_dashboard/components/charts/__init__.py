"""The charts: rows in, a selectable chart out. Sizes are explicit, and every colour reads on light and on dark."""

from actionledger.report.charts.trend import Event
from actionledger_dashboard.components.charts.common import Chart, picked_points
from actionledger_dashboard.components.charts.contrast import contrast_chart
from actionledger_dashboard.components.charts.trend import trend_chart

__all__ = ["Chart", "Event", "contrast_chart", "picked_points", "trend_chart"]
