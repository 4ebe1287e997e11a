"""What stands between a planned action and its execution: checks, in one order.

Each lets an action on or withholds it, with a status and a reason for the record and a sentence for the model.
"""

from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.runtime.execution.admission import Admitted, Check, Withheld
from actionledger.runtime.execution.checks.arguments import check_references
from actionledger.runtime.execution.checks.decision import check_decision
from actionledger.runtime.execution.checks.dependencies import check_dependencies
from actionledger.runtime.execution.turn_context import Progress, TurnContext
from actionledger.runtime.repetition.fingerprints import proposed_form


def admit(context: TurnContext, progress: Progress, action: Admitted) -> Admitted | Withheld:
    """Return whether an action may run now, and as what."""
    for check in CHECKS:
        answer = check(context, progress, action)
        if isinstance(answer, Withheld):
            return answer
        action = answer
    return action


def check_plan(_context: TurnContext, _progress: Progress, action: Admitted) -> Admitted | Withheld:
    """Withhold what can't be ordered."""
    issue = action.planned.issue
    return Withheld(ExecutionStatus.SKIPPED, issue.code, issue.message) if issue else action


def check_failures(context: TurnContext, _progress: Progress, action: Admitted) -> Admitted | Withheld:
    """Withhold what comes after too many failures in a row."""
    why = context.failures.spent()
    return Withheld(ExecutionStatus.SKIPPED, Reason.FAILURE_LIMIT, why) if why else action


def check_repetition(context: TurnContext, progress: Progress, action: Admitted) -> Admitted | Withheld:
    """Withhold what would be the same once more, of which the model was told."""
    approval = progress.approvals.get(action.step.index)
    if approval and approval.decision:
        return action  # somebody has looked at it
    call = proposed_form(action.step.call, references=context.profile.catalogue.references)
    why = context.repetition.refuse(call)
    return Withheld(ExecutionStatus.SKIPPED, Reason.REPETITION, why) if why else action


def check_handler(context: TurnContext, _progress: Progress, action: Admitted) -> Admitted | Withheld:
    """Withhold what nothing can run."""
    name = action.step.call.name
    if name in context.handlers:
        return action
    message = f"Nothing can run {name!r} here; it was understood and not done."
    return Withheld(ExecutionStatus.SKIPPED, Reason.NO_HANDLER, message)


def check_rate(context: TurnContext, _progress: Progress, action: Admitted) -> Admitted | Withheld:
    """Withhold what has run too often; one that gets past this is counted, but for a dry run."""
    why = "" if context.dry_run else context.rates.take(action.step.call.name)
    return Withheld(ExecutionStatus.RATE_LIMITED, Reason.RATE_LIMIT, why) if why else action


CHECKS: tuple[Check, ...] = (
    check_plan,
    check_failures,
    check_dependencies,
    check_references,
    check_repetition,
    check_decision,
    check_handler,
    check_rate,
)
"""What the gate asks of each action, in this order; the first that withholds it has the last word."""
