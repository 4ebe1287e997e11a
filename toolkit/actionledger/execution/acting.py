"""The actions of one turn, from plan to observations: each goes through the gate and is run or withheld, in the plan's order."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from actionledger.execution.approval import Decision, Policy
from actionledger.execution.execution_events import (
    POLICY,
    Step,
    approval_decided,
    approval_of,
    approval_requested,
    execution_finished,
    noted,
)
from actionledger.execution.executor import Executor
from actionledger.execution.gate import Admitted, Gate, Withheld
from actionledger.execution.limits import FailureBudget, Rates
from actionledger.execution.planning import Plan, PlannedAction
from actionledger.execution.profile import Profile
from actionledger.execution.turn_state import TurnState
from actionledger.recording import Recorder, RunKey
from actionledger.repetition.fingerprints import observed_fingerprint
from actionledger.repetition.guard import RepetitionGuard
from actionledger.values import ActionCall, Observation
from actionledger.vocabulary import DecisionKind, ExecutionStatus, Reason

_FAILED = frozenset({ExecutionStatus.FAILED, ExecutionStatus.TIMED_OUT})


class Means(Protocol):
    """What a session acts with."""

    profile: Profile
    run: RunKey
    record: Recorder
    policy: Policy
    auto: bool
    dry_run: bool
    rates: Rates
    failures: FailureBudget
    repetition: RepetitionGuard
    executor: Executor


class Acting:
    """Carries out the plan of one turn.

    Args:
        means: what the session acts with.
        calls: all calls of the response.
        plan: the runnable ones, in order.
        history: how far the turn got already.
        attempt_id: the parse attempt that found the calls.
    """

    def __init__(
        self, means: Means, calls: Sequence[ActionCall], plan: Plan, history: TurnState, attempt_id: str
    ) -> None:
        self._means = means
        self._calls = calls
        self._plan = plan
        self._history = history
        self._attempt_id = attempt_id
        self._seen: dict[int, Observation] = {}
        self._tries = dict(history.tries)
        self._approvals = dict(history.approvals)
        self._batch: list[Step] = []
        self._filled_in: dict[int, ActionCall] = {}
        self._gate = Gate(
            profile=means.profile,
            policy=means.policy.automatic() if means.auto else means.policy,
            policy_version=means.policy.version,
            names=frozenset(means.executor.handlers),
            rates=means.rates,
            failures=means.failures,
            repetition=means.repetition,
            calls=calls,
            plan=plan,
            seen=self._seen,
            approvals=self._approvals,
            doubts=history.doubts,
            binds=self._binds,
            is_exact=history.is_exact,
            is_live=history.is_live,
            dry_run=means.dry_run,
        )

    @property
    def observations(self) -> tuple[Observation, ...]:
        """What came of the last try at each action, in the order of the plan."""
        places = (planned.index for planned in self._plan.actions)
        return tuple(self._seen[place] for place in places if place in self._seen)

    @property
    def history(self) -> TurnState:
        """The turn as far as it is now."""
        return replace(
            self._history,
            observations=dict(self._seen),
            tries=self._tries,
            unfinished=frozenset(),
            approvals=self._approvals,
            doubts={},
        )

    def carry_out(self) -> None:
        """Run or withhold each action that is not settled; all of it is recorded.

        Raises:
            LedgerError: something can't be recorded; nothing runs that was not.
        """
        self._note_interrupted()
        for planned in self._plan.actions:
            settled = self._settled(planned.index)
            if settled:
                self._seen[planned.index] = settled
                continue
            if self._batch and not self._may_join(planned):
                self._run_batch()
            self._take(planned)
        self._run_batch()
        self._note_failures()

    def _note_interrupted(self) -> None:
        """Record the end of tries that never had one: whoever made them is gone."""
        for place in sorted(self._history.unfinished):
            observation = self._history.observations[place]
            self._means.record(execution_finished(observation, self._history.turn, self._run_id))

    def _settled(self, place: int) -> Observation | None:
        """Return what came of an action, if that is final."""
        observation = self._history.observations.get(place)
        if observation is None:
            return None
        if observation.status is ExecutionStatus.PENDING:
            approval = self._approvals.get(place)
            is_asked = (
                approval is not None and approval.decision is None and place not in self._history.doubts
            )
            return observation if is_asked else None
        if observation.status is ExecutionStatus.INTERRUPTED:
            is_repeatable = self._means.profile.execution_settings.of(observation.name).idempotent
            return None if is_repeatable else observation
        return observation

    def _may_join(self, planned: PlannedAction) -> bool:
        """Return whether an action may run beside those that are gathered."""
        execution_settings = self._means.profile.execution_settings
        settings = execution_settings.of(planned.call.name)
        return all(
            step.index not in planned.waits_for
            # What comes of a call says whether the same call again is repetition.
            and (step.call.name, step.call.arguments) != (planned.call.name, planned.call.arguments)
            and settings.may_join(execution_settings.of(step.call.name))
            for step in self._batch
        )

    def _take(self, planned: PlannedAction) -> None:
        step = self._step(planned)
        answer = self._gate.admit(planned, step)
        if isinstance(answer, Withheld):
            self._run_batch()
            self._withhold(step, answer)
            return
        self._note_modified(answer)
        self._filled_in[step.index] = (answer.before or answer.step).call
        if self._means.dry_run:
            self._observe(self._means.executor.preview(answer.step, answer.held_back))
            return
        self._batch.append(answer.step)
        is_parallel = self._means.profile.execution_settings.of(planned.call.name).parallel
        if not is_parallel or len(self._batch) >= self._means.profile.workers:
            self._run_batch()

    def _step(self, planned: PlannedAction) -> Step:
        self._tries[planned.index] = self._tries.get(planned.index, 0) + 1
        return Step(
            index=planned.index,
            call=planned.call,
            attempt_id=self._attempt_id,
            turn=self._history.turn,
            run_id=self._run_id,
            try_number=self._tries[planned.index],
        )

    def _run_batch(self) -> None:
        batch, self._batch = self._batch, []
        for observation in self._means.executor.run(batch) if batch else ():
            self._observe(observation)

    def _binds(self, step: Step) -> str:
        """Return what a decision about a step is about beside its arguments; see ``Handlers``."""
        binder = self._means.executor.handlers.binds.get(step.call.name)
        if binder is None:
            return ""
        # What an action before it in this turn makes is decided about there.
        before = (self._calls[place].arguments for place in range(step.index))
        named = {value for arguments in before for value in arguments.values() if isinstance(value, str)}
        return binder(step.call.action, named)

    def _withhold(self, step: Step, withheld: Withheld) -> None:
        asked = withheld.asks
        if asked is not None:
            version = self._means.policy.version
            approval = self._approvals[step.index] = approval_of(asked, version)
            self._means.record(approval_requested(approval, asked, version))
        self._observe(
            self._means.executor.withhold(
                asked or step, withheld.status, withheld.reason, withheld.message, withheld.errors
            )
        )

    def _note_modified(self, admitted: Admitted) -> None:
        """Record what a row of the policy made of an action, as a decision like any other."""
        if admitted.rule is None or admitted.before is None:
            return
        version = self._means.policy.version
        approval = approval_of(admitted.before, version)
        arguments: Mapping[str, object] = admitted.step.call.arguments
        decision = Decision(DecisionKind.MODIFIED, by=POLICY, why=admitted.rule.why, arguments=arguments)
        self._means.record(approval_requested(approval, admitted.before, version))
        self._means.record(approval_decided(approval, decision, self._run_id))

    def _observe(self, observation: Observation) -> None:
        self._seen[observation.action_index] = observation
        if observation.status in _FAILED or observation.status is ExecutionStatus.SUCCEEDED:
            self._means.failures.note(failed=observation.status in _FAILED)
        place = observation.action_index
        call = self._filled_in.get(place, self._calls[place])
        references = self._means.profile.catalogue.references
        if done := observed_fingerprint(call, observation, references=references):
            self._means.repetition.note([done])

    def _note_failures(self) -> None:
        """Record that the turn was cut short, if it was."""
        skipped = [each for each in self.observations if each.reason is Reason.FAILURE_LIMIT]
        if skipped:
            detail = {"skipped": len(skipped)}
            event = noted("failure_limit", skipped[0].message, self._history.turn, self._run_id, detail)
            self._means.record(event)

    @property
    def _run_id(self) -> str:
        return self._means.run.run_id
