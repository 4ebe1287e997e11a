"""Can an action's references be filled in, and is it valid then?"""

from dataclasses import replace
from typing import Any

from actionledger.actions.references import filled
from actionledger.actions.validation import check_action, written_out
from actionledger.core.errors import ActionError
from actionledger.core.values import RawAction
from actionledger.core.vocabulary import SENTENCES, ActionStatus, ExecutionStatus, Reason
from actionledger.runtime.execution.admission import Admitted, Withheld
from actionledger.runtime.execution.execution_events import Step
from actionledger.runtime.execution.turn_context import Progress, TurnContext


def check_references(context: TurnContext, progress: Progress, action: Admitted) -> Admitted | Withheld:
    """Fill in an action's references, if it is valid with them; in a dry run there is nothing to fill in."""
    call = action.step.call
    if not call.references or context.dry_run:
        return action
    places = context.plan.places
    written = written_out(call.name, call.arguments, context.profile.catalogue)
    try:
        arguments = filled(written, lambda name: progress.observations[places[name]].result, places)
    except ActionError as error:
        return Withheld(ExecutionStatus.SKIPPED, Reason(error.reason), str(error))
    step = with_arguments(context, action.step, arguments)
    return step if isinstance(step, Withheld) else replace(action, step=step)


def with_arguments(context: TurnContext, step: Step, arguments: dict[str, Any]) -> Step | Withheld:
    """Return a step with other arguments, if they are valid."""
    call = step.call
    raw = RawAction(
        name=call.name,
        arguments=arguments,
        span=call.span,
        dialect=call.dialect,
        block=call.block,
        strings_only=call.strings_only and call.status is not ActionStatus.VALID,
        call_id=call.call_id,
        evidence=call.evidence,
        doubt=call.doubt,
    )
    checked = check_action(raw, context.profile.catalogue)
    if checked.status.is_plannable:
        return replace(step, call=checked, is_as_written=False)
    refused = " ".join(error.message for error in checked.errors)
    message = f"{SENTENCES[Reason.REFUSED_ARGUMENTS]} {refused}"
    return Withheld(ExecutionStatus.SKIPPED, Reason.REFUSED_ARGUMENTS, message, checked.errors)
