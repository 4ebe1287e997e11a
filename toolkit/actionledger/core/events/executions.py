"""Events of executions, decisions and reviews: each try, each undoing, and what a person says of them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from actionledger.core.events.base import (
    NOT_STORED,
    BigInt,
    Id,
    InTurn,
    JsonObject,
    JsonObjectOrEmpty,
    JsonText,
    TurnEvent,
    Word,
)
from actionledger.core.frozen import made_quickly
from actionledger.core.values import Span
from actionledger.core.vocabulary import (
    DecisionKind,
    ExecutionStatus,
    Origin,
    Reason,
    Reversal,
    ReviewAspect,
    ReviewStep,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequested(TurnEvent):
    """An action waits for a decision.

    Args:
        approval_id: identifies the request.
        attempt_id: the reading that the action comes from.
        action_id: identifies the action.
        action_index: its place among the attempt's actions, from 0.
        name: its name.
        arguments: what it is to run with, as JSON text of an object.
        content_hash: the hash of name, arguments and policy; a decision is about this content and no other.
        policy_version: the hash of the policy that asks.
        is_exact: False where a secret in the arguments is masked in the record.
    """

    kind: Literal["approval_requested"] = "approval_requested"
    approval_id: Id
    attempt_id: Id
    action_id: Id
    action_index: int
    name: Word
    arguments: JsonObject
    content_hash: Word
    policy_version: Word
    is_exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalDecided(InTurn):
    """Somebody, or a policy, has decided about an action that waited.

    Args:
        approval_id: the request.
        decision: what was decided.
        decided_by: who did (``policy`` for a row of the policy).
        why: the reason that they gave.
        decided_hash: the hash of the content that was decided on.
        changed_arguments: what it is to run with instead, as JSON text of an object; empty where unchanged.
        signature: what shows that a person's process made it; empty where nobody signed it.
    """

    kind: Literal["approval_decided"] = "approval_decided"
    approval_id: Id
    decision: DecisionKind
    decided_by: Word
    why: str
    decided_hash: Word
    changed_arguments: JsonObjectOrEmpty = ""
    signature: Annotated[str, NOT_STORED] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed(TurnEvent):
    """Somebody has said something of a turn; or has changed, withdrawn or settled what was said.

    Args:
        review_id: identifies what is said; whatever is done with it later names the same.
        attempt_id: the reading that is judged; None where the response itself is meant, however it was read.
        aspect: what kind of thing is said.
        step: whether it is said for the first time, or what is done with it.
        reviewer: who did so.
        value: what is said: the judgement, the label, the sentence, or to whom the turn is assigned.
        span: the stretch of the response that is meant; None for all of it.
        quote: how that stretch began then; empty without one.
    """

    kind: Literal["reviewed"] = "reviewed"
    review_id: Id
    attempt_id: Id | None = None
    aspect: ReviewAspect
    step: ReviewStep
    reviewer: Word
    value: str
    span: Span | None = None
    quote: str = ""


@made_quickly
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


@made_quickly
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


@made_quickly
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
