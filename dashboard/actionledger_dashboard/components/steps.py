"""How far responses and actions get, each number leading to its turns."""

from typing import Any

from actionledger.core.rates import shown_share
from actionledger.ledger.queries import Filter, Funnel, Mark
from actionledger.ledger.queries.stages import Step, stages_of
from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.links import turns_href

_mount = mount_of("steps")


def show_steps(found: Funnel, within: Filter) -> None:
    """Show the way, each number leading to its turns."""
    stages = [
        {"label": stage.label, "steps": [_drawn(step, within) for step in stage.steps]}
        for stage in stages_of(found)
    ]
    _mount(key="steps", data={"stages": stages})


def _drawn(step: Step, within: Filter) -> dict[str, Any]:
    def href(mark: Mark | None) -> str:
        return "" if mark is None else turns_href(within, mark)

    return {
        "label": step.label,
        "count": step.count,
        "whole": step.count + step.lost,
        "shown": f"{step.count:,}",
        "share": shown_share(step.count / step.of) if step.lost else "",
        "href": href(step.opens) if step.count else "",
        "lost": f"{step.lost:,} {step.missing}" if step.lost else "",
        "lost_href": href(step.lost_opens),
    }
