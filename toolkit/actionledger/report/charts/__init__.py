"""The dashboard's charts of a ledger as Altair values for notebooks, which can be changed, combined and saved."""

from actionledger.core.errors import missing

__all__ = ["Event", "compared", "funnel", "groups", "trend"]

_LACKING = missing("A chart", "notebook", "altair", "pandas")

if _LACKING is None:
    from actionledger.report.charts.contrast import compared
    from actionledger.report.charts.groups import funnel, groups
    from actionledger.report.charts.trend import trend
    from actionledger.report.trend_spec import Event
else:
    # The module itself exists on a bare install, since ``from actionledger import *`` names it; its content doesn't.
    def __getattr__(name: str) -> object:
        if name in __all__ and _LACKING is not None:
            raise _LACKING
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
