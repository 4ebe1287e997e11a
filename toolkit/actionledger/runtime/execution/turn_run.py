"""Run the actions of one turn: each passes the gate and is run or withheld, in the plan's order."""

from collections.abc import Mapping
from dataclasses import replace

from actionledger.core.values import Observation
from actionledger.core.vocabulary import DecisionKind, ExecutionStatus, Reason
from actionledger.runtime.execution.approval import Decision
from actionledger.runtime.execution.execution_events import (
    POLICY,
    ActionStep,
    approval_decided,
    approval_of,
    approval_requested,
    execution_finished,
    noted,
)
from actionledger.runtime.execution.executor import Executor
from actionledger.runtime.execution.gate import admit
from actionledger.runtime.execution.plan import PlannedAction
from actionledger.runtime.execution.turn_context import (
    Admitted,
    ExecutionProgress,
    TurnContext,
    TurnState,
    Withheld,
)
from actionledger.runtime.repetition.fingerprints import observed_fingerprint

_FAILED = frozenset({ExecutionStatus.FAILED, ExecutionStatus.TIMED_OUT})


class TurnRun:
    """Carries out the plan of one turn."""

    def __init__(self, context: TurnContext, executor: Executor) -> None:
        self._context = context
        self._executor = executor
        history = context.history
        self._progress = ExecutionProgress(tries=dict(history.tries), approvals=dict(history.approvals))
        self._batch: list[ActionStep] = []

    @property
    def observations(self) -> tuple[Observation, ...]:
        """The last observation of each action, in the order of the plan."""
        seen = self._progress.observations
        places = (planned.index for planned in self._context.plan.actions)
        return tuple(seen[place] for place in places if place in seen)

    @property
    def history(self) -> TurnState:
        """The turn's current state."""
        return replace(
            self._context.history,
            observations=dict(self._progress.observations),
            tries=self._progress.tries,
            unfinished=frozenset(),
            approvals=self._progress.approvals,
            doubts={},
        )

    def carry_out(self) -> None:
        """Run or withhold each action that has no final outcome, and record it."""
        # Record an end for tries that have none, because their process is gone.
        history = self._context.history
        for place in sorted(history.unfinished):
            finished = execution_finished(history.observations[place], history.turn, self._context.run_id)
            self._context.record(finished)
        for planned in self._context.plan.actions:
            settled = self._settled(planned.index)
            if settled:
                self._progress.observations[planned.index] = settled
                continue
            if self._batch and not self._may_join(planned):
                self._run_batch()
            self._take(planned)
        self._run_batch()
        skipped = [each for each in self.observations if each.reason is Reason.FAILURE_LIMIT]
        if skipped:
            context, detail = self._context, {"skipped": len(skipped)}
            message, turn = skipped[0].message, context.history.turn
            context.record(noted("failure_limit", message, turn, context.run_id, detail))

    def _settled(self, place: int) -> Observation | None:
        """Return an action's observation, if it is final."""
        history = self._context.history
        observation = history.observations.get(place)
        if observation is None:
            return None
        if observation.status is ExecutionStatus.PENDING:
            approval = history.approvals.get(place)
            is_undecided = approval is not None and approval.decision is None
            return observation if is_undecided and place not in history.doubts else None
        if observation.status is ExecutionStatus.INTERRUPTED:
            is_repeatable = self._context.profile.execution_settings.of(observation.name).idempotent
            return None if is_repeatable else observation
        return observation

    def _may_join(self, planned: PlannedAction) -> bool:
        """Return whether an action may run in parallel with the gathered ones."""
        execution_settings = self._context.profile.execution_settings
        settings = execution_settings.of(planned.call.name)
        return all(
            step.index not in planned.waits_for
            # Whether a repeated call is a repetition depends on the first call's result.
            and (step.call.name, step.call.arguments) != (planned.call.name, planned.call.arguments)
            and settings.may_join(execution_settings.of(step.call.name))
            for step in self._batch
        )

    def _take(self, planned: PlannedAction) -> None:
        context, tries = self._context, self._progress.tries
        tries[planned.index] = tries.get(planned.index, 0) + 1
        step = ActionStep(
            index=planned.index,
            call=planned.call,
            attempt_id=context.attempt_id,
            turn=context.history.turn,
            run_id=context.run_id,
            try_number=tries[planned.index],
        )
        answer = admit(self._context, self._progress, Admitted(planned, step))
        if isinstance(answer, Withheld):
            self._run_batch()
            asked = answer.asks
            if asked is not None:
                version = self._context.policy_version
                approval = self._progress.approvals[step.index] = approval_of(asked, version)
                self._context.record(approval_requested(approval, asked, version))
            self._observe(self._executor.withhold(asked or step, answer))
            return
        self._note_modified(answer)
        self._progress.filled_in[step.index] = (answer.before or answer.step).call
        if self._context.dry_run:
            self._observe(self._executor.preview(answer.step, answer.held_back))
            return
        self._batch.append(answer.step)
        profile = self._context.profile
        is_parallel = profile.execution_settings.of(planned.call.name).parallel
        if not is_parallel or len(self._batch) >= profile.workers:
            self._run_batch()

    def _run_batch(self) -> None:
        batch, self._batch = self._batch, []
        for observation in self._executor.run(batch) if batch else ():
            self._observe(observation)

    def _note_modified(self, admitted: Admitted) -> None:
        """Record a policy rule's change of an action, like any other decision."""
        if admitted.rule is None or admitted.before is None:
            return
        version = self._context.policy_version
        approval = approval_of(admitted.before, version)
        arguments: Mapping[str, object] = admitted.step.call.arguments
        decision = Decision(DecisionKind.MODIFIED, by=POLICY, why=admitted.rule.why, arguments=arguments)
        self._context.record(approval_requested(approval, admitted.before, version))
        self._context.record(approval_decided(approval, decision, self._context.run_id))

    def _observe(self, observation: Observation) -> None:
        context, progress, place = self._context, self._progress, observation.action_index
        progress.observations[place] = observation
        if observation.status in _FAILED or observation.status is ExecutionStatus.SUCCEEDED:
            context.failures.note(failed=observation.status in _FAILED)
        call = progress.filled_in.get(place, context.calls[place])
        references = context.profile.catalogue.references
        if self._is_rate_reported(observation):
            return  # a model that was told once to wait has not requested the action repeatedly
        if done := observed_fingerprint(call, observation, references=references):
            context.repetition.note([done])

    def _is_rate_reported(self, observation: Observation) -> bool:
        """Return whether the same rate withheld another action of this response before."""
        if observation.status is not ExecutionStatus.RATE_LIMITED:
            return False
        return any(
            each.status is ExecutionStatus.RATE_LIMITED
            and each.name == observation.name
            and each.action_index < observation.action_index
            for each in self._progress.observations.values()
        )
