"""The gate before execution: checks of plan, references, approval, handler and rate, in a fixed order.

Each check admits an action or withholds it, with a status and reason for the record and a sentence for the model.
"""

import json
from dataclasses import replace

from actionledger.actions.references import filled
from actionledger.actions.validation import check_action, written_out
from actionledger.core.canonical import JsonDict
from actionledger.core.errors import ActionError
from actionledger.core.values import ActionCall, Approval, RawAction
from actionledger.core.vocabulary import SENTENCES, ActionStatus, DecisionKind, ExecutionStatus, Reason
from actionledger.runtime.execution.approval import LETS_RUN, Rule, Verdict, content_hash
from actionledger.runtime.execution.execution_events import ActionStep, recorded_arguments
from actionledger.runtime.execution.plan import as_sentence, named
from actionledger.runtime.execution.turn_context import (
    Admitted,
    Check,
    ExecutionProgress,
    TurnContext,
    Withheld,
)
from actionledger.runtime.repetition.fingerprints import proposed_form

_BY_EVIDENCE = "It stands in no format of its own: its name and its place alone say that it is meant. A rule with evidence decides about such."
_DOUBLED = Withheld(
    ExecutionStatus.SKIPPED,
    Reason.REPETITION,
    "Its block is the one before once more, to the letter; it is done once.",
)
_MASKED = Withheld(ExecutionStatus.SKIPPED, Reason.MASKED_CONTENT, SENTENCES[Reason.MASKED_CONTENT])


def check_decision(
    context: TurnContext, progress: ExecutionProgress, action: Admitted
) -> Admitted | Withheld:
    """Admit an action by a person's decision, or else by policy; withhold it while a decision is pending."""
    approval = progress.approvals.get(action.step.index)
    if approval and approval.decision:
        step = _as_decided(context, action.step, approval)
        return step if isinstance(step, Withheld) else replace(action, step=step)
    if not (context.history.is_exact or context.history.is_live):
        return _MASKED
    call = action.step.call
    rule = context.policy.rule_for(call.name, _with_defaults(context, call), call.evidence, call.doubt)
    if call.evidence and not rule.evidence and rule.verdict in LETS_RUN and _may_change(context, call):
        rule = Rule(call.name, Verdict.ESCALATE, why=_BY_EVIDENCE)
    match rule.verdict:
        case Verdict.APPROVE:
            return action
        case Verdict.MODIFY:
            step = with_arguments(context, action.step, {**call.arguments, **rule.changes})
            if isinstance(step, Withheld):
                return step
            return replace(action, step=step, before=action.step, rule=rule)
        case Verdict.REJECT:
            why = f" {rule.why}" if rule.why else ""
            which = f" The rule: {rule.conditions_in_words}." if rule.when else ""
            message = f"The action {call.name!r} is not allowed in this session.{why}{which}"
            return Withheld(ExecutionStatus.DENIED, Reason.NOT_APPROVED, message)
        case Verdict.ESCALATE:
            return _escalated(context, action, rule)


def _may_change(context: TurnContext, call: ActionCall) -> bool:
    """Return whether an action may change the world: true unless it is known to be read-only."""
    settings = context.profile.execution_settings.of(call.name)
    return settings.touches_outside or bool(settings.writes) or not settings.reads


def _as_decided(context: TurnContext, step: ActionStep, approval: Approval) -> ActionStep | Withheld:
    """Return a step as a person approved it, if its content is still the approved one."""
    if approval.decision is DecisionKind.REJECTED:
        why = f": {approval.why}" if approval.why else "."
        message = f"{approval.decided_by} has decided against it{why}"
        return Withheld(ExecutionStatus.DENIED, Reason.REJECTED, message)
    history = context.history
    if not (history.is_live or (history.is_exact and approval.is_exact)):
        return _MASKED
    recorded, binds = recorded_arguments(step), _binds(context, step)
    if content_hash(step.call.name, recorded, context.policy_version, binds) != approval.decided_hash:
        reason = Reason.CHANGED_SINCE_APPROVAL
        return Withheld(ExecutionStatus.DENIED, reason, f"{SENTENCES[reason]} Ask for approval again.")
    if approval.decision is DecisionKind.MODIFIED:
        return with_arguments(context, step, json.loads(approval.changed_arguments))
    return step


