"""What does a person or the policy say of an action? If neither says anything, it doesn't run."""

import json
from dataclasses import replace
from typing import Any

from actionledger.core.values import ActionCall, Approval
from actionledger.core.vocabulary import SENTENCES, DecisionKind, ExecutionStatus, Reason
from actionledger.runtime.execution.admission import Admitted, Withheld
from actionledger.runtime.execution.approval import LETS_RUN, Rule, Verdict, content_hash
from actionledger.runtime.execution.checks.arguments import with_arguments
from actionledger.runtime.execution.execution_events import Step, recorded_arguments
from actionledger.runtime.execution.turn_context import Progress, TurnContext

_BY_EVIDENCE = "It stands in no format of its own: its name and its place alone say that it is meant. A rule with evidence decides about such."
_MASKED = Withheld(ExecutionStatus.SKIPPED, Reason.MASKED_CONTENT, SENTENCES[Reason.MASKED_CONTENT])


def check_decision(context: TurnContext, progress: Progress, action: Admitted) -> Admitted | Withheld:
    """Let an action on as a person has decided, else as the policy says; withhold it until somebody decides."""
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
            return _rejected(call, rule)
        case Verdict.ESCALATE:
            return _escalated(context, action, rule)


def _may_change(context: TurnContext, call: ActionCall) -> bool:
    """Return whether an action may change the world: all that is not known to read and no more."""
    settings = context.profile.execution_settings.of(call.name)
    return settings.touches_outside or bool(settings.writes) or not settings.reads


def _as_decided(context: TurnContext, step: Step, approval: Approval) -> Step | Withheld:
    """Return a step as a person lets it run, if it still is what they decided about."""
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


def _rejected(call: ActionCall, rule: Rule) -> Withheld:
    why = f" {rule.why}" if rule.why else ""
    which = f" The rule: {rule.told}." if rule.when else ""
    message = f"The action {call.name!r} is not allowed in this session.{why}{which}"
    return Withheld(ExecutionStatus.DENIED, Reason.NOT_APPROVED, message)


def _escalated(context: TurnContext, action: Admitted, rule: Rule) -> Admitted | Withheld:
    """Withhold an action until a person decides; in a dry run, say that it would be."""
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


def _with_defaults(context: TurnContext, call: ActionCall) -> dict[str, Any]:
    """Return an action's arguments with what it means where it says nothing: rules are about that as well."""
    fields = context.profile.catalogue.argument_schema(call.name)["properties"]
    defaults = {name: schema["default"] for name, schema in fields.items() if "default" in schema}
    return {**defaults, **call.arguments}


def _binds(context: TurnContext, step: Step) -> str:
    """Return what a decision about a step is about beside its arguments; see ``Handlers``."""
    binder = context.handlers.binds.get(step.call.name)
    if binder is None:
        return ""
    # What an action before it in this turn makes is decided about there.
    before = (context.calls[place].arguments for place in range(step.index))
    named = {value for arguments in before for value in arguments.values() if isinstance(value, str)}
    return binder(step.call.action, named)
