"""Charts of a ledger as values of Altair, to be changed, put beside each other and saved: what the dashboard draws, for a notebook."""

from actionledger.common.extras import require

require("A chart", "notebook", "altair", "pandas")

from actionledger.charts.contrast import compared  # noqa: E402 - what they need is there now
from actionledger.charts.funnel import funnel  # noqa: E402
from actionledger.charts.groups import groups  # noqa: E402
from actionledger.charts.trend import Event, trend  # noqa: E402

__all__ = ["Event", "compared", "funnel", "groups", "trend"]
