"""Requests and answers in stores that keep whatever a framework passed: messages in any form.

Providers' bodies, lists of messages, one message, LangChain's, Gemini's, Vercel's, a text, and each of them as JSON text once or twice.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.recordings import Usage
from actionledger.imports.shapes import anthropic, gemini, genai, openai_chat, openai_responses
from actionledger.imports.shapes.base import Message, Request, Speaker, plain, tools_text
from actionledger.imports.shapes.bodies import shape_of_request, shape_of_response
from actionledger.imports.sources.access import as_list, count_at, object_at, objects_at, text_at
from actionledger.imports.sources.json_values import value_of
from actionledger.imports.sources.usage import with_thoughts

# Messages as LangChain and LangGraph write them, by themselves or in its constructor's form (``lc``, ``kwargs``).
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


def is_message(value: JsonMap) -> bool:
    """Return whether a value is a LangChain message."""
    fields = _fields(value)
    return _kind(value) in _SPEAKERS and "content" in fields and ("role" not in value or "lc" in value)


def message(value: JsonMap) -> Message:
    """Read a message."""
    fields = _fields(value)
    found = Message(_SPEAKERS.get(_kind(value), "person"), message_id=text_at(fields, "id"))
    if found.speaker == "tool":
        is_error = {"error": True, "success": False}.get(text_at(fields, "status"))
        found.result(fields.get("tool_call_id"), plain(fields.get("content")), is_error=is_error)
        return found
    content = fields.get("content")
    for part in as_list(content):
        if isinstance(part, Mapping) and text_at(part, "type") in {"thinking", "reasoning"}:
            found.think(*_thoughts(part), detail=part["type"])
        elif isinstance(part, Mapping) and text_at(part, "type") in {
            "tool_use",
            "function_call",
            "tool_call",
        }:
            continue  # also in tool_calls
        else:
            found.say(part.get("text") if isinstance(part, Mapping) else part)
    if found.speaker == "model":
        _read_calls(fields, found)
        took, said = object_at(fields, "usage_metadata"), object_at(fields, "response_metadata")
        why = text_at(said, "finish_reason") or text_at(said, "stop_reason")
        found.model = text_at(said, "model_name")
        shown, thought = (
            count_at(took, "input_tokens"),
            count_at(object_at(took, "output_token_details"), "reasoning"),
        )
        found.usage = Usage(
            input_tokens=shown,
            output_tokens=with_thoughts(
                count_at(took, "output_tokens"), thought, count_at(took, "total_tokens"), shown
            ),
            cached_tokens=count_at(object_at(took, "input_token_details"), "cache_read"),
            cache_write_tokens=count_at(object_at(took, "input_token_details"), "cache_creation"),
            reasoning_tokens=thought,
            finish_reason=why[:80],
        )
    return found


def _thoughts(part: JsonMap) -> list[str]:
    """Return the texts of a reasoning part: LangChain's own, Anthropic's, or OpenAI's with its summary."""
    own = text_at(part, "reasoning") or text_at(part, "thinking")
    return [own] if own else openai_responses.thoughts_of(part)


def _read_calls(fields: JsonMap, found: Message) -> None:
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


def _fields(value: JsonMap) -> JsonMap:
    """Return a message's fields: under ``data`` in the form of ``message_to_dict``, under ``kwargs`` in the constructor's form."""
    if "lc" in value:
        return object_at(value, "kwargs")
    data = object_at(value, "data")
    return data if "content" in data else value


def _kind(value: JsonMap) -> str:
    names = value.get("id")
    if "lc" in value and isinstance(names, list) and names and isinstance(names[-1], str):
        return names[-1]
    return text_at(value, "type")


_DEEP = 8
_ITEMS = frozenset({"function_call", "function_call_output", "reasoning", "custom_tool_call"})
_WRAPPINGS = (
    "messages",
    "message",
    "output",
    "content",
    "prompt",
    "input",
    "response",
    "data",
    "generations",
)
"""The keys under which frameworks put messages, the surer ones first."""


def decoded(value: Any) -> Any:
    """Return a value that was encoded as JSON text, once or twice; any other text unchanged."""
    for _ in range(2):
        if not isinstance(value, str) or value.lstrip()[:1] not in {"{", "[", '"'}:
            return value
        try:
            value = value_of(value)
        except (ValueError, RecursionError):
            return value
    return value


def request_of(value: Any) -> Request:
    """Read a request."""
    given = decoded(value)
    if isinstance(given, Mapping):
        shape = shape_of_request(given)
        if shape is not None and not _is_nested(given):
            found = shape.request(given)
            config = object_at(given, "config")
            tools = found.tools or tools_text(config.get("tools"))
            told = genai.instructions(config.get("system_instruction"))
            return Request((told, *found.messages) if told.text else found.messages, tools, found.model)
    offered = given.get("tools") if isinstance(given, Mapping) else _tools_among(given)
    return Request(tuple(_messages(given, is_answer=False, deep=_DEEP)), tools_text(offered))


def _tools_among(messages: Any) -> list[Any]:
    """Return the tools in a list of messages, where Langfuse's handler for LangChain puts them."""
    contents = [object_at(each, "content") for each in objects_at({"messages": messages}, "messages")]
    return [content for content in contents if _is_tool(content)]


def _is_tool(value: object) -> bool:
    return isinstance(value, Mapping) and value.get("type") == "function" and "function" in value


def answer_of(value: Any) -> list[Message]:
    """Read an answer: its choices, usually one; none if it is empty. A list of messages is one answer."""
    given = decoded(value)
    if (
        isinstance(given, list)
        and given
        and all(
            (isinstance(each, Mapping) and "index" in each and isinstance(each.get("message"), Mapping))
            for each in given
        )
    ):
        given = {"choices": given}
    found = list(_messages(given, is_answer=True, deep=_DEEP))
    said = [message for message in found if message.speaker == "model"]
    said = [message for message in said if not message.is_empty] or said[:1]
    return [joined(said)] if isinstance(given, list) and len(said) > 1 else said


