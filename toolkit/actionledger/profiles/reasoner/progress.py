"""What whoever watches the reasoner is told, made of the events that are recorded."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic_core import from_json

from actionledger.core.events import (
    ActionRecord,
    Event,
    ExecutionFinished,
    ExecutionStarted,
    ResponseParsed,
    SystemNoted,
    TurnFinished,
)
from actionledger.core.vocabulary import ExecutionStatus, Outcome


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """An action on the persona's state begins.

    Args:
        tool_name: the action.
        tool_id: identifies this try at it; its end has the same.
        parameters: what it was planned with.
    """

    tool_name: str
    tool_id: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """An action on the persona's state is over.

    Args:
        tool_id: identifies the try.
        result: what came of it, in words.
        status: what came of it, as it is recorded.
    """

    tool_id: str
    result: str
    status: ExecutionStatus


@dataclass(frozen=True, slots=True)
class AgentText:
    """The persona thinks or speaks.

    Args:
        content: what; it is a model's text, never to be shown as markup.
        is_thought: whether it is for itself.
    """

    content: str
    is_thought: bool


@dataclass(frozen=True, slots=True)
class ActionSystemEvent:
    """Something about the sequence itself, not for the user.

    Args:
        event_type: what, in one word: ``repetition_stopped``, ``plan_unreadable``, ``action_failed``, …
        message: the sentence for people.
        action_sequence_id: the turn that the sequence is.
    """

    event_type: str
    message: str
    action_sequence_id: str


AgentEvent: TypeAlias = ToolStarted | ToolFinished | AgentText | ActionSystemEvent

_WORDS = frozenset({"think", "speak", "done"})
"""Actions that change nothing of the persona's state."""


class ProgressEvents:
    """Turns recorded events into what a watcher is told; it knows which actions are under way."""

    def __init__(self) -> None:
        self._actions: dict[str, ActionRecord] = {}
        self._started: dict[str, ExecutionStarted] = {}
        self._turn_id = ""

    def told(self, event: Event) -> Iterator[AgentEvent]:
        """Yield what a recorded event means to a watcher."""
        match event:
            case ResponseParsed():
                self._turn_id = event.turn_id
                self._actions = {action.action_id: action for action in event.actions}
                yield from _unread(event)
            case ExecutionStarted():
                self._started[event.execution_id] = event
                if event.name not in _WORDS:
                    yield ToolStarted(event.name, event.execution_id, self._parameters(event))
            case ExecutionFinished():
                started = self._started.pop(event.execution_id, None)
                if started:
                    yield from _finished(started.name, event)
            case SystemNoted():
                yield ActionSystemEvent(event.code, event.message, event.turn_id or self._turn_id)
            case TurnFinished():
                self._started.clear()

    def _parameters(self, event: ExecutionStarted) -> Mapping[str, Any]:
        action = self._actions.get(event.action_id)
        written = event.arguments or (action.arguments if action else "{}")
        parameters: Mapping[str, Any] = from_json(written)
        return parameters


def _unread(event: ResponseParsed) -> Iterator[AgentEvent]:
    """Yield that a plan, or an action of it, was not taken."""
    if event.outcome in {Outcome.FAILED, Outcome.PARTIAL}:
        why = " ".join(issue.message for issue in event.issues) or "The plan can't be read."
        yield ActionSystemEvent("plan_unreadable", why, event.turn_id)
    for action in event.actions:
        if action.errors:
            why = " ".join(error.message for error in action.errors)
            yield ActionSystemEvent("action_refused", f"{action.name[:100]}: {why}", event.turn_id)


def _finished(name: str, event: ExecutionFinished) -> Iterator[AgentEvent]:
    result = from_json(event.result)
    summary = result.get("summary", "") if isinstance(result, dict) else ""
    has_succeeded = event.status is ExecutionStatus.SUCCEEDED
    if name not in _WORDS:
        yield ToolFinished(event.execution_id, summary or event.message, event.status)
    elif not has_succeeded:
        yield ActionSystemEvent("action_failed", f"{name}: {event.message}", event.turn_id)
    elif name != "done":
        yield AgentText(summary, is_thought=name == "think")
