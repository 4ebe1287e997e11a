"""What is recorded of what actions did: each try, and what was taken back."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from actionledger.events.base import InTurn, TurnEvent
from actionledger.events.stored import BigInt, Id, JsonText
from actionledger.vocabulary import ExecutionStatus, Reason, Reversal


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionStarted(TurnEvent):
    """An action is about to have its effect; recorded before it has.

    Args:
        execution_id: identifies this try.
        attempt_id: the reading that the action comes from.
        action_id: identifies the action.
        action_index: its place among the attempt's actions, from 0.
        name: its name.
        dialect: the dialect that read it.
        trace_id: the same for all tries of one action.
        try_number: which try at the action it is, from 1.
        started_at: when it began, UTC without a zone.
        arguments: what it runs with, as JSON text of an object; None where that is as written.
    """

    kind: Literal["execution_started"] = "execution_started"
    execution_id: Id
    attempt_id: Id
    action_id: Id
    action_index: int
    name: str
    dialect: str
    trace_id: str
    try_number: int
    started_at: datetime
    arguments: JsonText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionFinished(InTurn):
    """The try is over; a start without this event is an interrupted execution.

    Args:
        execution_id: identifies the try.
        status: what came of it.
        reason: why it did not succeed; None where it did.
        result: what the handler returned, as JSON text.
        message: what the model is told where it did not succeed.
        duration_ms: how long it took, in milliseconds.
        finished_at: when it was over, UTC without a zone.
    """

    kind: Literal["execution_finished"] = "execution_finished"
    execution_id: Id
    status: ExecutionStatus
    reason: Reason | None
    result: JsonText
    message: str
    duration_ms: float
    finished_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionReversed(TurnEvent):
    """What an action has changed was taken back, or put there again.

    Args:
        reversal_id: identifies the undoing; the same for all actions that were taken back together.
        attempt_id: the reading that the action comes from.
        action_id: identifies the action.
        action_index: its place among the attempt's actions, from 0.
        name: its name.
        dialect: the dialect that read it.
        reversal: whether its changes are gone or back now.
        paths: what was changed by it, sorted; the first of them where there are many.
        path_count: how many there are in all.
        reversed_at: when, UTC without a zone.
    """

    kind: Literal["action_reversed"] = "action_reversed"
    reversal_id: Id
    attempt_id: Id
    action_id: Id
    action_index: int
    name: str
    dialect: str
    reversal: Reversal
    paths: tuple[str, ...]
    path_count: BigInt
    reversed_at: datetime
