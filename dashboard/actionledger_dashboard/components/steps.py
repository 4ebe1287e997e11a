"""How far responses and actions get: from reading over checking to executing, ours and that of other runtimes apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from actionledger.ledger.queries import Filter, Funnel, Mark
from actionledger.rates import Rate
from actionledger.vocabulary import ExecutionStatus, Origin, Outcome
from actionledger_dashboard.components.assets import mount_of
from actionledger_dashboard.components.links import turns_href

WHOLE = Mark(outcomes=tuple(str(outcome) for outcome in Outcome if outcome.is_success))
MEANT = Mark(outcomes=tuple(str(outcome) for outcome in Outcome if outcome.has_intent))
"""The responses that were read whole, and those that meant to act."""
NOT_MEANT = Mark(outcomes=tuple(str(outcome) for outcome in Outcome if not outcome.has_intent))
WITH_ACTIONS = Mark(outcomes=("clean", "repaired", "partial"))
UNREAD, REFUSED = Mark(stage="reading"), Mark(stage="checking")
_ATTEMPTED = [status for status in ExecutionStatus if status.was_attempted]
_UNTRIED = [status for status in ExecutionStatus if not status.was_attempted]
_MISSED = [status for status in _ATTEMPTED if status is not ExecutionStatus.SUCCEEDED]

_mount = mount_of("steps")


@dataclass(frozen=True, slots=True)
class Step:
    """One bar.

    Args:
        label: what is counted.
        count: how many got here.
        of: how many got to the step before.
        opens: the turns of those that got here; None where nothing picks them.
        lost_opens: the turns of those that were lost on the way; None where nothing picks them.
    """

    label: str
    count: int
    of: int
    opens: Mark | None = None
    lost_opens: Mark | None = None

    @property
    def lost(self) -> int:
        """How many got to the step before and not here."""
        return max(self.of - self.count, 0)


@dataclass(frozen=True, slots=True)
class Stage:
    """The steps of one part of the way.

    Args:
        label: what it is called.
        steps: from the first to the last.
    """

    label: str
    steps: Sequence[Step]


def stages_of(found: Funnel) -> list[Stage]:
    """Return the way of a set of responses; what nothing got to is left out.

    Args:
        found: what became of them.
    """
    stages = [
        Stage("Reading: responses", _reading(found)),
        Stage("Checking: actions", _checking(found)),
        Stage("Executing: tries here", _executing(found.tries, found.execution, Origin.RUNTIME)),
        Stage(
            "Executing: tries elsewhere, as recorded",
            _executing(found.recorded, found.recorded_execution, Origin.RECORDED),
        ),
    ]
    return [stage for stage in stages if stage.steps and stage.steps[0].count]


def _reading(found: Funnel) -> list[Step]:
    steps = [
        Step("Responses", found.responses, found.responses, Mark()),
        Step("Meant to act", found.intent, found.responses, MEANT, NOT_MEANT),
    ]
    audited = found.parse_success.count
    if found.not_auditable:
        steps.append(Step("Can be audited", audited, found.intent))
    if audited:
        steps += [
            Step("Read whole", found.parsed, audited, WHOLE, UNREAD),
            Step("With a valid action", found.with_valid, found.parsed, None, REFUSED),
        ]
    return steps


def _checking(found: Funnel) -> list[Step]:
    steps = [Step("Read", found.decoded, found.decoded, WITH_ACTIONS)]
    if found.validation.count < found.decoded:
        steps.append(Step("With a catalogue", found.validation.count, found.decoded))
    if found.validation.count:
        steps.append(Step("Valid", found.validation.successes, found.validation.count, None, REFUSED))
    return steps


def _executing(tries: Mapping[ExecutionStatus, int], succeeded: Rate, origin: Origin) -> list[Step]:
    def mark(*statuses: ExecutionStatus) -> Mark:
        return Mark(executions=tuple(str(status) for status in statuses), origin=origin)

    whole, tried = sum(tries.values()), succeeded.count
    steps = [
        Step("Asked for", whole, whole, mark()),
        Step("Tried", tried, whole, mark(*_ATTEMPTED), mark(*_UNTRIED)),
        Step("Succeeded", succeeded.successes, tried, mark(ExecutionStatus.SUCCEEDED), mark(*_MISSED)),
    ]
    return steps if tried < whole else steps[1:]


def show_steps(found: Funnel, within: Filter) -> None:
    """Show the way, each number leading to its turns.

    Args:
        found: what became of the page's responses.
        within: the filter that they were picked by.
    """
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
        "share": f"{step.count / step.of:.1%}" if step.lost else "",
        "href": href(step.opens) if step.count else "",
        "lost": f"{step.lost:,} lost" if step.lost else "",
        "lost_href": href(step.lost_opens),
    }
