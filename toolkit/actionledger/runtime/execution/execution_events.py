"""Make events from steps: of an execution, an approval and a resumed turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from actionledger.core.canonical import json_text
from actionledger.core.events import (
    ApprovalDecided,
    ApprovalRequested,
    ExecutionFinished,
    ExecutionStarted,
    SystemNoted,
    TurnResumed,
)
from actionledger.core.ids import derived_id, now
from actionledger.core.privacy import mask
from actionledger.core.recording import TurnKey
from actionledger.core.recording.turns import action_id_of
from actionledger.core.values import ActionCall, Approval, Observation
from actionledger.runtime.execution.approval import Decision, content_hash

POLICY = "policy"
"""The decider's name if a policy rule decided."""


@dataclass(frozen=True)
class ActionStep:
    """A call to run."""

    index: int  # its index among its response's actions, from 0
    call: ActionCall  # the call as it will run
    attempt_id: str  # the parse attempt that found it
    turn: TurnKey  # the turn that it belongs to
    run_id: str  # the run that it belongs to
    try_number: int = 1  # the number of the next try, from 1
    # whether its arguments are those of the response; otherwise they are recorded with each try
    is_as_written: bool = True
    binds: str = ""  # what a decision about it covers besides its arguments

    @cached_property
    def action_id(self) -> str:
        """Identifies the action in the record."""
        return action_id_of(self.attempt_id, self.index)

    @cached_property
    def execution_id(self) -> str:
        """Identifies the next try."""
        return derived_id("execution", self.action_id, self.try_number)

    @property
    def trace_id(self) -> str:
        """An id for logs, short and the same for all tries."""
        return self.action_id[:8]


def execution_started(step: ActionStep) -> ExecutionStarted:
    """Return the event of a try that starts now."""
    dimensions = step.turn.dimensions(step.run_id)
    return ExecutionStarted(
        event_id=derived_id("execution-started", step.execution_id),
        execution_id=step.execution_id,
        attempt_id=step.attempt_id,
        action_id=step.action_id,
        action_index=step.index,
        name=step.call.name,
        dialect=step.call.dialect,
        trace_id=step.trace_id,
        try_number=step.try_number,
        started_at=dimensions["recorded_at"],
        arguments=None if step.is_as_written else json_text(step.call.arguments),
        **dimensions,
    )


def execution_finished(observation: Observation, turn: TurnKey, run_id: str) -> ExecutionFinished:
    """Return the event of a finished try."""
    moment = now()
    return ExecutionFinished(
        event_id=derived_id("execution-finished", observation.execution_id),
        recorded_at=moment,
        run_id=run_id,
        execution_id=observation.execution_id,
        session_id=turn.session.session_id,
        turn_id=turn.turn_id,
        status=observation.status,
        reason=observation.reason,
        result=json_text(observation.result),
        message=observation.message,
        duration_ms=observation.duration_ms,
        finished_at=moment,
    )


def recorded_arguments(step: ActionStep) -> str:
    """Return a step's arguments as they are recorded: as JSON text, with secrets masked."""
    return mask(json_text(step.call.arguments).encode()).decode()


def approval_of(step: ActionStep, policy_version: str) -> Approval:
    """Return the request for a decision about a step, as it will be recorded."""
    recorded = recorded_arguments(step)
    return Approval(
        approval_id=derived_id("approval", step.execution_id),
        session_id=step.turn.session.session_id,
        turn_id=step.turn.turn_id,
        turn_index=step.turn.index,
        action_index=step.index,
        profile=step.turn.session.profile,
        model=step.turn.session.model,
        name=step.call.name,
        arguments=recorded,
        content_hash=content_hash(step.call.name, recorded, policy_version, step.binds),
        is_exact=recorded == json_text(step.call.arguments),
        requested_at=now(),
        policy_version=policy_version,
    )


def approval_requested(approval: Approval, step: ActionStep, policy_version: str) -> ApprovalRequested:
    """Return the event of a request for a decision."""
    return ApprovalRequested(
        event_id=derived_id("approval-requested", approval.approval_id),
        approval_id=approval.approval_id,
        attempt_id=step.attempt_id,
        action_id=step.action_id,
        action_index=step.index,
        name=approval.name,
        arguments=approval.arguments,
        content_hash=approval.content_hash,
        policy_version=policy_version,
        is_exact=approval.is_exact,
        **step.turn.dimensions(step.run_id),
    )


def approval_decided(approval: Approval, decision: Decision, run_id: str) -> ApprovalDecided:
    """Return the event of a decision, still unsigned."""
    return ApprovalDecided(
        event_id=decision_event_id(approval),
        recorded_at=now(),
        run_id=run_id,
        approval_id=approval.approval_id,
        session_id=approval.session_id,
        turn_id=approval.turn_id,
        decision=decision.kind,
        decided_by=decision.by,
        why=decision.why,
        decided_hash=approval.content_hash,
        changed_arguments="" if decision.arguments is None else json_text(decision.arguments),
    )


def decision_event_id(approval: Approval) -> str:
    """Return the identifier of the event of a decision.

    A signed decision has an id of its own, so that an event forged by another party can't block it.
    """
    signature = (approval.signature,) if approval.signature else ()
    return derived_id("approval-decided", approval.approval_id, *signature)


def turn_resumed(turn: TurnKey, run_id: str, feedback: str, finished_at: datetime) -> TurnResumed:
    """Return the event of a turn that was resumed after its end."""
    return TurnResumed(
        event_id=derived_id("turn-resumed", turn.turn_id, feedback, finished_at),
        recorded_at=now(),
        run_id=run_id,
        session_id=turn.session.session_id,
        turn_id=turn.turn_id,
        feedback=feedback,
        finished_at=finished_at,
    )


def noted(
    code: str, message: str, turn: TurnKey, run_id: str, detail: Mapping[str, Any], *, of: str = ""
) -> SystemNoted:
    """Return the event of a note about a turn for a reviewer; ``of`` names the part of the turn that it concerns."""
    return SystemNoted(
        event_id=derived_id("noted", code, turn.turn_id, of, message),
        recorded_at=now(),
        run_id=run_id,
        code=code,
        message=message,
        session_id=turn.session.session_id,
        turn_id=turn.turn_id,
        detail=dict(detail),
    )
