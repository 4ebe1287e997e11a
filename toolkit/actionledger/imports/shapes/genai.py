"""Messages as OpenTelemetry's conventions for generative AI write them: a role and ``parts``, or what the framework has put there.

Defined by ``docs/gen-ai/gen-ai-input-messages.json`` and ``gen-ai-output-messages.json`` of the semantic conventions (1.41). Agents write
their own messages in the same places: OpenAI's, Gemini's, or those of Vercel's SDK.
"""

from collections.abc import Mapping
from typing import Any

from actionledger.core.values.recordings import Usage
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.shapes import gemini
from actionledger.imports.shapes.base import Message, Speaker, plain, read_parts
from actionledger.imports.sources.access import object_at, objects_at, text_at

_SPEAKERS: dict[str, Speaker] = {
    "assistant": "model",
    "model": "model",
    "ai": "model",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_CALLS = frozenset({"tool_call", "tool-call"})
_RESULTS = frozenset({"tool_call_response", "tool-result", "tool_result"})
_THOUGHTS = frozenset({"reasoning", "thinking"})
_RAN_THERE = frozenset({"server_tool_call", "server_tool_call_response"})
_NO_TEXT = frozenset({"blob", "file", "uri", "image", "file-data", "image-data"})


def speaker_of(role: str) -> Speaker:
    """Return whose message of a role it is; a person's where it isn't known."""
    return _SPEAKERS.get(role, "person")


def is_message(value: Mapping[str, Any]) -> bool:
    """Return whether a value is a message with typed parts, or one of Vercel's SDK."""
    kinds = {text_at(part, "type") for part in objects_at(value, "content")}
    return isinstance(value.get("parts"), list) or bool(kinds & (_CALLS | {"tool-result"}))


def message(value: Mapping[str, Any]) -> Message:
    """Read a message."""
    parts = value.get("parts") if isinstance(value.get("parts"), list) else value.get("content")
    if any("type" not in part for part in objects_at({"parts": parts}, "parts")):
        role = "model" if text_at(value, "role") == "assistant" else value.get("role", "model")
        return gemini.message({"role": role, "parts": parts})
    found = Message(speaker_of(text_at(value, "role")), message_id=text_at(value, "id"))
    read_parts(found, parts, _read_part)
    found.usage = Usage(finish_reason=text_at(value, "finish_reason")[:80])
    return found


def _read_part(part: Mapping[str, Any], found: Message) -> None:
    kind = text_at(part, "type")
    if kind == "text":
        found.say(part.get("content") if "content" in part else part.get("text"))
    elif kind in _CALLS:
        name, given = _first(part, "name", "toolName"), _first(part, "arguments", "input", "args")
        found.call(_first(part, "id", "toolCallId"), name, given)
    elif kind in _RESULTS:
        output = _first(part, "response", "result", "output")
        error = isinstance(output, Mapping) and text_at(output, "type").startswith("error-")
        is_error = True if error or part.get("isError") is True else None
        found.result(_first(part, "id", "toolCallId"), plain(_unwrapped(output)), is_error=is_error)
    elif kind in _THOUGHTS:
        found.think(_first(part, "content", "text", "thinking", "reasoning"), detail=kind)
    elif kind in _RAN_THERE:
        found.pass_over(LeftOutReason.RUN_BY_PROVIDER, kind)
    elif kind in _NO_TEXT:
        found.pass_over(LeftOutReason.NO_TEXT, kind)
    else:
        found.pass_over(LeftOutReason.UNKNOWN_KIND, kind)


def _unwrapped(output: object) -> object:
    """Return a result of Vercel's SDK without its wrapping: ``{"type": "json", "value": …}``."""
    kinds = {"text", "json", "content", "error-text", "error-json"}
    return output.get("value") if isinstance(output, Mapping) and text_at(output, "type") in kinds else output


def _first(value: Mapping[str, Any], *keys: str) -> object:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def instructions(value: object) -> Message:
    """Read instructions that stand apart: a text, or parts."""
    found = Message("system")
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, Mapping):
            found.say(part.get("content") if "content" in part else part.get("text"))
        else:
            found.say(part)
    return found


def finish(value: Mapping[str, Any]) -> str:
    """Return why a choice ended, if it says so."""
    return text_at(value, "finish_reason") or text_at(object_at(value, "message"), "finish_reason")
