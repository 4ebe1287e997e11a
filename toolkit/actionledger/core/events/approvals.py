"""What is recorded of a decision about an action that waits."""

from dataclasses import dataclass
from typing import Annotated, Literal

from actionledger.core.events.base import InTurn, TurnEvent
from actionledger.core.events.stored import NOT_STORED, Id, JsonObject, JsonObjectOrEmpty, Word
from actionledger.core.vocabulary import DecisionKind


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
