"""Messages as LangChain and LangGraph write them, by themselves or in its constructor's form (``lc``, ``kwargs``).

Defined by ``langchain_core.messages``. Arguments are parsed; the provider's own strings stand beside them in ``additional_kwargs``, and
are taken where they are.
"""

from collections.abc import Mapping
from typing import Any

from actionledger.core.values.recordings import Usage
from actionledger.imports.shapes import openai_chat, openai_responses
from actionledger.imports.shapes.base import Message, Speaker, plain
from actionledger.imports.sources.access import count_at, object_at, objects_at, text_at
from actionledger.imports.sources.usage import with_thoughts

_SPEAKERS: dict[str, Speaker] = {
    "ai": "model",
    "AIMessage": "model",
    "AIMessageChunk": "model",
    "assistant": "model",
    "human": "person",
    "HumanMessage": "person",
    "system": "system",
    "SystemMessage": "system",
    "tool": "tool",
    "ToolMessage": "tool",
    "function": "tool",
    "FunctionMessage": "tool",
}


def is_message(value: Mapping[str, Any]) -> bool:
    """Return whether a value is a message of LangChain's."""
    fields = _fields(value)
    return _kind(value) in _SPEAKERS and "content" in fields and ("role" not in value or "lc" in value)


def message(value: Mapping[str, Any]) -> Message:
    """Read a message."""
    fields = _fields(value)
    found = Message(_SPEAKERS.get(_kind(value), "person"), message_id=text_at(fields, "id"))
    if found.speaker == "tool":
        is_error = {"error": True, "success": False}.get(text_at(fields, "status"))
        found.result(fields.get("tool_call_id"), plain(fields.get("content")), is_error=is_error)
        return found
    content = fields.get("content")
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, Mapping) and text_at(part, "type") in {"thinking", "reasoning"}:
            found.think(*_thoughts(part), detail=part["type"])
        elif isinstance(part, Mapping) and text_at(part, "type") in {
            "tool_use",
            "function_call",
            "tool_call",
        }:
            continue  # stands in tool_calls as well
        else:
            found.say(part.get("text") if isinstance(part, Mapping) else part)
    if found.speaker == "model":
        _read_calls(fields, found)
        found.usage = _usage(fields)
    return found


def _thoughts(part: Mapping[str, Any]) -> list[str]:
    """Return the texts of a thought: LangChain's own part, Anthropic's, or OpenAI's with its summary."""
    own = text_at(part, "reasoning") or text_at(part, "thinking")
    return [own] if own else openai_responses.thoughts_of(part)


def _read_calls(fields: Mapping[str, Any], found: Message) -> None:
    written = openai_chat.message({"role": "assistant", **object_at(fields, "additional_kwargs")})
    found.calls.extend(written.calls)
    if found.calls:
        return
    for call in objects_at(fields, "tool_calls"):
        inner = object_at(call, "function")
        given = inner.get("arguments") if inner else call.get("args")
        found.call(call.get("id"), inner.get("name") if inner else call.get("name"), given)
    for call in objects_at(fields, "invalid_tool_calls"):
        found.call(call.get("id"), call.get("name"), call.get("args"))


def _usage(fields: Mapping[str, Any]) -> Usage:
    took, said = object_at(fields, "usage_metadata"), object_at(fields, "response_metadata")
    why = text_at(said, "finish_reason") or text_at(said, "stop_reason")
    shown, thought = (
        count_at(took, "input_tokens"),
        count_at(object_at(took, "output_token_details"), "reasoning"),
    )
    return Usage(
        input_tokens=shown,
        output_tokens=with_thoughts(
            count_at(took, "output_tokens"), thought, count_at(took, "total_tokens"), shown
        ),
        cached_tokens=count_at(object_at(took, "input_token_details"), "cache_read"),
        cache_write_tokens=count_at(object_at(took, "input_token_details"), "cache_creation"),
        reasoning_tokens=thought,
        finish_reason=why[:80],
    )


def _fields(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a message says: of ``message_to_dict`` it stands under ``data``, of the constructor's form under ``kwargs``."""
    if "lc" in value:
        return object_at(value, "kwargs")
    data = object_at(value, "data")
    return data if "content" in data else value


def _kind(value: Mapping[str, Any]) -> str:
    names = value.get("id")
    if "lc" in value and isinstance(names, list) and names and isinstance(names[-1], str):
        return names[-1]
    return text_at(value, "type")
