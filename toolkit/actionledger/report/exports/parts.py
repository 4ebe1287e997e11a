"""A response as the parts that a provider's message has: texts, and the calls that stood beside them."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from actionledger.core.vocabulary import ActionStatus, Capture
from actionledger.ledger.queries import Response, Session, TurnDetail


class Call(NamedTuple):
    """A call that stood beside a text.

    Args:
        call_id: its identifier.
        name: the tool's name.
        arguments: the string that the model wrote, where that was kept and is an object's; else what it was parsed to.
    """

    call_id: str
    name: str
    arguments: Any


def parts_of(detail: TurnDetail) -> Iterator[str | Call]:
    """Yield a response's texts and calls in their order; of one whose calls stand in its text, the text alone."""
    response = detail.response
    if response.capture is Capture.TEXT:
        yield response.text
        return
    spans = {block.index: block.span for block in detail.blocks}
    taken = 0
    for action in detail.actions:
        if action.status is ActionStatus.ILLUSTRATION or action.block not in spans:
            continue
        start, end = spans[action.block]
        if response.text[taken:start]:
            yield response.text[taken:start]
        taken = max(taken, end)
        yield Call(
            call_id(detail, action.index), action.name, _written(response, start, end, action.arguments)
        )
    if response.text[taken:]:
        yield response.text[taken:]


def ending_of(session: Session) -> dict[str, Any]:
    """Return how a session ended, as its source says it: what is known of whether it reached what it was for, why, scores and labels."""
    known = {
        "success": session.success,
        "end_reason": session.reason or None,
        "scores": json.loads(session.scores or "{}") or None,
        "labels": json.loads(session.labels or "[]") or None,
    }
    return {name: value for name, value in known.items() if value is not None}


def call_id(detail: TurnDetail, index: int) -> str:
    """Return the identifier of an action's call: that of its recording, where one is known; else its turn and place."""
    named = (each.call_id for each in detail.executions if each.action_index == index and each.call_id)
    return next(named, f"call-{detail.response.index}-{index}")


def _written(response: Response, start: int, end: int, arguments: str) -> Any:
    written = response.text[start:end]
    if response.capture is Capture.ARGUMENTS and _is_object(written):
        return written
    return json.loads(arguments)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
