"""Parse a streamed response: server-sent events from bytes cut anywhere, and the response from its pieces."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.text import ends_in_half, joined_halves
from actionledger.runtime.models.base import Chunk, Completion, Usage
from actionledger.runtime.models.errors import MalformedError
from actionledger.runtime.models.wire import (
    finish_reason_of,
    first_choice,
    model_of,
    reasoning_of,
    text_of,
    usage_of,
)

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
