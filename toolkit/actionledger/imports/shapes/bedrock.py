"""Amazon Bedrock's Converse: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html.

Arguments come parsed. A body names neither the model, which is in the address, nor itself: its identifier is in a header. ``inputTokens`` leaves out
tokens read from or written to a cache.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

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
from actionledger.imports.sources.access import count_at, number_at, object_at, objects_at, text_at

NAME = "bedrock"
KEEPS = Capture.CALLS

_NO_TEXT = ("image", "document", "video", "audio", "searchResult")


def message(value: JsonMap) -> Message:
    """Read a message of any role; a person's message holds results of calls."""
    found = Message("model" if text_at(value, "role") == "assistant" else "person")
    read_parts(found, value.get("content"), _read_part)
    return found


def usage(value: JsonMap) -> Usage:
    """Read a response's usage."""
    read, written = count_at(value, "cacheReadInputTokens"), count_at(value, "cacheWriteInputTokens")
    return Usage(
        input_tokens=total(count_at(value, "inputTokens"), read, written),
        output_tokens=count_at(value, "outputTokens"),
        cached_tokens=read,
        cache_write_tokens=written,
    )


def is_request(body: JsonMap) -> bool:
    """Return whether a body is a request of this interface; its parts have no type."""
    return any(_is_content(each.get("content")) for each in objects_at(body, "messages"))


def request(body: JsonMap) -> Request:
    """Read a request."""
    system = Message("system")
    texts_of(system, body.get("system"))
    history = [message(each) for each in objects_at(body, "messages")]
    tools = object_at(body, "toolConfig").get("tools")
    model = text_at(body, "modelId")
    return Request((system, *history) if system.text else tuple(history), tools_text(tools), model)


def is_response(body: JsonMap) -> bool:
    """Return whether a body is a response of this interface."""
    return "message" in object_at(body, "output") and ("stopReason" in body or "usage" in body)


def response(body: JsonMap) -> Response:
    """Read a response."""
    given = object_at(object_at(body, "output"), "message")
    if not given:
        return Response((), error_kind(body.get("message")))
    found = message({**given, "role": "assistant"})
    found.usage = Usage(finish_reason=text_at(body, "stopReason")[:80])
    latency = number_at(object_at(body, "metrics"), "latencyMs")
    took = replace(usage(object_at(body, "usage")), latency_ms=latency)
    return Response(with_usage([found], took))


def _is_content(content: object) -> bool:
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(part, Mapping) and "type" not in part for part in content)
    )


def _read_part(part: JsonMap, found: Message) -> None:
    if isinstance(part.get("text"), str):
        found.say(part["text"])
    elif call := object_at(part, "toolUse"):
        if call.get("type") == "server_tool_use":
            found.pass_over(LeftOutReason.RUN_BY_PROVIDER, call.get("name"))
        else:
            found.call(call.get("toolUseId"), call.get("name"), call.get("input"))
    elif came := object_at(part, "toolResult"):
        content = came.get("content")
        if (
            isinstance(content, list)
            and len(content) == 1
            and isinstance(content[0], Mapping)
            and "json" in content[0]
        ):
            output = content[0]["json"]
        else:
            output = plain(content)
        status = text_at(came, "status")
        found.result(came.get("toolUseId"), output, is_error=status == "error" if status else None)
    elif cited := object_at(part, "citationsContent"):
        texts_of(found, cited.get("content"))
    elif thought := object_at(part, "reasoningContent"):
        found.think(object_at(thought, "reasoningText").get("text"), detail="reasoningContent")
    elif any(key in part for key in _NO_TEXT):
        found.pass_over(LeftOutReason.NO_TEXT, next(key for key in _NO_TEXT if key in part))
    elif "cachePoint" in part or "guardContent" in part:
        found.pass_over(LeftOutReason.BOOKKEEPING, next(iter(part)))
    elif part:
        found.unknown(next(iter(part)), object_at(part, next(iter(part))))


# The events of a Bedrock response: blocks that begin and grow, by index.
KINDS = frozenset({"messageStart", "contentBlockStart", "contentBlockDelta", "messageStop"})
"""The names of its events, except those without content."""


def body(events: Sequence[JsonMap]) -> JsonDict:
    """Return the body that the events add up to; a call's ``input`` is the text that the model wrote."""
    whole: JsonDict = {}
    blocks: dict[int, JsonDict] = {}
    before: list[tuple[int, JsonDict]] = []
    for event in events:
        if begun := object_at(event, "contentBlockStart"):
            call = object_at(object_at(begun, "start"), "toolUse")
            if replaced := blocks.get(_place(begun)):  # a gateway gave two blocks one index
                before.append((_place(begun), replaced))
            blocks[_place(begun)] = {"toolUse": {**call, "input": ""}} if call else {}
        elif grown := object_at(event, "contentBlockDelta"):
            _grow(blocks.setdefault(_place(grown), {}), object_at(grown, "delta"))
        elif stopped := object_at(event, "messageStop"):
            whole["stopReason"] = stopped.get("stopReason")
        elif told := object_at(event, "metadata"):
            whole.update({key: told[key] for key in ("usage", "metrics") if key in told})
    placed = sorted([*before, *blocks.items()], key=lambda each: each[0])
    content = [block for _, block in placed]
    return {"stopReason": "", **whole, "output": {"message": {"role": "assistant", "content": content}}}


def _grow(block: JsonDict, delta: JsonMap) -> None:
    if piece := object_at(delta, "toolUse"):
        call = block.setdefault("toolUse", {"input": ""})
        call["input"] = text_at(call, "input") + text_at(piece, "input")
    elif isinstance(delta.get("text"), str):
        block["text"] = text_at(block, "text") + delta["text"]
    elif thought := object_at(delta, "reasoningContent"):
        kind = "reasoningText" if "text" in thought else "redactedContent"
        held = block.setdefault("reasoningContent", {}).setdefault(kind, {})
        held["text"] = text_at(held, "text") + text_at(thought, "text")


def _place(event: JsonMap) -> int:
    index = event.get("contentBlockIndex")
    return index if isinstance(index, int) else 0
