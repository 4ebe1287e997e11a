"""What stands between a planned action and its execution: the plan, its dependencies, its arguments, the policy, the limits.

Each check either lets an action on or withholds it, with a status and a reason for the record and a sentence for the model.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from actionledger.actions.references import filled
from actionledger.actions.validation import check_action, written_out
from actionledger.errors import ActionError
from actionledger.execution.approval import Policy, Rule, Verdict, content_hash
from actionledger.execution.execution_events import Step, recorded_arguments
from actionledger.execution.limits import FailureBudget, Rates
from actionledger.execution.planning import Plan, PlannedAction, as_sentence, named
from actionledger.execution.profile import Profile
from actionledger.repetition.fingerprints import proposed_form
from actionledger.repetition.guard import RepetitionGuard
from actionledger.values import ActionCall, Approval, FieldError, Observation, RawAction
from actionledger.vocabulary import SENTENCES, ActionStatus, DecisionKind, ExecutionStatus, Reason


@dataclass(frozen=True, slots=True)
class Admitted:
    """An action that may run.

    Args:
        step: as it is to be run.
        before: the step as it was before a row of the policy changed it; None where none did.
        rule: that row.
        held_back: what keeps it from being done if this were no dry run; None where nothing does.
    """

    step: Step
    before: Step | None = None
    rule: Rule | None = None
    held_back: "Withheld | None" = None


@dataclass(frozen=True, slots=True)
class Withheld:
    """An action that does not run now.

    Args:
        status, reason: what is recorded.
        message: what the model is told.
        errors: what the action's model refuses of its arguments.
        asks: the step that somebody has to decide about; None where nobody has to.
    """

    status: ExecutionStatus
    reason: Reason
    message: str
    errors: tuple[FieldError, ...] = ()
    asks: Step | None = None


class _Stop(Exception):  # noqa: N818 - no error: the way out of a row of checks
    """Ends the checks of one action; see ``Withheld``."""

    def __init__(
        self,
        status: ExecutionStatus,
        reason: Reason,
        message: str,
        *,
        errors: tuple[FieldError, ...] = (),
        asks: Step | None = None,
    ) -> None:
        super().__init__(message)
        self.withheld = Withheld(status, reason, message, errors, asks)


@dataclass(slots=True)
class Gate:
    """The checks of one turn.

    Args:
        profile: what the session runs under.
        policy: which actions may run.
        policy_version: the hash of the policy that asks for approvals.
        names: the actions that have a handler.
        rates, failures, repetition: what the session has done so far.
        calls: all calls of the response.
        plan: the runnable ones.
        seen: what came of actions so far, by their place; whoever runs them adds to it.
        approvals: what was asked and decided about, by the action's place.
        doubts: why a decision that is recorded doesn't count, by the action's place: it is asked for again.
        binds: says what a decision about a step is about beside its arguments.
        is_exact: whether the arguments are those that the model wrote: nothing in them was masked for the record.
        is_live: whether they were never read from a record.
        dry_run: whether nothing is to be done.
    """

    profile: Profile
    policy: Policy
    policy_version: str
    names: frozenset[str]
    rates: Rates
    failures: FailureBudget
    repetition: RepetitionGuard
    calls: Sequence[ActionCall]
    plan: Plan
    seen: Mapping[int, Observation]
    approvals: Mapping[int, Approval]
    doubts: Mapping[int, str]
    binds: Callable[[Step], str]
    is_exact: bool
    is_live: bool
    dry_run: bool
    _causes: dict[int, int] = field(default_factory=dict)

    def admit(self, planned: PlannedAction, step: Step) -> Admitted | Withheld:
        """Return whether an action may run now, and as what.

        Args:
            planned: the action.
            step: the same, as it would be run.
        """
        try:
            self._check_plan(planned)
            self._check_failures()
            waits = self._check_dependencies(planned)
            filled_in = self._filled(step)
            self._check_repetition(filled_in)
            admitted = self._decided(filled_in)
            self._check_means(admitted.step)
        except _Stop as stop:
            return stop.withheld
        return replace(admitted, held_back=admitted.held_back or waits)

    def _check_plan(self, planned: PlannedAction) -> None:
        if planned.issue:
            raise _Stop(ExecutionStatus.SKIPPED, planned.issue.code, planned.issue.message)

    def _check_failures(self) -> None:
        if why := self.failures.spent():
            raise _Stop(ExecutionStatus.SKIPPED, Reason.FAILURE_LIMIT, why)

    def _check_repetition(self, step: Step) -> None:
        approval = self.approvals.get(step.index)
        if approval and approval.decision:
            return  # somebody has looked at it
        call = proposed_form(step.call, references=self.profile.catalogue.references)
        if why := self.repetition.refuse(call):
            raise _Stop(ExecutionStatus.SKIPPED, Reason.REPETITION, why)

    def _check_dependencies(self, planned: PlannedAction) -> Withheld | None:
        """Stop an action whose dependencies keep it from running; in a dry run, say what would."""
        waiting: int | None = None
        for place in planned.waits_for:
            other = self.seen.get(place)
            if other is None or other.status not in _LETS_ON:
                cause = self._causes[planned.index] = self._causes.get(place, place)
                raise _Stop(ExecutionStatus.SKIPPED, Reason.DEPENDENCY_FAILED, self._because_of(place, cause))
            if other.status is ExecutionStatus.PENDING or other.reason in _WAITS:
                waiting = place
        if waiting is None:
            return None
        if self.dry_run:
            message = f"It would wait with {self._named(waiting)}, which it depends on."
            return Withheld(ExecutionStatus.DRY_RUN, Reason.DEPENDENCY_WAITS, message)
        message = f"It waits with {self._named(waiting)}, which it depends on."
        raise _Stop(ExecutionStatus.PENDING, Reason.DEPENDENCY_WAITS, message)

    def _because_of(self, place: int, cause: int) -> str:
        what = f"{self._named(cause)} {self._fate(cause)}"
        if cause == place:
            return as_sentence(f"{what}, and this one depends on it")
        return as_sentence(f"{what}, and this one depends on it by way of {self._named(place)}")

    def _fate(self, place: int) -> str:
        other = self.seen.get(place)
        return f"ended as {other.status.value.replace('_', ' ')}" if other else "was refused"

    def _named(self, place: int) -> str:
        return named(place, self.calls[place])

    def _filled(self, step: Step) -> Step:
        """Return a step with its references filled in; in a dry run there is nothing to fill in."""
        if not step.call.references or self.dry_run:
            return step
        written = written_out(step.call.name, step.call.arguments, self.profile.catalogue)
        try:
            arguments = filled(written, self._result_of, self.plan.places)
        except ActionError as error:
            raise _Stop(ExecutionStatus.SKIPPED, Reason(error.reason), str(error)) from None
        return self._checked(step, arguments)

    def _result_of(self, name: str) -> Any:
        return self.seen[self.plan.places[name]].result

    def _checked(self, step: Step, arguments: dict[str, Any]) -> Step:
        """Return a step with other arguments, if they are valid."""
        call = step.call
        raw = RawAction(
            name=call.name,
            arguments=arguments,
            span=call.span,
            dialect=call.dialect,
            block=call.block,
            strings_only=call.strings_only and call.status is ActionStatus.COERCED,
            call_id=call.call_id,
        )
        checked = check_action(raw, self.profile.catalogue)
        if not checked.status.is_runnable:
            message = " ".join(error.message for error in checked.errors)
            reason = Reason.REFUSED_ARGUMENTS
            raise _Stop(
                ExecutionStatus.SKIPPED, reason, f"{SENTENCES[reason]} {message}", errors=checked.errors
            )
        return replace(step, call=checked, is_as_written=False)

    def _decided(self, step: Step) -> Admitted:
        """Return a step as a person or the policy lets it run."""
        approval = self.approvals.get(step.index)
        if approval and approval.decision:
            return Admitted(self._as_ruled(step, approval, approval.decision))
        if not (self.is_exact or self.is_live):
            raise _Stop(ExecutionStatus.SKIPPED, Reason.MASKED_CONTENT, SENTENCES[Reason.MASKED_CONTENT])
        rule = self.policy.rule_for(step.call.name, self._with_defaults(step.call))
        if rule.verdict is Verdict.APPROVE:
            return Admitted(step)
        if rule.verdict is Verdict.MODIFY:
            changed = self._checked(step, {**step.call.arguments, **rule.changes})
            return Admitted(changed, before=step, rule=rule)
        subject = f"The action {step.call.name!r}"
        why = f" {rule.why}" if rule.why else ""
        if rule.verdict is Verdict.REJECT:
            named = f" The rule: {rule.told}." if rule.when else ""
            message = f"{subject} is not allowed in this session.{why}{named}"
            raise _Stop(ExecutionStatus.DENIED, Reason.NOT_APPROVED, message)
        if self.dry_run:
            message = f"{subject} would wait for approval.{why}"
            return Admitted(step, held_back=Withheld(ExecutionStatus.DRY_RUN, Reason.NOT_APPROVED, message))
        again = " A decision that is recorded doesn't count." if step.index in self.doubts else ""
        message = f"{subject} waits for approval.{why}{again}"
        asks = replace(step, binds=self.binds(step))
        raise _Stop(ExecutionStatus.PENDING, Reason.NOT_APPROVED, message, asks=asks)

    def _with_defaults(self, call: ActionCall) -> dict[str, Any]:
        """Return an action's arguments with what it means where it says nothing: rules are about that as well."""
        fields = self.profile.catalogue.argument_schema(call.name)["properties"]
        defaults = {name: schema["default"] for name, schema in fields.items() if "default" in schema}
        return {**defaults, **call.arguments}

    def _as_ruled(self, step: Step, approval: Approval, decision: DecisionKind) -> Step:
        """Return a step as a person lets it run, if it still is what they decided about."""
        if decision is DecisionKind.REJECTED:
            why = f": {approval.why}" if approval.why else "."
            message = f"{approval.decided_by} has decided against it{why}"
            raise _Stop(ExecutionStatus.DENIED, Reason.REJECTED, message)
        if not (self.is_live or (self.is_exact and approval.is_exact)):
            raise _Stop(ExecutionStatus.SKIPPED, Reason.MASKED_CONTENT, SENTENCES[Reason.MASKED_CONTENT])
        recorded = recorded_arguments(step)
        if (
            content_hash(step.call.name, recorded, self.policy_version, self.binds(step))
            != approval.decided_hash
        ):
            reason = Reason.CHANGED_SINCE_APPROVAL
            raise _Stop(ExecutionStatus.DENIED, reason, f"{SENTENCES[reason]} Ask for approval again.")
        if decision is DecisionKind.MODIFIED:
            return self._checked(step, json.loads(approval.changed_arguments))
        return step

    def _check_means(self, step: Step) -> None:
        """Stop an action that nothing can run, or that has run too often; one that gets past this is counted."""
        name = step.call.name
        if name not in self.names:
            message = f"Nothing can run {name!r} here; it was understood and not done."
            raise _Stop(ExecutionStatus.SKIPPED, Reason.NO_HANDLER, message)
        if self.dry_run:
            return
        if message := self.rates.take(name):
            raise _Stop(ExecutionStatus.RATE_LIMITED, Reason.RATE_LIMIT, message)


_LETS_ON = frozenset({ExecutionStatus.SUCCEEDED, ExecutionStatus.DRY_RUN, ExecutionStatus.PENDING})
"""What an action may have come to so that those that depend on it are not lost."""

_WAITS = frozenset({Reason.NOT_APPROVED, Reason.DEPENDENCY_WAITS})
"""Why an action waits, or in a dry run would."""
