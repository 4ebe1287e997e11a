"""OpenHands events: since version 1, a response is all events that name it, with arguments as they were written."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from actionledger.core.canonical import JsonMap, json_text
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.shapes import openai_chat
from actionledger.imports.shapes.base import Passed, tools_text
from actionledger.imports.sources.access import (
    NOTHING,
    as_list,
    count_at,
    exit_status_of,
    number_at,
    object_at,
    objects_at,
    text_at,
    time_at,
    told as unknown_as,
)
from actionledger.imports.sources.pieces import OpenTurn, SessionPieces

# Events of OpenHands before version 1: actions and observations, with the provider's whole answer.
_V0_NOTES = {
    "change_agent_state": LeftOutReason.BOOKKEEPING,
    "agent_state_changed": LeftOutReason.BOOKKEEPING,
    "recall": LeftOutReason.INJECTED_CONTEXT,
    "condensation": LeftOutReason.COMPACTED,
    "condensation_request": LeftOutReason.BOOKKEEPING,
    "loop_detection": LeftOutReason.BOOKKEEPING,
    "null": LeftOutReason.EMPTY,
    "pause": LeftOutReason.BOOKKEEPING,
    "resume": LeftOutReason.BOOKKEEPING,
    "stop": LeftOutReason.BOOKKEEPING,
}
_NOT_WRITTEN = frozenset(
    {
        "thought", "action", "observation", "source", "id", "timestamp", "message", "timeout", "is_confirmed",
        "confirmation_state", "action_risk", "security_risk", "tool_call_metadata", "llm_metrics", "kernel_init_code",
        "impl_source", "translated_ipython_code", "cause", "keep_prompt", "hidden", "blocking",
    }
)  # fmt: skip
"""Fields of an action that no model wrote."""


class V0Events:
    """The session of one stream of events so far."""

    def __init__(self, session: RecordedSession, passed: Passed) -> None:
        self.pieces = SessionPieces(session, Capture.CALLS)
        self._passed = passed
        self._told: list[str] = []
        self._tools = ""
        self._count = 0
        self._calls: dict[int, str] = {}
        self._last = ""

    def take(self, event: JsonMap) -> None:
        """Add an event."""
        self._count += 1
        action, observation = text_at(event, "action"), text_at(event, "observation")
        if action in _V0_NOTES or observation in _V0_NOTES:
            self._passed[
                _V0_NOTES[action if action in _V0_NOTES else observation],
                action or observation,
            ] += 1
        elif action == "system":
            given = object_at(event, "args")
            self._told.append(text_at(given, "content"))
            self._tools = tools_text(given.get("tools"))
        elif action == "message" and not _is_agents(event):
            self._told.append(text_at(_given(event), "content"))
        elif action and text_at(event, "source") not in {"", "agent"}:
            self._passed[LeftOutReason.MADE_BY_CLIENT, action[:40]] += 1
        elif action:
            self._take_action(action, event)
        elif observation:
            self._take_observation(observation, event)
        else:
            self._passed[LeftOutReason.UNKNOWN_KIND, unknown_as("event", event)] += 1

    def _take_action(self, kind: str, event: JsonMap) -> None:
        made = object_at(event, "tool_call_metadata")
        answer = object_at(made, "model_response")
        said = next(iter(openai_chat.response(answer).messages), None) if answer else None
        if said is None:
            self._take_parsed(kind, event)
            return
        known = said.message_id or f"event-{self._number(event)}"
        is_new = not self.pieces.has_open(known)
        turn = self.pieces.turn(known)
        if is_new:
            turn.capture, turn.usage, turn.model = Capture.ARGUMENTS, said.usage, said.model
            turn.texts.extend(filter(None, (said.text,)))
            turn.thoughts.extend(filter(None, (said.reasoning,)))
            self._begin(known, event)
            self._passed.update(said.passed)
            for call in said.calls:
                self.pieces.call(known, replace(call, at=None))
        self._last = text_at(made, "tool_call_id")
        self._calls[self._number(event)] = self._last

    def _take_parsed(self, kind: str, event: JsonMap) -> None:
        """Add an action without its answer: its reasoning, and the parsed action."""
        known, given = f"event-{self._number(event)}", _given(event)
        turn = self.pieces.turn(known)
        self._begin(known, event)
        turn.texts.extend(filter(None, (text_at(given, "content" if kind == "message" else "thought"),)))
        if kind != "message":
            arguments = {key: value for key, value in given.items() if key not in _NOT_WRITTEN}
            self.pieces.call(known, RecordedCall(known, kind, arguments))
            self._last = known
            self._calls[self._number(event)] = known

    def _take_observation(self, kind: str, event: JsonMap) -> None:
        cause, made = count_at(event, "cause"), object_at(event, "tool_call_metadata")
        call = text_at(made, "tool_call_id") or self._calls.get(cause if cause is not None else -1, "")
        if not call and cause is None:  # before events had identifiers, an observation followed its action
            call = self._last
        self._last = ""
        if not call:
            self._passed[LeftOutReason.NO_CALL, kind[:40]] += 1
            return
        more = object_at(event, "extras")
        status = _v0_exit(event) if "exit_code" in event else _v0_exit(more)
        status = _v0_exit(object_at(more, "metadata")) if status is None else status
        is_refused = kind == "user_rejected"
        self.pieces.result(
            RecordedResult(
                call,
                event.get("content"),
                is_error=True if kind == "error" else None,
                reason=Reason.REJECTED if is_refused else None,
                refused_by="person" if is_refused else "",
                exit_status=status,
                finished_at=time_at(event, "timestamp"),
            )
        )

    def _begin(self, known: str, event: JsonMap) -> None:
        turn = self.pieces.turn(known)
        turn.occurred_at, turn.tools = time_at(event, "timestamp"), self._tools
        turn.prompt = "\n\n".join(filter(None, self._told)) or None
        self._told.clear()

    def _number(self, event: JsonMap) -> int:
        held = count_at(event, "id")
        return self._count - 1 if held is None else held


def events_of(history: list[Any]) -> Iterator[JsonMap]:
    """Yield the events of a history: a list of them, or of pairs of an action and its observation."""
    for each in history:
        for event in as_list(each):
            if isinstance(event, dict):
                yield event


def begun(history: list[Any]) -> str:
    """Return the beginning of a run, which distinguishes two runs of one task."""
    first = [event for _, event in zip(range(3), events_of(history), strict=False)]
    return json_text([[text_at(each, "timestamp"), text_at(_given(each), "content")] for each in first])


def _given(event: JsonMap) -> JsonMap:
    """Return an action's arguments, which older versions write next to its name."""
    held = event.get("args")
    return held if isinstance(held, dict) else event


