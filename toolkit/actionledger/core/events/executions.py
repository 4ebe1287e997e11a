"""Events of executions: each try, and each undoing."""

from datetime import datetime
from typing import Literal

from actionledger.core.events.base import BigInt, Id, InTurn, JsonObject, JsonText, TurnEvent, Word
from actionledger.core.frozen import dataclass
from actionledger.core.vocabulary import ExecutionStatus, Origin, Reason, Reversal


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
        started_at: when it began, UTC without a zone; None where its recording doesn't say.
        arguments: what it runs with, as JSON text of an object; None where that is as written.
        origin: who runs it.
        call_id: the identifier by which a recording knows the call; None where it has none.
    """

    kind: Literal["execution_started"] = "execution_started"
    execution_id: Id
    attempt_id: Id
    action_id: Id
    action_index: int
    name: Word
    dialect: Word
    trace_id: str
    try_number: int
    started_at: datetime | None
    arguments: JsonObject | None = None
    origin: Origin = Origin.RUNTIME
    call_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionFinished(InTurn):
    """The try is over; a start without this event is an interrupted execution.

    Args:
        execution_id: identifies the try.
        status: what came of it.
        reason: why it did not succeed; None where it did.
        result: what the handler returned, as JSON text.
        message: what the model is told where it did not succeed.
        duration_ms: how long it took, in milliseconds; None where its recording doesn't say.
        finished_at: when it was over, UTC without a zone; None where its recording doesn't say.
        exit_status: the status that a program ended with; None where none is recorded.
        is_inferred: whether status and reason were concluded from the words of a recorded result.
    """

    kind: Literal["execution_finished"] = "execution_finished"
    execution_id: Id
    status: ExecutionStatus
    reason: Reason | None
    result: JsonText
    message: str
    duration_ms: float | None
    finished_at: datetime | None
    exit_status: int | None = None
    is_inferred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionRecorded(TurnEvent):
    """Another runtime has run an action, and its recording says what came of it: beginning and end in one.

    Args:
        execution_id: identifies this try.
        attempt_id: the reading that the action comes from.
        action_id: identifies the action.
        action_index: its place among the attempt's actions, from 0.
        name: its name.
        dialect: the dialect that read it.
        trace_id, try_number, arguments, origin: as of a try of this toolkit's own.
        call_id: the identifier by which the recording knows the call; None where it has none.
        started_at: when it began, UTC without a zone; None, here and below, where the recording doesn't say.
        status: what came of it.
        reason: why it did not succeed; None where it did, but for ``no_result``: an exit status of 1 that is an answer.
        result: what the model was given as its result, as JSON text.
        message: the beginning of that where it did not succeed.
        duration_ms: how long it took, in milliseconds.
        finished_at: when it was over, UTC without a zone.
        exit_status: the status that a program ended with.
        is_inferred: whether status and reason were concluded from the words of the result.
    """

    kind: Literal["execution_recorded"] = "execution_recorded"
    execution_id: Id
    attempt_id: Id
    action_id: Id
    action_index: int
    name: Word
    dialect: Word
    trace_id: str
    try_number: int = 1
    started_at: datetime | None = None
    arguments: JsonObject | None = None
    origin: Origin = Origin.RECORDED
    call_id: str | None = None
    status: ExecutionStatus
    reason: Reason | None = None
    result: JsonText
    message: str = ""
    duration_ms: float | None = None
    finished_at: datetime | None = None
    exit_status: int | None = None
    is_inferred: bool = False


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
    name: Word
    dialect: Word
    reversal: Reversal
    paths: tuple[str, ...]
    path_count: BigInt
    reversed_at: datetime