def _escalated(context: TurnContext, action: Admitted, rule: Rule) -> Admitted | Withheld:
    """Withhold an action until a person decides; in a dry run, only report that."""
    step, why = action.step, f" {rule.why}" if rule.why else ""
    subject = f"The action {step.call.name!r}"
    if context.dry_run:
        message = f"{subject} would wait for approval.{why}"
        held_back = Withheld(ExecutionStatus.DRY_RUN, Reason.NOT_APPROVED, message)
        return replace(action, held_back=held_back)
    is_doubted = step.index in context.history.doubts
    again = " A decision that is recorded doesn't count." if is_doubted else ""
    message = f"{subject} waits for approval.{why}{again}"
    asks = replace(step, binds=_binds(context, step))
    return Withheld(ExecutionStatus.PENDING, Reason.NOT_APPROVED, message, asks=asks)


def _with_defaults(context: TurnContext, call: ActionCall) -> JsonDict:
    """Return an action's arguments with defaults filled in, because rules cover them too."""
    fields = context.profile.catalogue.argument_schema(call.name)["properties"]
    defaults = {name: schema["default"] for name, schema in fields.items() if "default" in schema}
    return {**defaults, **call.arguments}


def _binds(context: TurnContext, step: ActionStep) -> str:
    """Return what a decision about a step covers besides its arguments; see ``Handlers``."""
    binder = context.handlers.binds.get(step.call.name)
    if binder is None:
        return ""
    # The decision covers what earlier actions of this turn create.
    before = (context.calls[place].arguments for place in range(step.index))
    named = {value for arguments in before for value in arguments.values() if isinstance(value, str)}
    return binder(step.call.action, named)


_LETS_ON = frozenset({ExecutionStatus.SUCCEEDED, ExecutionStatus.DRY_RUN, ExecutionStatus.PENDING})
"""Statuses of an action that let dependent actions run later."""

_WAITS = frozenset({Reason.NOT_APPROVED, Reason.DEPENDENCY_WAITS})
"""Reasons why an action is pending, or in a dry run would be."""


def check_dependencies(
    context: TurnContext, progress: ExecutionProgress, action: Admitted
) -> Admitted | Withheld:
    """Withhold an action whose dependencies prevent it from running; in a dry run, report what would happen."""
    places = action.planned.waits_for
    lost = _lost(progress, places)
    if lost is not None:
        message = _because_of(context, progress, lost)
        return Withheld(ExecutionStatus.SKIPPED, Reason.DEPENDENCY_FAILED, message)
    waiting = [place for place in places if _waits(progress, place)]
    if not waiting:
        return action
    which = named(waiting[-1], context.calls[waiting[-1]])
    if context.dry_run:
        message = f"It would wait with {which}, which it depends on."
        held_back = Withheld(ExecutionStatus.DRY_RUN, Reason.DEPENDENCY_WAITS, message)
        return replace(action, held_back=held_back)
    message = f"It waits with {which}, which it depends on."
    return Withheld(ExecutionStatus.PENDING, Reason.DEPENDENCY_WAITS, message)


def _lost(progress: ExecutionProgress, places: tuple[int, ...]) -> int | None:
    """Return the index of the first action that prevents its dependents from running."""
    for place in places:
        observation = progress.observations.get(place)
        if observation is None or observation.status not in _LETS_ON:
            return place
    return None


def _waits(progress: ExecutionProgress, place: int) -> bool:
    observation = progress.observations[place]
    return observation.status is ExecutionStatus.PENDING or observation.reason in _WAITS