def _is_agents(event: JsonMap) -> bool:
    source = text_at(event, "source")
    return source == "agent" if source else _given(event).get("wait_for_response") is True


def _v0_exit(held: JsonMap) -> int | None:
    """Return an exit status; -1 means that the program is still running."""
    status = exit_status_of(held.get("exit_code"))
    return status if status != -1 else None


KINDS = frozenset(
    {
        "SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent", "UserRejectObservation",
        "ConversationStateUpdateEvent",
    }
)  # fmt: skip
_NOTES = {
    "ConversationStateUpdateEvent": LeftOutReason.BOOKKEEPING,
    "ConversationErrorEvent": LeftOutReason.BOOKKEEPING,
    "PauseEvent": LeftOutReason.BOOKKEEPING,
    "TokenEvent": LeftOutReason.BOOKKEEPING,
    "LLMCompletionLogEvent": LeftOutReason.DUPLICATE,
    "CondensationRequest": LeftOutReason.BOOKKEEPING,
    "Condensation": LeftOutReason.COMPACTED,
    "CondensationSummaryEvent": LeftOutReason.COMPACTED,
}


class V1Events:
    """The session of one conversation, with its events so far."""

    def __init__(self, session: RecordedSession, state: JsonMap, passed: Passed) -> None:
        self.pieces = SessionPieces(session, Capture.ARGUMENTS)
        self._usages = dict(_usages(state))
        self._passed = passed
        self._told: list[str] = []
        self._tools = ""
        self._calls: dict[str, str] = {}

    def take(self, event: JsonMap) -> None:
        """Add an event."""
        kind = text_at(event, "kind")
        if kind == "SystemPromptEvent":
            self._told.append(text_at(object_at(event, "system_prompt"), "text"))
            self._tools = tools_text(list(_tools(event)))
        elif kind == "MessageEvent" and text_at(event, "source") != "agent":
            self._told.append(_texts(object_at(event, "llm_message").get("content")))
        elif kind == "MessageEvent":
            turn, message = self._turn(event), object_at(event, "llm_message")
            if turn is not None:
                self._say(turn, message, _texts(message.get("content")))
        elif kind == "ActionEvent":
            self._take_action(event)
        elif kind in {"ObservationEvent", "AgentErrorEvent", "UserRejectObservation"}:
            self._take_result(kind, event)
        elif kind in _NOTES:
            self._passed[_NOTES[kind], kind] += 1
        else:
            self._passed[LeftOutReason.UNKNOWN_KIND, unknown_as(kind, event)] += 1

    def _turn(self, event: JsonMap) -> OpenTurn | None:
        """Return an event's turn, by the response that it names; None if the event has come before."""
        known = text_at(event, "llm_response_id") or text_at(event, "id")
        is_new = not self.pieces.has_open(known)
        turn = self.pieces.turn(known)
        if turn.is_told_again(text_at(event, "id"), event):
            self._passed[LeftOutReason.DUPLICATE, "event"] += 1
            self._told.clear()
            return None
        if is_new:
            turn.occurred_at, turn.tools = time_at(event, "timestamp"), self._tools
            turn.usage = self._usages.get(known, Usage())
            turn.prompt = "\n\n".join(filter(None, self._told)) or None
            self._told.clear()
        return turn

    def _say(self, turn: OpenTurn, message: JsonMap, text: str) -> None:
        thought = text_at(message, "reasoning_content")
        if thought and thought not in text:  # some models repeat it in their text
            turn.thoughts.append(thought)
        if text:
            turn.texts.append(text)

    def _take_action(self, event: JsonMap) -> None:
        turn, made = self._turn(event), object_at(event, "tool_call")
        if turn is None:
            return
        self._say(turn, event, _texts(event.get("thought")))
        call_id = text_at(event, "tool_call_id") or text_at(made, "id")
        name = text_at(made, "name") or text_at(event, "tool_name")
        written = made.get("arguments")
        arguments = written if isinstance(written, str | dict) else object_at(event, "action")
        self.pieces.call(turn.external_id, RecordedCall(call_id, name, arguments))
        if not isinstance(arguments, str):
            turn.capture = Capture.CALLS
        self._calls[text_at(event, "id")] = call_id

    def _take_result(self, kind: str, event: JsonMap) -> None:
        call = text_at(event, "tool_call_id") or self._calls.get(text_at(event, "action_id"), "")
        if not call:
            self._passed[LeftOutReason.NO_CALL, kind] += 1
            return
        seen = object_at(event, "observation")
        is_refused, has_failed = kind == "UserRejectObservation", kind == "AgentErrorEvent"
        said = seen.get("is_error")
        texts = (_texts(seen.get("content")), text_at(event, "error"), text_at(event, "rejection_reason"))
        self.pieces.result(
            RecordedResult(
                call,
                "\n".join(filter(None, texts)),
                is_error=True if has_failed else said if isinstance(said, bool) else None,
                reason=Reason.TIMEOUT if seen.get("timeout") is True else None,
                exit_status=_exit(seen),
                refused_by=("hook" if text_at(event, "rejection_source") == "hook" else "person")
                if is_refused
                else "",
                finished_at=time_at(event, "timestamp"),
            )
        )