def joined(messages: list[Message]) -> Message:
    """Return one message from a framework's separate messages for each call; the first is changed."""
    whole = messages[0]
    for message in messages[1:]:
        begun = len(whole.text) + (1 if whole.text and message.text else 0)
        whole.text = "\n".join(filter(None, (whole.text, message.text)))
        whole.calls += [replace(call, at=begun + (call.at or 0)) for call in message.calls]
        whole.reasoning = "\n\n".join(filter(None, (whole.reasoning, message.reasoning)))
        whole.passed.update(message.passed)
    return whole


def _is_nested(given: JsonMap) -> bool:
    """Return whether a request's messages are nested lists or LangChain's, which no interface has."""
    messages = given.get("messages")
    each = messages[0] if isinstance(messages, list) and messages else None
    return isinstance(each, list) or (isinstance(each, Mapping) and is_message(each))


def _messages(value: Any, *, is_answer: bool, deep: int) -> Iterator[Message]:
    if deep == 0 or value is None:
        return
    if isinstance(value, str):
        if value:
            yield Message("model" if is_answer else "person", value)
    elif isinstance(value, list):
        yield from _of_list(value, is_answer=is_answer, deep=deep)
    elif isinstance(value, Mapping):
        yield from _of_object(value, is_answer=is_answer, deep=deep)


def _of_list(values: list[Any], *, is_answer: bool, deep: int) -> Iterator[Message]:
    objects = [each for each in values if isinstance(each, Mapping)]
    if objects and len(objects) == len(values):
        if any(text_at(each, "type") in _ITEMS for each in objects):
            yield from openai_responses.messages(objects)
            return
        if all("toolCallId" in each or "toolName" in each for each in objects):
            yield genai.message(
                {"role": "assistant", "content": [{**each, "type": "tool-call"} for each in objects]}
            )
            return
        if all(text_at(each, "type") in {"text", "tool_use", "thinking"} for each in objects):
            yield anthropic.message({"role": "assistant" if is_answer else "user", "content": objects})
            return
    for each in values:
        yield from _messages(each, is_answer=is_answer, deep=deep - 1)


def _of_object(value: JsonMap, *, is_answer: bool, deep: int) -> Iterator[Message]:
    if deep == 0:
        return
    shape = shape_of_response(value) if is_answer else shape_of_request(value)
    if shape is not None and not _is_nested(value):
        yield from shape.response(value).messages if is_answer else shape.request(value).messages
    elif is_message(value):
        yield message(value)
    elif isinstance(value.get("content"), Mapping) and "parts" in value["content"]:
        yield from gemini.response(
            {
                "candidates": [value],
                "usageMetadata": value.get("usage_metadata") or value.get("usageMetadata"),
            }
        ).messages
    elif isinstance(value.get("message"), Mapping):
        yield from _of_object(value["message"], is_answer=is_answer, deep=deep - 1)
    elif _is_tool(value.get("content")):
        return
    elif "role" in value or "parts" in value:
        yield message_of(value, is_answer=is_answer)
    elif is_answer and ("toolCalls" in value or isinstance(value.get("text"), str)):
        yield _of_vercel(value)
    else:
        for key in _WRAPPINGS:
            if value.get(key):
                yield from _messages(decoded(value[key]), is_answer=is_answer, deep=deep - 1)
                return


def shown_of(messages: Iterable[JsonMap]) -> Iterator[Message]:
    """Yield a model's input; its own messages are empty, since each is an answer elsewhere."""
    for each in messages:
        is_own = text_at(each, "role") in {"assistant", "model"}
        yield Message("model") if is_own else message_of(each)


def message_of(value: JsonMap, *, is_answer: bool = False) -> Message:
    """Read one message with a role."""
    role = text_at(value, "role") or ("assistant" if is_answer else "user")
    if genai.is_message(value):
        return genai.message({**value, "role": role})
    blocks = {text_at(part, "type") for part in objects_at(value, "content")}
    if blocks & {"tool_use", "tool_result", "thinking"}:
        return anthropic.message({**value, "role": role})
    if role == "model" or role not in {"assistant", "user", "system", "developer", "tool", "function"}:
        role = "assistant" if role in {"model", "ai"} else "user"
    extra = object_at(value, "additional_kwargs")
    calls = value.get("tool_calls") or extra.get("tool_calls")
    content = decoded(value.get("content"))
    if role in {"assistant", "tool"} and calls is None and _is_list_of_calls(content):
        value, calls, role = {**value, "content": None}, content, "assistant"
    found = openai_chat.message({**value, "role": role, "tool_calls": calls})
    if found.speaker == "tool" and isinstance(content, Mapping) and "tool_call_id" in content:
        return message({"type": "tool", **content})
    found.usage = Usage(finish_reason=genai.finish(value)[:80])
    return found


def _is_list_of_calls(content: Any) -> bool:
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(each, Mapping) and "name" in object_at(each, "function") for each in content)
    )


def _of_vercel(value: JsonMap) -> Message:
    calls = decoded(value.get("toolCalls"))
    parts = [{**each, "type": "tool-call"} for each in objects_at({"calls": calls}, "calls")]
    said = {"type": "text", "text": text_at(value, "text")}
    found = genai.message({"role": "assistant", "content": [said, *parts]})
    if thought := value.get("reasoningText") or value.get("reasoning"):
        given: list[Any] = as_list(thought)
        texts = (each.get("text") if isinstance(each, Mapping) else each for each in given)
        found.think(*texts, detail="reasoning")
    return found
