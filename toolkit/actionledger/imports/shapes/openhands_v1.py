"""Events of OpenHands since version 1: a model's response is the events that name it, with arguments as they were written."""

from collections.abc import Iterator, Mapping
from typing import Any

from actionledger.core.values.recordings import RecordedCall, RecordedResult, RecordedSession, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.shapes.base import Passed, tools_text
from actionledger.imports.sources.access import (
    NOTHING,
    count_at,
    exit_status_of,
    number_at,
    object_at,
    objects_at,
    text_at,
    time_at,
)
from actionledger.imports.sources.pieces import OpenTurn, SessionPieces

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
    """The session of one conversation, as far as its events have come.

    Args:
        session: what is known of it.
        state: the conversation's ``base_state.json``; an empty object where there is none.
        passed: counts what is passed over.
    """

    def __init__(self, session: RecordedSession, state: Mapping[str, Any], passed: Passed) -> None:
        self.pieces = SessionPieces(session, Capture.ARGUMENTS)
        self._usages = dict(_usages(state))
        self._passed = passed
        self._told: list[str] = []
        self._tools = ""
        self._calls: dict[str, str] = {}

    def take(self, event: Mapping[str, Any]) -> None:
        """Take in an event."""
        kind = text_at(event, "kind")
        if kind == "SystemPromptEvent":
            self._told.append(text_at(object_at(event, "system_prompt"), "text"))
            self._tools = tools_text(list(_tools(event)))
        elif kind == "MessageEvent" and text_at(event, "source") != "agent":
            self._told.append(_texts(object_at(event, "llm_message").get("content")))
        elif kind == "MessageEvent":
            self._take_message(event)
        elif kind == "ActionEvent":
            self._take_action(event)
        elif kind in {"ObservationEvent", "AgentErrorEvent", "UserRejectObservation"}:
            self._take_result(kind, event)
        else:
            self._passed[_NOTES.get(kind, LeftOutReason.UNKNOWN_KIND), kind[:40]] += 1

    def _turn(self, event: Mapping[str, Any]) -> OpenTurn | None:
        """Return the turn of an event, since events of one response name it; None where the event has come before."""
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

    def _say(self, turn: OpenTurn, message: Mapping[str, Any], text: str) -> None:
        thought = text_at(message, "reasoning_content")
        if thought and thought not in text:  # some models write it into their text as well
            turn.thoughts.append(thought)
        if text:
            turn.texts.append(text)

    def _take_message(self, event: Mapping[str, Any]) -> None:
        turn, message = self._turn(event), object_at(event, "llm_message")
        if turn is not None:
            self._say(turn, message, _texts(message.get("content")))

    def _take_action(self, event: Mapping[str, Any]) -> None:
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

    def _take_result(self, kind: str, event: Mapping[str, Any]) -> None:
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
                refused_by=_refused_by(event) if is_refused else "",
                finished_at=time_at(event, "timestamp"),
            )
        )


def _refused_by(event: Mapping[str, Any]) -> Any:
    return "hook" if text_at(event, "rejection_source") == "hook" else "person"


def _exit(seen: Mapping[str, Any]) -> int | None:
    """Return an exit status; -1 stands for a program that still runs."""
    status = exit_status_of(seen.get("exit_code"))
    return status if status != -1 else None


def _texts(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = objects_at({"content": content}, "content")
    return "\n".join(filter(None, (text_at(part, "text") for part in parts)))


def _tools(event: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the tools that are offered: of their arguments an event says nothing, but for tools of other programs."""
    for tool in objects_at(event, "tools"):
        if tool.get("type") == "function":
            yield tool
            continue
        schema = object_at(object_at(tool, "mcp_tool"), "inputSchema")
        function = {"name": text_at(tool, "title"), "description": text_at(tool, "description")}
        yield {"type": "function", "function": function | ({"parameters": schema} if schema else {})}


def _usages(state: Mapping[str, Any]) -> Iterator[tuple[str, Usage]]:
    """Yield what each response took, by its identifier, as the conversation's state keeps it."""
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
