"""Previews of actions, for a person who decides about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

from actionledger.core.ids import new_id
from actionledger.core.values import ActionCall
from actionledger.runtime.execution.handlers import Context, Handlers
from actionledger.runtime.execution.outcomes import message_of, outcome_of, truncated
from actionledger.runtime.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Preview:
    """Preview of one action's effects.

    Args:
        index: the action's index in its response, from 0.
        call: the action.
        result: the preview's result as a JSON value; None if the action has no preview or would fail.
        message: why there is no result, as a sentence; empty if there is one.

    Example:
        >>> text = "<create_file><path>a.txt</path><content>a</content></create_file>"
        >>> with al.Runtime("coder") as runtime:
        ...     [found] = runtime.preview(runtime.handle(text))
        >>> found.call.name, found.message
        ('create_file', '')
    """

    index: int
    call: ActionCall
    result: Any = None
    message: str = ""


def previews(
    handlers: Handlers, workspace: Workspace, session_id: str, calls: Sequence[ActionCall]
) -> tuple[Preview, ...]:
    """Preview the runnable actions of a response, in order."""
    # Previews get a turn of their own, which begins with the workspace as it is now.
    context = Context(
        workspace=workspace,
        session_id=session_id,
        turn_id=new_id(),
        trace_id="preview",
        cancelled=Event(),
        dry_run=True,
    )
    return tuple(
        _preview(handlers, context, index, call)
        for index, call in enumerate(calls)
        if call.status.is_plannable
    )


def _preview(handlers: Handlers, context: Context, index: int, call: ActionCall) -> Preview:
    handler = handlers.previews.get(call.name)
    if handler is None:
        return Preview(index, call, message="Nobody can say beforehand what it does.")
    if call.references:
        return Preview(index, call, message="It takes values from results that are not there yet.")
    try:
        return Preview(index, call, truncated(handler(call.action, context)))
    except Exception as error:  # noqa: BLE001 - whatever it is, the action would fail by it
        return Preview(index, call, message=f"It would fail. {message_of(error, outcome_of(error))}")