def _because_of(context: TurnContext, progress: ExecutionProgress, place: int) -> str:
    """Return why an action that depends on the given one can't run: the first failed action, and the chain from it."""
    cause = _cause(context, progress, place)
    ended = progress.observations.get(cause)
    fate = f"ended as {ended.status.value.replace('_', ' ')}" if ended else "was refused"
    what = f"{named(cause, context.calls[cause])} {fate}, and this one depends on it"
    if cause == place:
        return as_sentence(what)
    return as_sentence(f"{what} by way of {named(place, context.calls[place])}")


def _cause(context: TurnContext, progress: ExecutionProgress, place: int) -> int:
    """Return the index of the action that caused the given one to fail; its own index if none did."""
    waits_for = {planned.index: planned.waits_for for planned in context.plan.actions}
    while (seen := progress.observations.get(place)) and seen.reason is Reason.DEPENDENCY_FAILED:
        before = _lost(progress, waits_for[place])
        if before is None:
            break
        place = before
    return place


def check_references(
    context: TurnContext, progress: ExecutionProgress, action: Admitted
) -> Admitted | Withheld:
    """Fill in an action's references and validate it; in a dry run, use previewed results."""
    call, places = action.step.call, context.plan.places
    if not call.references:
        return action
    if context.dry_run and any(
        progress.observations[places[each.action]].result is None for each in call.references
    ):
        return action
    written = written_out(call.name, call.arguments, context.profile.catalogue)
    try:
        arguments = filled(written, lambda name: progress.observations[places[name]].result, places)
    except ActionError as error:
        return Withheld(ExecutionStatus.SKIPPED, Reason(error.reason), str(error))
    step = with_arguments(context, action.step, arguments)
    return step if isinstance(step, Withheld) else replace(action, step=step)


def with_arguments(context: TurnContext, step: ActionStep, arguments: JsonDict) -> ActionStep | Withheld:
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


def admit(context: TurnContext, progress: ExecutionProgress, action: Admitted) -> Admitted | Withheld:
    """Return whether an action may run now, with its final step."""
    for check in CHECKS:
        answer = check(context, progress, action)
        if isinstance(answer, Withheld):
            return answer
        action = answer
    return action


def check_plan(_context: TurnContext, _progress: ExecutionProgress, action: Admitted) -> Admitted | Withheld:
    """Withhold an action that can't be ordered."""
    issue = action.planned.issue
    return Withheld(ExecutionStatus.SKIPPED, issue.code, issue.message) if issue else action


def check_failures(
    context: TurnContext, _progress: ExecutionProgress, action: Admitted
) -> Admitted | Withheld:
    """Withhold an action after too many failures in a row."""
    why = context.failures.spent()
    return Withheld(ExecutionStatus.SKIPPED, Reason.FAILURE_LIMIT, why) if why else action


def check_repetition(
    context: TurnContext, progress: ExecutionProgress, action: Admitted
) -> Admitted | Withheld:
    """Withhold a repetition: an action of a duplicated block, or one repeated although the model was warned."""
    if action.step.index in context.doubled:
        return _DOUBLED
    approval = progress.approvals.get(action.step.index)
    if approval and approval.decision:
        return action  # a person has decided about it
    call = proposed_form(action.step.call, references=context.profile.catalogue.references)
    why = context.repetition.refuse(call)
    return Withheld(ExecutionStatus.SKIPPED, Reason.REPETITION, why) if why else action


def check_handler(
    context: TurnContext, _progress: ExecutionProgress, action: Admitted
) -> Admitted | Withheld:
    """Withhold an action without a handler."""
    name = action.step.call.name
    if name in context.handlers:
        return action
    message = f"Nothing can run {name!r} here; it was understood and not done."
    return Withheld(ExecutionStatus.SKIPPED, Reason.NO_HANDLER, message)


def check_rate(context: TurnContext, _progress: ExecutionProgress, action: Admitted) -> Admitted | Withheld:
    """Withhold an action that exceeds its rate; count an admitted one, except in a dry run."""
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
"""The gate's checks, in order; the first that withholds an action ends them."""