def _exit(seen: JsonMap) -> int | None:
    """Return an exit status; -1 means that the program is still running."""
    status = exit_status_of(seen.get("exit_code"))
    return status if status != -1 else None


def _texts(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = objects_at({"content": content}, "content")
    return "\n".join(filter(None, (text_at(part, "text") for part in parts)))


def _tools(event: JsonMap) -> Iterator[JsonMap]:
    """Yield the offered tools: an event has a schema only for MCP tools."""
    for tool in objects_at(event, "tools"):
        if tool.get("type") == "function":
            yield tool
            continue
        schema = object_at(object_at(tool, "mcp_tool"), "inputSchema")
        function = {"name": text_at(tool, "title"), "description": text_at(tool, "description")}
        yield {"type": "function", "function": function | ({"parameters": schema} if schema else {})}


def _usages(state: JsonMap) -> Iterator[tuple[str, Usage]]:
    """Yield each response's identifier and usage, from the conversation's state."""
    for metrics in object_at(object_at(state, "stats"), "usage_to_metrics").values():
        held = metrics if isinstance(metrics, dict) else NOTHING
        seconds = {
            text_at(each, "response_id"): number_at(each, "latency")
            for each in objects_at(held, "response_latencies")
        }
        for usage in objects_at(held, "token_usages"):
            known = text_at(usage, "response_id")
            took = seconds.get(known)
            yield (
                known,
                Usage(
                    input_tokens=count_at(usage, "prompt_tokens"),
                    output_tokens=count_at(usage, "completion_tokens"),
                    cached_tokens=count_at(usage, "cache_read_tokens"),
                    cache_write_tokens=count_at(usage, "cache_write_tokens"),
                    reasoning_tokens=count_at(usage, "reasoning_tokens"),
                    latency_ms=None if took is None else took * 1000,
                ),
            )
