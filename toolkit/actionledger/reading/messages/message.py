"""Parse a message of any known interface, alone or in its response, and report calls in it that were not parsed."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from actionledger.core.canonical import JsonMap
from actionledger.core.values import Reading
from actionledger.core.vocabulary import Capture, Reason
from actionledger.reading.messages.gathering import THOUGHTS, Gathering
from actionledger.reading.messages.parts import is_part, read_parts, says_something
from actionledger.reading.messages.spellings import HOLDERS, OF_CALL, Spelled, is_call_like, shown_keys

_KNOWN = (
    "OpenAI's chat and Responses interfaces, Anthropic's, Gemini's, Bedrock's, Cohere's and Ollama's, "
    "messages of LangChain, pydantic-ai and OpenTelemetry"
)

_CALLS = ("tool_calls", "toolCalls", "function_call", "tool_call", "toolCall")
"""The keys of calls next to a message's content."""

_BODIES = ("content", "parts", "output", *_CALLS, "additional_kwargs")
"""The keys that make an object a message."""

_WRAPPERS = ("message", "response", "body", "kwargs", "data")
"""The keys of a message in an object that is none itself."""

_MOST_WRAPPERS = 8

_FAILED_CALLS = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"})
"""Gemini's finish reasons for omitted calls."""

_BESIDE = frozenset(
    {*_BODIES, "role", "type", "id", "name", "object", "model", "kind", "index", "refusal", "annotations"}
    | {"reasoning", "reasoning_content", "reasoning_details", "thinking", "thoughts", "thought", "tool_plan"}
    | {
        "finish_reason",
        "finishReason",
        "stop_reason",
        "stopReason",
        "stop_sequence",
        "usage",
        "usage_metadata",
    }
    | {
        "usageMetadata",
        "response_metadata",
        "timestamp",
        "created_at",
        "audio",
        "invalid_tool_calls",
        "prefix",
    }
    | {"thinking_blocks", "provider_specific_fields", "provider_details", "example", "tokens", "images"}
)
"""Keys in a message that say nothing."""


def read_message(message: object, names: frozenset[str] | None = None) -> Reading:
    """Parse a message as a provider's interface returns it; never raises on a JSON value."""
    gathering = Gathering()
    gather(message, gathering)
    return gathering.reading(names)


def gather(message: object, gathering: Gathering) -> None:
    """Gather a message's content in order."""
    found = _within(message, gathering)
    if found is not None:
        _read(found, gathering)
        for path, call in unread_calls(found, gathering.handled, gathering.acted):
            detail = f"What stands under {path[:80]!r} looks like a call, with the keys {shown_keys(call)}"
            gathering.note(Reason.WRONG_SHAPE, f"{detail}; calls of {_KNOWN} are read.")
        if gathering.is_empty and any(key not in _BESIDE and value for key, value in found.items()):
            _refuse(found, gathering)


def _within(message: object, gathering: Gathering) -> JsonMap | None:
    """Return the message in an interface's wrapping; None, with an issue, if there is none."""
    for _ in range(_MOST_WRAPPERS):
        whole = _without_list(message)
        if not isinstance(whole, Mapping):
            gathering.note(
                Reason.WRONG_SHAPE, f"It is not an object, but {_kind_of(whole)}; {_KNOWN} are read."
            )
            return None
        message = _unwrapped(whole, gathering)
        if message is whole or message is None:
            return None if message is None else whole
    gathering.note(Reason.WRONG_SHAPE, f"It is wrapped more than {_MOST_WRAPPERS} times.")
    return None


def _without_list(message: object) -> object:
    """Return a list of parts as a message, and a list of one message as that message; anything else unchanged."""
    if not isinstance(message, list) or not message:
        return message
    is_parts = len(message) > 1 or (isinstance(message[0], Mapping) and is_part(message[0]))
    return {"content": message} if is_parts else message[0]


def _unwrapped(message: JsonMap, gathering: Gathering) -> Any:
    """Return a message without its wrapping, or unchanged if it has none."""
    if isinstance(choices := message.get("choices"), list):
        first = choices[0] if choices and isinstance(choices[0], Mapping) else {}
        if isinstance(found := first.get("message"), Mapping):
            return found
        if isinstance(first.get("text"), str):
            return {"content": first["text"]}
        what = "a piece of a stream; put its pieces together first" if "delta" in first else "no message"
        detail = f"The first of {len(choices)} choices has {what}; its keys are: {shown_keys(first)}."
        gathering.note(Reason.WRONG_SHAPE, detail)
        return None
    if isinstance(candidates := message.get("candidates"), list):
        return _candidate(candidates, gathering)
    content, output = message.get("content"), message.get("output")
    if isinstance(content, Mapping) and "parts" in content:
        return content
    if isinstance(output, Mapping):
        return output
    if not any(message.get(key) is not None for key in _BODIES) and not says_something(message):
        return next((message[key] for key in _WRAPPERS if isinstance(message.get(key), Mapping)), message)
    return message


def _candidate(candidates: list[Any], gathering: Gathering) -> Any:
    first = candidates[0] if candidates and isinstance(candidates[0], Mapping) else {}
    why = first.get("finishReason", first.get("finish_reason"))
    if isinstance(why, str) and why in _FAILED_CALLS:
        said = str(first.get("finishMessage", first.get("finish_message", "")))[:200]
        gathering.note(
            Reason.MALFORMED_JSON, f"Gemini has stopped with {why} and left the call out: {said!r}."
        )
    elif not first:
        gathering.note(Reason.WRONG_SHAPE, "There is no candidate.")
    elif not isinstance(first.get("content"), Mapping) and first.get("content"):
        detail = f"The first candidate has no content with parts; its keys are: {shown_keys(first)}."
        gathering.note(Reason.WRONG_SHAPE, detail)
    content = first.get("content")
    return content if isinstance(content, Mapping) else None


