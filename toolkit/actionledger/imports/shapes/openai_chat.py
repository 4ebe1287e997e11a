"""OpenAI's chat completions, which most servers speak: https://platform.openai.com/docs/api-reference/chat.

Arguments are strings as the model wrote them. A call is a ``tool_calls`` entry, or the one ``function_call`` of the older interface; a result is a
message with the role ``tool`` (formerly ``function``). Groq, Mistral, DeepSeek, OpenRouter and xAI count differently: xAI's ``completion_tokens``
leave out reasoning, DeepSeek's cached tokens have a name of their own.
"""

from collections.abc import Mapping, Sequence

from actionledger.core.canonical import JsonDict, JsonMap
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
    texts_of,
    tools_text,
    with_usage,
)
from actionledger.imports.sources.access import count_at, number_at, object_at, objects_at, text_at
from actionledger.imports.sources.usage import with_thoughts
from actionledger.runtime.models.errors import MalformedError
from actionledger.runtime.models.stream import Assembly

NAME = "openai_chat"
KEEPS = Capture.ARGUMENTS

_SPEAKERS: dict[str, Speaker] = {
    "assistant": "model",
    "user": "person",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


def message(value: JsonMap) -> Message:
    """Read a message of any role; one of an unknown role is skipped."""
    speaker = _SPEAKERS.get(text_at(value, "role"))
    if speaker is None:
        unknown = Message("system")
        unknown.unknown(value.get("role"), value)
        return unknown
    found = Message(speaker, message_id=text_at(value, "id"))
    if speaker == "tool":
        # Before calls had identifiers, a result named the function.
        found.result(value.get("tool_call_id"), plain(value.get("content")))
        return found
    texts_of(found, value.get("content"))
    if speaker == "model":
        found.say(value.get("refusal"))
        calls = value.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            if not isinstance(call, Mapping):
                found.pass_over(LeftOutReason.NOT_AN_OBJECT, "tool_calls")
            elif inner := object_at(call, "function"):
                found.call(call.get("id"), inner.get("name"), _written(inner.get("arguments")))
            elif custom := object_at(call, "custom"):
                found.call(call.get("id"), custom.get("name"), _written(custom.get("input")), "text")
            else:
                found.unknown(call.get("type"), call)
        legacy = object_at(value, "function_call")
        if legacy and not found.calls:
            found.call("", legacy.get("name"), _written(legacy.get("arguments")))
        if thought := next((value[key] for key in _THOUGHTS if value.get(key)), None):
            found.think(thought, detail="reasoning")
    return found


def usage(value: JsonMap) -> Usage:
    """Read a response's usage."""
    shown, written = count_at(value, "prompt_tokens"), count_at(value, "completion_tokens")
    cached = count_at(object_at(value, "prompt_tokens_details"), "cached_tokens")
    if cached is None:
        cached = count_at(value, "prompt_cache_hit_tokens")
    thought = count_at(object_at(value, "completion_tokens_details"), "reasoning_tokens")
    seconds = number_at(value, "total_time")
    return Usage(
        input_tokens=shown,
        output_tokens=with_thoughts(written, thought, count_at(value, "total_tokens"), shown),
        cached_tokens=cached,
        reasoning_tokens=thought,
        cost_usd=number_at(value, "cost"),
        latency_ms=None if seconds is None else seconds * 1000,
    )


def is_request(body: JsonMap) -> bool:
    """Return whether a body is a request of this interface; Anthropic's looks similar, and is tried first."""
    return any(text_at(each, "role") in _SPEAKERS for each in objects_at(body, "messages"))


def request(body: JsonMap) -> Request:
    """Read a request."""
    tools = body.get("tools") or [
        {"type": "function", "function": each} for each in objects_at(body, "functions")
    ]
    history = tuple(message(each) for each in objects_at(body, "messages"))
    return Request(history, tools_text(tools), text_at(body, "model"))


def is_response(body: JsonMap) -> bool:
    """Return whether a body is a response of this interface."""
    choices = body.get("choices")
    return isinstance(choices, list) and all(
        isinstance(each, dict) and ("message" in each or "text" in each) for each in choices
    )


def response(body: JsonMap) -> Response:
    """Read a response; several choices are several messages, the first with the usage of all."""
    choices = []
    for each in objects_at(body, "choices"):
        given = object_at(each, "message") or {"content": each.get("text")}
        found = message({"role": "assistant", **given})
        found.message_id = ""
        found.usage = Usage(finish_reason=text_at(each, "finish_reason")[:80])
        choices.append(found)
    done = with_usage(
        choices,
        usage(object_at(body, "usage")),
        message_id=text_at(body, "id"),
        model=text_at(body, "model"),
        occurred_at=since_epoch(body.get("created")),
    )
    return Response(done, error_kind(body.get("error")))


def _written(arguments: object) -> object:
    """Return the arguments; empty if the model wrote none."""
    return "" if arguments is None else arguments


# The chunks of a chat completion, joined in the same way as a live one's.
def body(events: Sequence[JsonMap]) -> JsonDict:
    """Return the body that the chunks add up to, with each choice."""
    whole: JsonDict = {}
    choices: dict[int, Assembly] = {}
    for event in events:
        whole.update({key: event[key] for key in ("id", "created", "model", "usage") if event.get(key)})
        for choice in objects_at(event, "choices"):
            number = choice.get("index")
            assembly = choices.setdefault(number if isinstance(number, int) else 0, Assembly(""))
            try:
                assembly.add({"choices": [choice]})
            except MalformedError:
                continue  # the chunk has nothing to join to the others
    return whole | {
        "object": "chat.completion",
        "choices": [_choice(choices[key]) for key in sorted(choices)],
    }


def _choice(assembly: Assembly) -> JsonDict:
    done = assembly.completion(0)
    return {"message": done.message, "finish_reason": assembly.finish_reason}
