"""OpenAI's Responses: https://platform.openai.com/docs/api-reference/responses.

A response is a list of items; its messages, calls and reasoning form one model message. Arguments are strings as the model wrote them; a custom
tool's input is a text. A request holds the earlier items, or names the response that it continues. Tools that the provider ran itself (web search,
code interpreter, its connectors) are not recorded as calls.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.names import qualified
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.shapes.base import (
    Message,
    Request,
    Response,
    Speaker,
    error_kind,
    plain,
    since_epoch,
    tools_text,
    with_usage,
)
from actionledger.imports.sources.access import as_list, count_at, object_at, objects_at, text_at

NAME = "openai_responses"
KEEPS = Capture.ARGUMENTS

_SPEAKERS: dict[str, Speaker] = {"assistant": "model", "system": "system", "developer": "system"}
_TEXTS = frozenset({"text", "input_text", "output_text"})
_LOCAL = {
    "computer_call": ("computer", ("actions", "action")),
    "local_shell_call": ("local_shell", ("action",)),
    "shell_call": ("shell", ("action",)),
    "apply_patch_call": ("apply_patch", ("operation",)),
}
"""The calls of OpenAI's own tools that the caller runs: the tool's name, and the keys of its arguments."""

LATER_TOOLS = frozenset({"tool_search_output", "additional_tools"})
"""The items that offer tools in the middle of a conversation: search results, and deferred tools of a client."""

_FAILED = frozenset({"failed", "incomplete"})


def messages(items: Iterable[Any]) -> Iterator[Message]:
    """Yield the messages in a list of items: consecutive items of a model are one message."""
    open_message: Message | None = None
    for item in items:
        speaker = speaker_of(item) if isinstance(item, Mapping) else "person"
        if open_message is None or open_message.speaker != speaker:
            if open_message is not None:
                yield open_message
            open_message = Message(speaker)
        read_item(item, open_message)
    if open_message is not None:
        yield open_message


def speaker_of(item: JsonMap) -> Speaker:
    """Return the author of an item."""
    kind = text_at(item, "type")
    if kind.endswith("_call_output") or kind == "mcp_approval_response":
        return "tool"
    if not kind or kind == "message":
        return _SPEAKERS.get(text_at(item, "role"), "person")
    return "model"


def read_item(item: object, found: Message) -> None:
    """Add one item to its message."""
    if not isinstance(item, Mapping):
        found.say(item) if isinstance(item, str) else found.pass_over(LeftOutReason.NOT_AN_OBJECT)
        return
    kind = text_at(item, "type")
    if not kind or kind == "message":
        content = item.get("content")
        for part in as_list(content):
            if isinstance(part, str):
                found.say(part)
            elif not isinstance(part, Mapping):
                found.pass_over(LeftOutReason.NOT_AN_OBJECT)
            elif text_at(part, "type") in _TEXTS:
                found.say(part.get("text"))
            elif text_at(part, "type") == "refusal":
                found.say(part.get("refusal"))
            else:
                found.pass_over(LeftOutReason.NO_TEXT, part.get("type"))
    elif kind == "function_call":
        found.call(item.get("call_id") or item.get("id"), _name(item), item.get("arguments", ""))
    elif kind == "custom_tool_call":
        found.call(item.get("call_id") or item.get("id"), _name(item), item.get("input", ""), "text")
    elif kind in _LOCAL:
        name, keys = _LOCAL[kind]
        given = next((item[key] for key in keys if item.get(key) is not None), None)
        found.call(
            item.get("call_id") or item.get("id"),
            name,
            {"actions": given} if isinstance(given, list) else given,
        )
    elif kind.endswith("_call_output"):
        is_error = True if text_at(item, "status") in _FAILED else None
        found.result(item.get("call_id"), plain(item.get("output")), is_error=is_error)
    elif kind == "reasoning":
        found.think(*thoughts_of(item), detail=kind)
    elif kind == "additional_tools":
        found.pass_over(LeftOutReason.BOOKKEEPING, kind)
    elif kind.endswith("_call") or kind.startswith("mcp_") or kind == "tool_search_output":
        found.pass_over(LeftOutReason.RUN_BY_PROVIDER, kind)
    elif kind == "compaction":
        found.pass_over(LeftOutReason.COMPACTED, kind)
    else:
        found.unknown(kind, item)


def _name(item: JsonMap) -> object:
    """Return the name of the called tool, with its namespace."""
    name = item.get("name")
    return qualified(item.get("namespace"), name) if isinstance(name, str) else name


def usage(value: JsonMap) -> Usage:
    """Read a response's usage."""
    return Usage(
        input_tokens=count_at(value, "input_tokens"),
        output_tokens=count_at(value, "output_tokens"),
        cached_tokens=count_at(object_at(value, "input_tokens_details"), "cached_tokens"),
        reasoning_tokens=count_at(object_at(value, "output_tokens_details"), "reasoning_tokens"),
    )


