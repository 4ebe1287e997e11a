"""Inspect's messages and responses: content by parts, calls with parsed arguments, and beside them the provider's own body."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from actionledger.core.values.recordings import RecordedCall, RecordedResult, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.shapes.base import Message, Speaker, tools_text
from actionledger.imports.shapes.known import shape_of_response
from actionledger.imports.sources.access import count_at, number_at, object_at, objects_at, text_at, time_at
from actionledger.imports.sources.usage import with_thoughts

_SPEAKERS: dict[str, Speaker] = {"assistant": "model", "user": "person", "system": "system", "tool": "tool"}

_ATTACHED = ("attachment://", "tc://")

_ERRORS: dict[str, Reason] = {
    "parsing": Reason.SCHEMA_ERROR,
    "timeout": Reason.TIMEOUT,
    "permission": Reason.NOT_PERMITTED,
    "file_not_found": Reason.NOT_FOUND,
    "is_a_directory": Reason.NOT_FOUND,
    "unicode_decode": Reason.TOOL_ERROR,
    "output_limit": Reason.TOO_LARGE,
    "limit": Reason.ACTION_LIMIT,
    "approval": Reason.NOT_APPROVED,
}
"""What Inspect calls the errors of tools; ``unknown`` says nothing, and its words are asked."""


def attached(value: Any, attachments: Mapping[str, Any]) -> Any:
    """Return a value with the texts that a sample keeps once in the place of their names."""
    if isinstance(value, str):
        mark = next((mark for mark in _ATTACHED if value.startswith(mark)), None)
        held = attachments.get(value[len(mark) :]) if mark else None
        return held if isinstance(held, str) else value
    if isinstance(value, list):
        return [attached(each, attachments) for each in value]
    if isinstance(value, dict):
        return {key: attached(each, attachments) for key, each in value.items()}
    return value


def message(value: Mapping[str, Any]) -> Message:
    """Read a message of any role."""
    speaker = _SPEAKERS.get(text_at(value, "role"))
    found = Message(speaker or "system", message_id=text_at(value, "id"))
    if speaker is None:
        found.pass_over(LeftOutReason.UNKNOWN_KIND, value.get("role"))
        return found
    content = value.get("content")
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            found.say(part)
        elif isinstance(part, Mapping):
            _take_part(part, found)
        elif part is not None:
            found.pass_over(LeftOutReason.NOT_AN_OBJECT, type(part).__name__)
    if speaker == "tool":
        found.results.append(
            tool_result(text_at(value, "tool_call_id"), found.text, object_at(value, "error"))
        )
        found.text = ""
    for call in objects_at(value, "tool_calls"):
        found.call(call.get("id"), call.get("function"), call.get("arguments"))
    return found


def tool_result(call_id: str, output: Any, error: Mapping[str, Any], **more: Any) -> RecordedResult:
    """Return what came of a call."""
    if not error:
        return RecordedResult(call_id, output, is_error=False, **more)
    said = output if isinstance(output, str) and output else text_at(error, "message")
    return RecordedResult(call_id, said, is_error=True, reason=_ERRORS.get(text_at(error, "type")), **more)


def response(event: Mapping[str, Any]) -> Iterator[tuple[Message, Capture]]:
    """Yield the choices of a model event, the first with what all of them took, each with how much of it was kept."""
    output = object_at(event, "output")
    raw = _raw_arguments(object_at(object_at(event, "call"), "response"))
    for number, choice in enumerate(objects_at(output, "choices")):
        found = message({"role": "assistant", **object_at(choice, "message")})
        if number and found.message_id:
            found.message_id += f"#{number}"
        usage = _usage(output) if number == 0 else Usage()
        found.usage = replace(usage, finish_reason=text_at(choice, "stop_reason")[:80])
        found.model = text_at(output, "model") or text_at(event, "model")
        found.occurred_at = time_at(event, "completed") or time_at(event, "timestamp")
        keeps = Capture.CALLS
        if raw is not None and all(call.call_id in raw for call in found.calls):
            found.calls = [_as_written(call, raw[call.call_id]) for call in found.calls]
            keeps = Capture.ARGUMENTS
        yield found, keeps if found.calls or event.get("tools") else Capture.TEXT


def tools(event: Mapping[str, Any]) -> str:
    """Return the tools that a model event offered, as a turn takes them; empty for none."""
    offered = [
        {
            "type": "function",
            "function": {key: tool[key] for key in ("name", "description", "parameters") if key in tool},
        }
        for tool in objects_at(event, "tools")
    ]
    return tools_text(offered)


def _take_part(part: Mapping[str, Any], found: Message) -> None:
    kind = text_at(part, "type")
    if kind == "text":
        found.say(part.get("text"))
    elif kind == "reasoning":
        is_hidden = part.get("redacted") is True
        found.think(part.get("summary") if is_hidden else part.get("reasoning"), detail="reasoning")
    elif kind == "tool_use":  # made and answered by the provider
        call_id = text_at(part, "id")
        found.call(call_id, part.get("name"), part.get("arguments"))
        error = {"message": part["error"]} if part.get("error") else {}
        found.results.append(tool_result(call_id, part.get("result"), error))
    else:
        found.pass_over(LeftOutReason.NO_TEXT, kind)


def _raw_arguments(body: Mapping[str, Any]) -> dict[str, RecordedCall] | None:
    """Return the calls of a provider's body by their identifiers; None where it hasn't the arguments as they were written."""
    shape = shape_of_response(body) if body else None
    if shape is None or shape.KEEPS is not Capture.ARGUMENTS:
        return None
    answered = shape.response(body).messages
    return {call.call_id: call for found in answered for call in found.calls if call.call_id}


def _as_written(call: RecordedCall, written: RecordedCall) -> RecordedCall:
    return replace(call, arguments=written.arguments, kind=written.kind)


def _usage(output: Mapping[str, Any]) -> Usage:
    counts = object_at(output, "usage")
    shown, written = count_at(counts, "input_tokens"), count_at(counts, "output_tokens")
    cached, stored = count_at(counts, "input_tokens_cache_read"), count_at(counts, "input_tokens_cache_write")
    beside = (cached or 0) + (stored or 0)
    if shown is not None and count_at(counts, "total_tokens") == shown + (written or 0) + beside:
        shown += beside  # as Anthropic counts: what came from a cache is no part of its input
    seconds, thought = number_at(output, "time"), count_at(counts, "reasoning_tokens")
    return Usage(
        input_tokens=shown,
        output_tokens=with_thoughts(written, thought, count_at(counts, "total_tokens"), shown, beside),
        cached_tokens=cached,
        cache_write_tokens=stored,
        reasoning_tokens=thought,
        cost_usd=number_at(counts, "total_cost"),
        latency_ms=None if seconds is None else seconds * 1000,
    )
