"""A plan as the planner meant it: its actions with their contexts, whether others may follow, and why. Pure."""

from dataclasses import dataclass
from typing import Any

from actionledger.core.values import Block, ParseResult
from actionledger.core.vocabulary import ActionStatus, BlockStatus
from actionledger.reading.tolerant_json import decode


@dataclass(frozen=True, slots=True)
class ActionPlan:
    """One action of a sequence.

    Args:
        action: its name.
        context: what it is to focus on.
    """

    action: str
    context: str


@dataclass(frozen=True, slots=True)
class ActionSequence:
    """What is to be done, in order.

    Args:
        actions: the actions that may run.
        can_extend: whether others may follow once these are done.
        reasoning: why these were chosen; empty if unknown.
    """

    actions: tuple[ActionPlan, ...]
    can_extend: bool
    reasoning: str


def sequence_of(result: ParseResult) -> ActionSequence:
    """Return the sequence that a response holds; of several blocks the actions of all, and the last one's word."""
    actions = tuple(
        ActionPlan(call.name, str(call.arguments.get("context", ""))) for call in result.valid_actions
    )
    plans = [_plan(result.text, block) for block in result.blocks if block.status in _READ]
    last = plans[-1] if plans else {}
    reasoning = last.get("reasoning")
    return ActionSequence(
        actions=actions,
        can_extend=last.get("can_extend") is True,
        reasoning=reasoning if isinstance(reasoning, str) else "",
    )


def is_plan(result: ParseResult) -> bool:
    """Return whether a response holds a plan, be it one to do nothing."""
    is_read = any(block.status in _READ for block in result.blocks)
    return is_read or any(call.status is not ActionStatus.ILLUSTRATION for call in result.actions)


_READ = frozenset({BlockStatus.STRICT, BlockStatus.REPAIRED})


def _plan(text: str, block: Block) -> dict[str, Any]:
    value = decode(text, block.body.start, end=block.body.end).value
    return value if isinstance(value, dict) else {}
