"""What happened, as one frozen union: the only thing that a ledger records.

Rows in the database are derived from events, never the other way round. An event carries the dimensions of the
rows it becomes (session, run, model, profile), so that no statistic needs a join.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from actionledger.values import Block, Conversion, FieldError, Issue, Span
from actionledger.vocabulary import (
    ActionStatus,
    Decision,
    ExecutionStatus,
    Outcome,
    Reason,
    Reversal,
    RunKind,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    """What every event has.

    Args:
        event_id: recorded once, however often it is written: a second event of the same id is passed over.
        recorded_at: when it was recorded, UTC without a zone.
        run_id: the run that it belongs to.
    """

    event_id: str
    recorded_at: datetime
    run_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(_Event):
    """A set of parse attempts begins.

    Args:
        run_kind: how it comes about.
        name: what people call it.
        source: where its texts come from: a path, a run id, or empty for live sessions.
        toolkit_version: the version of this package.
        python_version: the version of Python.
        parent_run_id: for a reparse, the run whose turns are read again; None for the first readings.
    """

    kind: Literal["run_started"] = "run_started"
    run_kind: RunKind
    name: str
    source: str
    toolkit_version: str
    python_version: str
    parent_run_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished(_Event):
    """A run is over; a run without this event was cut off.

    Args:
        turns: how many turns it read.
        refused: how many inputs it could not read at all (unreadable lines of a file).
    """

    kind: Literal["run_finished"] = "run_finished"
    turns: int
    refused: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserUsed(_Event):
    """A parser's configuration, recorded once for each hash.

    Args:
        parser_id: the hash of the configuration.
        name: its name.
        version: its version.
        configuration: all of it, as JSON text.
    """

    kind: Literal["parser_used"] = "parser_used"
    parser_id: str
    name: str
    version: str
    configuration: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted(_Event):
    """A session begins.

    Args:
        session_id: identifies it.
        external_id: its name where it comes from; empty for live sessions.
        source: where it comes from: ``live``, ``jsonl``, ``mint``, …
        profile: the profile that it runs under.
        model: the language model, as its source names it.
        task: what the session is about: a task set, a suite, a customer.
        started_at: when it began, UTC without a zone; None where the source doesn't say.
        metadata: what else the source says, as JSON text of an object.
    """

    kind: Literal["session_started"] = "session_started"
    session_id: str
    external_id: str
    source: str
    profile: str
    model: str
    task: str
    started_at: datetime | None
    metadata: str = "{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFinished(_Event):
    """A session is over.

    Args:
        session_id: identifies it.
        success: whether it reached what it was for; None where nobody said.
        reason: why it ended, in its source's words.
        finished_at: when, UTC without a zone; None where the source doesn't say.
    """

    kind: Literal["session_finished"] = "session_finished"
    session_id: str
    success: bool | None
    reason: str
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _InTurn(_Event):
    """What every event within a turn has.

    Args:
        session_id, turn_id: where it belongs.
    """

    session_id: str
    turn_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _TurnEvent(_InTurn):
    """What an event has that becomes rows with the dimensions of their turn.

    Args:
        turn_index: the turn's place in its session, from 0.
        profile, model, task: the session's.
        occurred_at: when the response was made, UTC without a zone; None where the source doesn't say.
    """

    turn_index: int
    profile: str
    model: str
    task: str
    occurred_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseReceived(_TurnEvent):
    """The model answered; recorded before anyone looks at the text.

    Args:
        text: the raw response; a lone surrogate is stored as U+FFFD (one code point for one, so spans hold).
        text_is_exact: False where ``text`` had a lone surrogate or a secret that was masked.
        prompt: what the model was shown right before; None where it was the feedback of the turn before.
    """

    kind: Literal["response_received"] = "response_received"
    text: str
    text_is_exact: bool = True
    prompt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRecord:
    """One checked action as it is recorded.

    Args:
        action_id: identifies it.
        index: its place among the attempt's actions, from 0.
        block: the index of its block.
        dialect: the dialect that read it.
        name: as written.
        status: what came of checking it.
        reason: the first error's code; None where there is none.
        span: where it stands in the response.
        arguments: its fields, as JSON text of an object.
        errors: what its model refuses.
        call_id: the identifier that the model gave it.
        conversions: what was written in another type, and is in the arguments in the field's own.
    """

    action_id: str
    index: int
    block: int
    dialect: str
    name: str
    status: ActionStatus
    reason: Reason | None
    span: Span
    arguments: str
    errors: tuple[FieldError, ...] = ()
    call_id: str | None = None
    conversions: tuple[Conversion, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseParsed(_TurnEvent):
    """One parser over one response.

    Args:
        attempt_id: identifies the parse attempt.
        run_kind: how the attempt came about.
        parser_id, parser_name: the configuration that read it.
        catalogue: what the actions were checked against; None where nothing.
        dialect: the dialect of most blocks that hold actions; empty where there is none.
        outcome: what came of it.
        reason: the code of the first issue that kept something from being read; None where there is none.
        duration_us: how long reading and checking took, in microseconds.
        blocks, actions, issues: what was found.
    """

    kind: Literal["response_parsed"] = "response_parsed"
    attempt_id: str
    run_kind: RunKind
    parser_id: str
    parser_name: str
    catalogue: str | None
    dialect: str
    outcome: Outcome
    reason: Reason | None
    duration_us: int
    blocks: tuple[Block, ...] = ()
    actions: tuple[ActionRecord, ...] = ()
    issues: tuple[Issue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionStarted(_TurnEvent):
    """An action is about to have its effect; recorded before it has.

    Args:
        execution_id: identifies this try.
        attempt_id, action_id, action_index: the action that is tried.
        name, dialect: the action's.
        trace_id: the same for all tries of one action.
        try_number: from 1.
        started_at: when, UTC without a zone.
        arguments: what it runs with, as JSON text of an object; None where that is as written.
    """

    kind: Literal["execution_started"] = "execution_started"
    execution_id: str
    attempt_id: str
    action_id: str
    action_index: int
    name: str
    dialect: str
    trace_id: str
    try_number: int
    started_at: datetime
    arguments: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionFinished(_InTurn):
    """The try is over; a start without this event is an interrupted execution.

    Args:
        execution_id: identifies the try.
        status: what came of it.
        reason: why it did not succeed; None where it did.
        result: what the handler returned, as JSON text.
        message: what the model is told where it did not succeed.
        duration_ms: how long it took, in milliseconds.
        finished_at: when, UTC without a zone.
    """

    kind: Literal["execution_finished"] = "execution_finished"
    execution_id: str
    status: ExecutionStatus
    reason: Reason | None
    result: str
    message: str
    duration_ms: float
    finished_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionReversed(_TurnEvent):
    """What an action has changed was taken back, or put there again.

    Args:
        reversal_id: identifies the undoing; the same for all actions that were taken back together.
        attempt_id, action_id, action_index: the action.
        name, dialect: the action's.
        reversal: whether its changes are gone or back now.
        paths: what was changed by it, sorted; the first of them where there are many.
        path_count: how many there are in all.
        reversed_at: when, UTC without a zone.
    """

    kind: Literal["action_reversed"] = "action_reversed"
    reversal_id: str
    attempt_id: str
    action_id: str
    action_index: int
    name: str
    dialect: str
    reversal: Reversal
    paths: tuple[str, ...]
    path_count: int
    reversed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequested(_TurnEvent):
    """An action waits for a decision.

    Args:
        approval_id: identifies the request.
        attempt_id, action_id, action_index, name: the action.
        arguments: what it is to run with, as JSON text of an object.
        content_hash: the hash of name, arguments and policy; a decision is about this content and no other.
        policy_version: the hash of the policy that asks.
        is_exact: False where a secret in the arguments is masked in the record.
    """

    kind: Literal["approval_requested"] = "approval_requested"
    approval_id: str
    attempt_id: str
    action_id: str
    action_index: int
    name: str
    arguments: str
    content_hash: str
    policy_version: str
    is_exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalDecided(_InTurn):
    """Somebody, or a policy, has decided about an action that waited.

    Args:
        approval_id: the request.
        decision: what was decided.
        decided_by, why: who (``policy`` for a row of the policy), and the reason that they gave.
        decided_hash: the hash of the content that was decided on.
        changed_arguments: what it is to run with instead, as JSON text of an object; empty where unchanged.
        signature: what shows that a person's process made it; empty where nobody signed it.
    """

    kind: Literal["approval_decided"] = "approval_decided"
    approval_id: str
    decision: Decision
    decided_by: str
    why: str
    decided_hash: str
    changed_arguments: str = ""
    signature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished(_InTurn):
    """The turn is over.

    Args:
        feedback: what the model is told next.
        finished_at: when, UTC without a zone; None where the source doesn't say.
    """

    kind: Literal["turn_finished"] = "turn_finished"
    feedback: str
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResumed(_InTurn):
    """A turn that was over went on, after a decision.

    Args:
        feedback, finished_at: what the model is told of it now, and when, UTC without a zone.
    """

    kind: Literal["turn_resumed"] = "turn_resumed"
    feedback: str
    finished_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemNoted(_Event):
    """Something about the run itself that a reviewer should see.

    Args:
        code: what, in one word: ``line_refused``, …
        message: the sentence for people.
        session_id, turn_id: where it belongs, if anywhere.
        detail: particulars, as JSON values by name.
    """

    kind: Literal["system_noted"] = "system_noted"
    code: str
    message: str
    session_id: str | None = None
    turn_id: str | None = None
    detail: dict[str, Any] = field(default_factory=dict)


Event = Annotated[
    RunStarted
    | RunFinished
    | ParserUsed
    | SessionStarted
    | SessionFinished
    | ResponseReceived
    | ResponseParsed
    | ExecutionStarted
    | ExecutionFinished
    | ActionReversed
    | ApprovalRequested
    | ApprovalDecided
    | TurnFinished
    | TurnResumed
    | SystemNoted,
    Field(discriminator="kind"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
"""Reads and writes events as JSON."""
