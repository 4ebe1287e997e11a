"""Parse a streamed response: server-sent events from bytes cut anywhere, and the response from its pieces; and OpenAI's chat API as JSON, requests and responses."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from actionledger.core.canonical import JsonDict, JsonMap, is_deeper
from actionledger.core.errors import UsageError
from actionledger.core.text import ends_in_half, joined_halves, writable
from actionledger.runtime.models.base import Chunk, Completion, Message, Stop, Tools, Usage
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


_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class ServerEvent(NamedTuple):
    """One event."""

    name: str  # its name; empty if it has none
    data: str  # its data, with line breaks between the lines


def events(pieces: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Yield the events of a stream, without comments."""
    name, data = "", list[str]()
    for line in _lines(pieces):
        field, _, value = _decoded(line).partition(":")
        value = value.removeprefix(" ")
        match field:
            case "data":
                data.append(value)
            case "event":
                name = value
            case "" if not line:
                if data:
                    yield ServerEvent(name, "\n".join(data))
                name, data = "", []
            case "" | "id" | "retry":
                pass
            case _:
                raise MalformedError("a line that is not a server-sent event", _decoded(line))
    if data:
        yield ServerEvent(name, "\n".join(data))


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines without their ends, including an unfinished last one."""
    is_first = True
    begun: list[bytes] = []
    for piece in pieces:
        *finished, rest = piece.split(b"\n")
        for end in finished:
            line = b"".join((*begun, end)).removesuffix(b"\r")
            yield line.removeprefix(_BYTE_ORDER_MARK) if is_first else line
            is_first = False
            begun.clear()
        begun.append(rest)
    if last := b"".join(begun):
        yield last.removeprefix(_BYTE_ORDER_MARK) if is_first else last


def _decoded(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise MalformedError("a line that is not UTF-8", line.decode(errors="replace")) from error


@dataclass(slots=True)
class _Call:
    """One tool call, while its pieces arrive."""

    call_id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def is_over(self, piece: JsonMap, name: object) -> bool:
        """Whether a piece with the same index begins another call: some servers send no index, or always the first."""
        if not name or not self.name:
            return False
        call_id = piece.get("id")
        if "index" not in piece or (call_id and self.call_id and call_id != self.call_id):
            return True
        is_same = bool(call_id) and call_id == self.call_id
        return not is_same and any(self.arguments) and (name != self.name or self._is_whole_before(piece))

    def _is_whole_before(self, piece: JsonMap) -> bool:
        """Whether the arguments were complete before a piece with further ones; otherwise the server only repeats the name."""
        function = piece.get("function") or {}
        if not function.get("arguments") or not self.arguments[-1].rstrip().endswith("}"):
            return False
        try:
            return isinstance(json.loads("".join(self.arguments)), dict)
        except (ValueError, RecursionError):
            return False

    def as_json(self) -> JsonDict:
        function = {"name": self.name, "arguments": "".join(self.arguments)}
        return {"id": self.call_id, "type": "function", "function": function}


class Assembly:
    """Assembles the pieces of one response; it can return the response so far at any time.

    Args:
        model: the requested model, for servers that name none.

    Attributes:
        has_choice: whether any part of a response arrived.
        finish_reason: why it ended; None if it has not.
        half: the first half of a surrogate pair whose second half is missing; only the completion includes it.
    """

    def __init__(self, model: str) -> None:
        self.has_choice = False
        self.finish_reason: str | None = None
        self._model = model
        self._usage: Usage | None = None
        self.half = ""
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._refusal: list[str] = []
        self._calls: list[_Call] = []
        self._calls_at: dict[int, _Call] = {}
        self._last_place = 0

    def add(self, data: JsonMap) -> Chunk:
        """Add a piece as the server sent it and return its new content, which is often empty."""
        self._model = model_of(data) or self._model
        self._usage = usage_of(data) or self._usage
        choice = first_choice(data)
        if choice is None:
            return Chunk()
        self.has_choice = True
        delta = choice.get("delta") or {}
        if not isinstance(delta, dict):
            raise MalformedError("a piece that is not an object", repr(delta))
        if isinstance(legacy := delta.get("function_call"), dict):
            self._add_call({"index": 0, "function": legacy})
        calls = delta.get("tool_calls") or []
        if not isinstance(calls, list):
            raise MalformedError("calls that are no list", repr(calls))
        for call in calls:
            if not isinstance(call, dict):
                raise MalformedError("a call that is not an object", repr(call))
            self._add_call(call)
        self._refusal.append(text_of(delta.get("refusal")))
        chunk = Chunk(self._whole_characters(text_of(delta.get("content"))), reasoning_of(delta))
        self._text.append(chunk.text)
        self._reasoning.append(chunk.reasoning)
        self.finish_reason = finish_reason_of(choice) or self.finish_reason
        return chunk

    def completion(self, elapsed_ms: float) -> Completion:
        """Return the response so far."""
        text = "".join(self._text) + self.half
        reasoning, refusal = "".join(self._reasoning), "".join(self._refusal)
        message: JsonDict = {"role": "assistant", "content": text}
        if reasoning:
            message["reasoning_content"] = reasoning
        if refusal:
            message["refusal"] = refusal
        if self._calls:
            message["tool_calls"] = [call.as_json() for call in self._calls]
        return Completion(text, self.finish_reason, self._usage, self._model, elapsed_ms, message, reasoning)

    def _whole_characters(self, piece: str) -> str:
        """Join surrogate pairs that a server cut in half; a first half at the end waits for the second."""
        piece = self.half + piece
        self.half = piece[-1:] if ends_in_half(piece) else ""
        return joined_halves(piece[: len(piece) - len(self.half)])

    def _add_call(self, piece: JsonMap) -> None:
        function = piece.get("function") or {}
        if not isinstance(function, dict):
            raise MalformedError("a call whose function is not an object", repr(piece))
        name, arguments = function.get("name"), function.get("arguments")
        call = self._call_of(piece, name)
        call.call_id = call.call_id or text_of(piece.get("id"))
        call.name = call.name or text_of(name)
        call.arguments.append(json.dumps(arguments) if isinstance(arguments, dict) else text_of(arguments))

    def _call_of(self, piece: JsonMap, name: object) -> _Call:
        """Return the call that a piece belongs to; without an index, the last call, if there is one."""
        index = piece.get("index")
        place = index if isinstance(index, int) else self._last_place
        call = self._calls_at.get(place)
        if call is None or call.is_over(piece, name):
            call = self._calls_at[place] = _Call()
            self._calls.append(call)
        self._last_place = place
        return call
