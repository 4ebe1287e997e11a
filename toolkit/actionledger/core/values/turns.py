"""The results of a turn: observations of its actions, and pending approvals."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from actionledger.core.hooks import Shown
from actionledger.core.values.calls import FieldError, ParseResult
from actionledger.core.values.reading import Issue
from actionledger.core.vocabulary import DecisionKind, ExecutionStatus, Reason


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of one try at running an action.

    Args:
        execution_id: identifies the try.
        action_index: the call's place among its response's actions, from 0.
        name: the action's name.
        status: its status.
        reason: why it did not succeed; None if it did.
        result: what the handler returned, as a JSON value.
        message: one sentence for the model if it did not succeed; empty otherwise.
        duration_ms: the duration, in milliseconds.
        errors: the arguments that the action's model rejects.

    Example:
        >>> with al.Runtime("assistant") as runtime:
        ...     turn = runtime.handle(al.render([("create_task", {"content": "Call Ada"})], "actions"))
        >>> [seen] = turn.observations
        >>> seen.name, str(seen.status), seen.result["task_id"]
        ('create_task', 'succeeded', 1)
    """

    execution_id: str
    action_index: int
    name: str
    status: ExecutionStatus
    reason: Reason | None = None
    result: Any = None
    message: str = ""
    duration_ms: float = 0.0
    errors: tuple[FieldError, ...] = ()


@dataclass(frozen=True, slots=True)
class Approval:
    """An action that waits, or has waited, for a decision.

    Args:
        approval_id: its identifier.
        session_id, turn_id: its session and turn.
        turn_index: the turn's index in its session, from 0.
        action_index: the action's index among its response's actions, from 0.
        profile, model: the session's.
        name: the action's name.
        arguments: the arguments to run it with, as JSON text of an object.
        content_hash: the hash of name, arguments and policy; a decision is about this content and no other.
        is_exact: False if a secret in the arguments was masked before they were recorded.
        requested_at: when it began to wait, UTC without a zone.
        decision: the decision; None while it waits.
        decided_by, why: who decided, and the given reason; empty while it waits.
        decided_hash: the hash of the content that the decision is about; empty while it waits.
        changed_arguments: the arguments to run it with instead, as JSON text of an object; empty if unchanged.
        decided_at: when, UTC without a zone; None while it waits.
        policy_version: the hash of the policy that requires the decision.
        signature: proves who made the decision, for a holder of the same key; empty while it waits, or if nobody signed it.

    Example:
        >>> from datetime import datetime
        >>> waiting = al.Approval(
        ...     "a1", "s1", "t1", 0, 0, "coder", "qwen3", "read_file", '{"path": "x"}', "hash", True, datetime(2026, 1, 2)
        ... )
        >>> waiting.decision is None
        True
    """

    approval_id: str
    session_id: str
    turn_id: str
    turn_index: int
    action_index: int
    profile: str
    model: str
    name: str
    arguments: str
    content_hash: str
    is_exact: bool
    requested_at: datetime
    decision: DecisionKind | None = None
    decided_by: str = ""
    why: str = ""
    decided_hash: str = ""
    changed_arguments: str = ""
    decided_at: datetime | None = None
    policy_version: str = ""
    signature: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Turn(Shown):
    """One response and its execution: the result of ``Runtime.handle``.

    Args:
        turn_id: its identifier.
        session_id: its session.
        index: its index in the session, from 0.
        result: the parse result.
        observations: the result of each runnable action, in the plan's order.
        feedback: the feedback for the model.
        issues: everything that kept something from being done: the text's issues, then rejected actions and the plan's issues, in the order of the
            actions.
        stopped: why the session should not continue before a person looks at it; empty if it may.

    Example:
        >>> with al.Runtime("assistant") as runtime:
        ...     turn = runtime.handle("Nothing to do.")
        >>> turn.index, str(turn.result.outcome), turn.observations
        (0, 'no_action', ())
    """

    turn_id: str
    session_id: str
    index: int
    result: ParseResult
    observations: tuple[Observation, ...] = field(default=())
    feedback: str = ""
    issues: tuple[Issue, ...] = ()
    stopped: str = ""
