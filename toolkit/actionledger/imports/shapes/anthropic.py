"""Anthropic's messages: https://docs.anthropic.com/en/api/messages.

Arguments come parsed; only a stream has the text that the model wrote (``input`` is a string then). Tools that the provider ran itself
(``server_tool_use`` and its result, calls of its connectors) are not recorded as calls. ``input_tokens`` leaves out tokens read from or written to a
cache: the sum of the three is the model's input.
"""

from collections.abc import Mapping, Sequence

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.shapes.base import (
    Message,
    Request,
    Response,
    error_kind,
    plain,
    read_parts,
    texts_of,
    tools_text,
    total,
    with_usage,
)
from actionledger.imports.sources.access import count_at, object_at, objects_at, text_at
from actionledger.imports.sources.usage import billed_by_anthropic, with_billed

NAME = "anthropic"
KEEPS = Capture.CALLS

_RAN_THERE = ("server_tool_use", "mcp_tool_use", "mcp_tool_result")
_NO_TEXT = frozenset({"image", "document", "file", "search_result", "container_upload"})


def message(value: JsonMap) -> Message:
    """Read a message of any role; a person's message holds results of calls."""
    role = text_at(value, "role")
    found = Message("model" if role == "assistant" else "system" if role == "system" else "person")
    found.message_id = text_at(value, "id")
    read_parts(found, value.get("content"), _read_part)
    return found


def usage(value: JsonMap) -> Usage:
    """Read a response's usage."""
    read, written = count_at(value, "cache_read_input_tokens"), count_at(value, "cache_creation_input_tokens")
    took = Usage(
        input_tokens=total(count_at(value, "input_tokens"), read, written),
        output_tokens=count_at(value, "output_tokens"),
        cached_tokens=read,
        cache_write_tokens=written,
        reasoning_tokens=count_at(object_at(value, "output_tokens_details"), "thinking_tokens"),
    )
    return with_billed(took, billed_by_anthropic(value))


def is_request(body: JsonMap) -> bool:
    """Return whether a body is a request of this interface."""
    if not isinstance(body.get("messages"), list):
        return False
    told = ("max_tokens" in body and "system" in body) or "anthropic_version" in body or "thinking" in body
    tools = next(objects_at(body, "tools"), {})
    return told or "input_schema" in tools


def request(body: JsonMap) -> Request:
    """Read a request."""
    system = Message("system")
    texts_of(system, body.get("system"))
    history = [message(each) for each in objects_at(body, "messages")]
    return Request(
        (system, *history) if system.text else tuple(history),
        tools_text(body.get("tools")),
        text_at(body, "model"),
    )


def is_response(body: JsonMap) -> bool:
    """Return whether a body is a response of this interface."""
    return text_at(body, "type") == "message" and text_at(body, "role") == "assistant" and "content" in body


def response(body: JsonMap) -> Response:
    """Read a response."""
    if text_at(body, "type") == "error":
        return Response((), error_kind(body.get("error")))
    found = message({**body, "role": "assistant"})
    found.usage = Usage(finish_reason=text_at(body, "stop_reason")[:80])
    took = usage(object_at(body, "usage"))
    done = with_usage([found], took, message_id=text_at(body, "id"), model=text_at(body, "model"))
    return Response(done, error_kind(body.get("error")))


def _read_part(part: JsonMap, found: Message) -> None:
    kind = text_at(part, "type")
    if kind == "text" or (not kind and "text" in part):
        found.say(part.get("text"))
    elif kind == "tool_use":
        found.call(part.get("id"), part.get("name"), part.get("input"))
    elif kind == "tool_result":
        is_error = part.get("is_error")
        found.result(
            part.get("tool_use_id"),
            plain(part.get("content")),
            is_error=is_error if isinstance(is_error, bool) else None,
        )
    elif kind == "thinking":
        found.think(part.get("thinking"), detail=kind)
    elif kind == "redacted_thinking":
        found.pass_over(LeftOutReason.ENCRYPTED, kind)
    elif kind in _RAN_THERE or kind.endswith("_tool_result"):
        found.pass_over(LeftOutReason.RUN_BY_PROVIDER, part.get("name") or kind)
    elif kind in _NO_TEXT:
        found.pass_over(LeftOutReason.NO_TEXT, kind)
    else:
        found.unknown(kind, part)


# The events of one Anthropic message: blocks that begin, grow and end, by index.
KINDS = frozenset({"message_start", "content_block_start", "content_block_delta", "message_delta"})
"""The names of its events, except those without content."""

_GROWN = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


def body(events: Sequence[JsonMap]) -> JsonDict:
    """Return the body that the events add up to; a call's ``input`` is the text that the model wrote."""
    whole: JsonDict = {"type": "message", "role": "assistant"}
    blocks: dict[int, JsonDict] = {}
    before: list[tuple[int, JsonDict]] = []
    usage: JsonDict = {}
    for event in events:
        kind = text_at(event, "type")
        if kind == "message_start":
            message = object_at(event, "message")
            whole.update(message)
            usage.update(object_at(message, "usage"))
        elif kind == "content_block_start":
            place = _place(event, len(blocks))
            if place in blocks:  # a gateway gave two blocks one index: the first one is complete
                before.append((place, blocks[place]))
            # A block at its start: its arguments are empty, whatever value is there.
            block = object_at(event, "content_block")
            is_call = text_at(block, "type") == "tool_use" and not block.get("input")
            blocks[place] = {**block, "input": ""} if is_call else dict(block)
        elif kind == "content_block_delta":
            _grow(
                blocks.setdefault(_place(event, len(blocks) - 1), {"type": "text"}), object_at(event, "delta")
            )
        elif kind == "message_delta":
            whole.update(object_at(event, "delta"))
            usage.update(object_at(event, "usage"))
    return whole | {"content": _in_order(before, blocks), "usage": usage}


def _in_order(before: Sequence[tuple[int, JsonDict]], blocks: Mapping[int, JsonDict]) -> list[JsonDict]:
    """Return the blocks by index; of those with the same index, the one that began first comes first."""
    return [block for _, block in sorted([*before, *blocks.items()], key=lambda placed: placed[0])]


def _grow(block: JsonDict, delta: JsonMap) -> None:
    kind = text_at(delta, "type")
    if kind == "input_json_delta" and isinstance(block.get("input", ""), str):
        block["input"] = block.get("input", "") + text_at(delta, "partial_json")
    elif key := _GROWN.get(kind):
        block[key] = text_at(block, key) + text_at(delta, key)


def _place(event: JsonMap, otherwise: int) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else max(otherwise, 0)
