"""What the gate says of an action: it is admitted, or withheld with a reason."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from actionledger.core.values import FieldError
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.runtime.execution.approval import Rule
from actionledger.runtime.execution.execution_events import Step
from actionledger.runtime.execution.planning import PlannedAction
from actionledger.runtime.execution.turn_context import Progress, TurnContext


@dataclass(frozen=True, slots=True)
class Withheld:
    """An action that does not run now.

    Args:
        status, reason: what is recorded.
        message: what the model is told.
        errors: what the action's model refuses of its arguments.
        asks: the step that somebody has to decide about; None if nobody has to.
    """

    status: ExecutionStatus
    reason: Reason
    message: str
    errors: tuple[FieldError, ...] = ()
    asks: Step | None = None


@dataclass(frozen=True, slots=True)
class Admitted:
    """An action that may run, as far as the checks before have found.

    Args:
        planned: the action in its plan.
        step: as it is to be run.
        before: the step as it was before a row of the policy changed it; None if none did.
        rule: that row.
        held_back: what keeps it from being done if this were no dry run; None if nothing does.
    """

    planned: PlannedAction
    step: Step
    before: Step | None = None
    rule: Rule | None = None
    held_back: Withheld | None = None


Check: TypeAlias = Callable[[TurnContext, Progress, Admitted], Admitted | Withheld]
"""One question that the gate asks: returns the action as it may go on to the next one, or why it doesn't."""