def _read(message: JsonMap, gathering: Gathering) -> None:
    """Gather a message's content place by place."""
    if not any(key in message for key in (*_BODIES, "role", "invalid_tool_calls")):
        if says_something(message):
            read_parts(message, gathering)
        elif not isinstance(message.get("text"), str):
            _refuse(message, gathering)
            return
    bodies = [message[key] for key in ("content", "parts", "output") if message.get(key) is not None]
    for body in bodies:
        read_parts(body, gathering)
        gathering.next_place()
    for key in THOUGHTS & message.keys():
        gathering.think(message[key])
    if not bodies:
        gathering.say(
            next((message[key] for key in ("text", "message", "refusal") if message.get(key)), None)
        )
    more = message.get("additional_kwargs")
    for holder in (message, more if isinstance(more, Mapping) else {}):
        for key in _CALLS:
            _read_calls(holder, key, gathering)
        gathering.next_place()
        for call in _objects(holder.get("invalid_tool_calls"), gathering):
            gathering.lose(call)
        gathering.next_place()
    if error := message.get("error"):
        gathering.note(Reason.WRONG_SHAPE, f"The provider says: {str(error)[:200]!r}.")


def _read_calls(holder: JsonMap, key: str, gathering: Gathering) -> None:
    for call in _objects(holder.get(key), gathering):
        gathering.act(call, "openai_chat" if key == "function_call" and "arguments" in call else "")


def _objects(items: object, gathering: Gathering) -> list[JsonMap]:
    """Return the objects of a list, or the one object; anything else is an issue."""
    several = items if isinstance(items, list | tuple) else [] if items is None else [items]
    for item in several:
        if not isinstance(item, Mapping):
            gathering.note(Reason.WRONG_SHAPE, f"A call is not an object, but {_kind_of(item)}.")
    return [item for item in several if isinstance(item, Mapping)]


def _refuse(message: JsonMap, gathering: Gathering) -> None:
    detail = f"It is not a message that is known; its keys are: {shown_keys(message)}. {_KNOWN[0].upper()}{_KNOWN[1:]} are read."
    gathering.note(Reason.WRONG_SHAPE, detail)


def _kind_of(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list() | tuple():
            return "a list" if value else "an empty list"
    return f"a Python object of the type {type(value).__name__}"


_NOT_SEARCHED = frozenset(
    {"tools", "tool_choice", "tool_config", "functions", "messages", "instructions", "prompt"}
    | {"usage", "usage_metadata", "usageMetadata", "metrics", "metadata", "response_metadata", "logprobs"}
    | {"observation", "observations", "result", "results", "provider_details", "text_format"}
)
"""Keys next to calls in a message: definitions, prompts, counts, results."""

_DEEPEST = 30


def unread_calls(
    message: JsonMap, handled: Collection[int], calls: Collection[int]
) -> Iterator[tuple[str, JsonMap]]:
    """Yield unused objects that look like calls, each with its JSON path without the root."""
    pending: list[tuple[tuple[str, ...], object]] = [((), message)]
    while pending:
        path, value = pending.pop()
        is_call = id(value) in calls
        if (id(value) in handled and not is_call) or len(path) > _DEEPEST:
            continue
        if isinstance(value, Mapping):
            if path and not is_call and (path[-1] in HOLDERS or is_call_like(value)):
                yield ".".join(path), value
            else:
                known = _NOT_SEARCHED | OF_CALL if is_call else _NOT_SEARCHED
                pending += [
                    ((*path, str(key)), item)
                    for key, item in reversed(list(value.items()))
                    if key not in known
                ]
        elif isinstance(value, list):
            pending += [((*path, str(place)), item) for place, item in reversed(list(enumerate(value)))]


class SplitCall(NamedTuple):
    """A call of a message."""

    call_id: str  # its identifier; empty if missing
    name: str  # the tool's name; empty if missing
    arguments: str | JsonMap  # as in the message: a text, or an object
    kind: Literal["function", "text"]  # `text` if the argument is a plain text, `function` otherwise
    at: int  # its place in the message's text


class SplitMessage(NamedTuple):
    """A provider's message, split into text and calls."""

    text: str
    calls: tuple[SplitCall, ...]  # its calls, in order
    # `arguments` if the calls' arguments are the model's own texts, `calls` if they are parsed
    capture: Capture


def split_message(message: object) -> SplitMessage:
    """Split a message as a provider's interface returns it; never raises on a JSON value."""
    splitting = _Splitting()
    gather(message, splitting)
    is_parsed = any(not isinstance(call.arguments, str) for call in splitting.calls)
    capture = Capture.CALLS if is_parsed else Capture.ARGUMENTS
    return SplitMessage(splitting.text, tuple(splitting.calls), capture)


class _Splitting(Gathering):
    """Keeps each call once, as it is in the message."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[SplitCall] = []

    def take(self, call: Spelled) -> None:
        before = len(self._placed)
        super().take(call)
        if len(self._placed) == before:
            return
        name = call.name if isinstance(call.name, str) else ""
        self.calls.append(SplitCall(call.call_id or "", name, *_arguments(call), self._length))


def _arguments(call: Spelled) -> tuple[str | JsonMap, Literal["function", "text"]]:
    given = call.arguments
    if isinstance(given, str):
        return given, "function"
    if isinstance(given, Mapping):
        is_text = given.keys() == {"input"} and isinstance(given["input"], str) and call.is_text
        return (given["input"], "text") if is_text else (given, "function")
    return ({} if given is None else {"arguments": given}), "function"
