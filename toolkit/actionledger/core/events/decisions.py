"""Events of people's decisions on pending actions, and of their reviews of turns."""

from typing import Annotated, Literal

from actionledger.core.events.base import (
    NOT_STORED,
    Id,
    InTurn,
    JsonObject,
    JsonObjectOrEmpty,
    TurnEvent,
    Word,
)
from actionledger.core.frozen import dataclass
from actionledger.core.values import Span
from actionledger.core.vocabulary import DecisionKind, ReviewAspect, ReviewStep


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