def is_request(body: JsonMap) -> bool:
    """Return whether a body is a request of this interface."""
    return (
        isinstance(body.get("input"), str | list) and bool(text_at(body, "model")) and "choices" not in body
    )


def request(body: JsonMap) -> Request:
    """Read a request."""
    system = Message("system")
    system.say(body.get("instructions"))
    given = body.get("input")
    history = tuple(messages(as_list(given)))
    return Request(
        (system, *history) if system.text else history,
        tools_text(_tools(body)),
        text_at(body, "model"),
        text_at(body, "previous_response_id"),
    )


def _tools(body: JsonMap) -> object:
    """Return the tools that a request offers, including those that searches found, which are among its items."""
    given = body.get("tools")
    later = [
        tool
        for item in objects_at(body, "input")
        if text_at(item, "type") in LATER_TOOLS
        for tool in objects_at(item, "tools")
    ]
    listed = [*(given if isinstance(given, list) else []), *later]
    return [tool for number, tool in enumerate(listed) if tool not in listed[:number]] if later else given


def is_response(body: JsonMap) -> bool:
    """Return whether a body is a response of this interface."""
    return isinstance(body.get("output"), list) and (
        text_at(body, "object") == "response" or "status" in body
    )


def response(body: JsonMap) -> Response:
    """Read a response."""
    output = body.get("output")
    found = Message("model")
    for item in output if isinstance(output, list) else []:
        read_item(item, found)
    why = text_at(object_at(body, "incomplete_details"), "reason") or text_at(body, "status")
    found.usage = Usage(finish_reason=why[:80])
    error = error_kind(body.get("error"))
    choices = [] if error and found.is_empty else [found]
    done = with_usage(
        choices,
        usage(object_at(body, "usage")),
        message_id=text_at(body, "id"),
        model=text_at(body, "model"),
        occurred_at=since_epoch(body.get("created_at")),
    )
    return Response(done, error)


def thoughts_of(item: JsonMap) -> list[str]:
    """Return the texts of a ``reasoning`` item: the reasoning itself if recorded, or else OpenAI's summary."""
    return next(
        filter(
            None,
            (
                [*(text for part in objects_at(item, key) if (text := text_at(part, "text")))]
                for key in ("content", "summary")
            ),
        ),
        [],
    )


# The events of an OpenAI response: the last one holds all of it; a cut stream has the finished items.
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


def body(events: Sequence[JsonMap]) -> JsonDict:
    """Return the body that the events add up to."""
    begun: JsonMap = {}
    items: dict[int, Any] = {}
    for event in events:
        kind = text_at(event, "type")
        response = object_at(event, "response")
        if response:
            begun = response
        if kind in _ENDS and (response.get("output") or not items):
            return {"object": "response", **response}
        if kind.startswith("response.output_item."):
            index = event.get("output_index")
            items[index if isinstance(index, int) else len(items)] = event.get("item")
        elif kind.endswith(".delta"):
            _grow(items, event)
    output = [items[key] for key in sorted(items)]
    # A status during the response is no finish reason.
    return {"object": "response", **begun, "status": "", "output": output}


def _grow(items: dict[int, Any], event: JsonMap) -> None:
    """Add a piece to an unfinished item, so that a cut stream loses no text."""
    index = event.get("output_index")
    item = items.get(index) if isinstance(index, int) else None
    piece = text_at(event, "delta")
    if not isinstance(item, dict):
        return
    match text_at(item, "type"):
        case "function_call":
            item["arguments"] = text_at(item, "arguments") + piece
        case "custom_tool_call":
            item["input"] = text_at(item, "input") + piece
        case "message" if text_at(event, "type") == "response.output_text.delta":
            content = item.get("content")
            told = (
                content[-1]
                if isinstance(content, list) and content and isinstance(content[-1], dict)
                else None
            )
            if told is None:
                item["content"] = [{"type": "output_text", "text": piece}]
            else:
                told["text"] = text_at(told, "text") + piece
