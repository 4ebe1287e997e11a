"""OpenAI's chat API as JSON: requests and responses."""

import json
from collections.abc import Sequence

from actionledger.core.canonical import JsonDict, JsonMap, is_deeper
from actionledger.core.errors import UsageError
from actionledger.core.text import writable
from actionledger.runtime.models.base import Completion, Message, Stop, Tools, Usage
from actionledger.runtime.models.errors import MalformedError

OWN_FIELDS = frozenset({"model", "messages", "tools", "stop", "stream"})
"""The fields of a request that can't be set as options."""

REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Servers' field names for a model's reasoning; some send the same text in both."""

MAX_DEPTH = 100
"""The maximum nesting of a server's JSON, so that recursive code doesn't overflow the stack."""


def request_body(
    model: str,
    messages: Sequence[Message],
    *,
    tools: Tools,
    stop: Stop,
    stream: bool,
    options: JsonMap,
) -> bytes:
    """Return a request as JSON; a lone surrogate, which every server rejects, becomes U+FFFD."""
    fields: JsonDict = {"model": model, "messages": [_message(message) for message in messages]}
    if tools:
        fields["tools"] = [dict(tool) for tool in tools]
    if stop:
        fields["stop"] = [stop] if isinstance(stop, str) else list(stop)
    if stream:
        fields |= {"stream": True, "stream_options": {"include_usage": True}}
    fields |= options
    kept = {name: value for name, value in fields.items() if value is not None}
    try:
        return writable(json.dumps(kept, ensure_ascii=False, allow_nan=False)).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            f"The request can't be written as JSON: {error}; look at its tools and options."
        ) from error


def _message(message: Message) -> JsonDict:
    fields: JsonDict = {"role": message.role, "content": message.content}
    if message.tool_calls:
        fields["tool_calls"] = [dict(call) for call in message.tool_calls]
    if message.call_id is not None:
        fields["tool_call_id"] = message.call_id
    return fields


def json_object(text: str | bytes) -> JsonDict:
    """Parse the JSON object that a server sent."""
    shown = text.decode(errors="replace") if isinstance(text, bytes) else text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedError("what is no JSON", shown) from error
    if not isinstance(value, dict):
        raise MalformedError("JSON that is not an object", shown)
    if shown.count("[") + shown.count("{") > MAX_DEPTH and is_deeper(value, MAX_DEPTH):
        raise MalformedError(f"JSON nested deeper than {MAX_DEPTH} levels", shown)
    return value


def first_choice(data: JsonMap) -> JsonMap | None:
    """Return the first of a response's choices; None if it has none."""
    choices = data.get("choices") or []
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        raise MalformedError("choices that are no list of objects", repr(choices))
    return next(iter(choices), None)


def completion_of(data: JsonMap, *, model: str, elapsed_ms: float) -> Completion:
    """Parse a response that a server sent in one piece."""
    choice = first_choice(data)
    message = choice.get("message") if choice else None
    if choice is None or not isinstance(message, dict):
        raise MalformedError("a response without a message", json.dumps(data, default=repr))
    return Completion(
        text=text_of(message.get("content")),
        finish_reason=finish_reason_of(choice),
        usage=usage_of(data),
        model=model_of(data) or model,
        elapsed_ms=elapsed_ms,
        message=message,
        reasoning=reasoning_of(message),
    )


def text_of(content: object) -> str:
    """Return the text of a message or a piece: from a string, a list of parts, or nothing."""
    match content:
        case None:
            return ""
        case str():
            return content
        case list():
            parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
            return "".join(text_of(part.get("text")) for part in parts)
    raise MalformedError("content that is not text", repr(content))


def reasoning_of(message: JsonMap) -> str:
    """Return the reasoning in a message or a piece: from its own field, or from parts of the content."""
    beside = next((text for name in REASONING_FIELDS if isinstance(text := message.get(name), str)), "")
    content = message.get("content")
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return beside + "".join(text_of(part.get("thinking")) for part in parts if part.get("type") == "thinking")


def finish_reason_of(choice: JsonMap) -> str | None:
    """Return why a choice ended; None if missing."""
    reason = choice.get("finish_reason")
    return reason if isinstance(reason, str) and reason else None


def model_of(data: JsonMap) -> str:
    """Return the model that a server names; empty if missing."""
    name = data.get("model")
    return name if isinstance(name, str) else ""


def usage_of(data: JsonMap) -> Usage | None:
    """Return the token usage that a server reports; None if missing."""
    usage = data.get("usage")
    if not isinstance(usage, dict):
        return None
    return Usage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")))


def fault_in(data: JsonMap) -> str:
    """Return the server's error message in its JSON; empty if there is none."""
    fault = data.get("error")
    if not fault and "choices" not in data:
        fault = data if data.get("object") == "error" else data.get("detail")
    if not fault:
        return ""
    message = fault.get("message") if isinstance(fault, dict) else fault
    return message if isinstance(message, str) else json.dumps(fault, default=repr)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
