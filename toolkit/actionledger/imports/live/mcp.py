"""Read the messages between an MCP client and server: https://modelcontextprotocol.io/specification.

Messages are JSON-RPC, one per line. A tool call is a turn, since the model's text around it is not seen here. The tools are those that the server has
listed; each call is checked against its tool's schema.
"""

import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, auto
from hashlib import blake2b

from actionledger.core.canonical import JsonMap, is_deeper, json_text
from actionledger.core.ids import new_id, now
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn
from actionledger.core.text import utf8_with_halves
from actionledger.core.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason
from actionledger.imports.live.tap import LARGEST_BODY
from actionledger.imports.sources.access import non_empty, object_at, objects_at, text_at
from actionledger.imports.sources.base import Item, LeftOut

SOURCE = "mcp"
"""The source's name in records for the MCP proxy."""

_MAX_DEPTH = 200
_LONGEST_KEY = 100

_MOST_ASKED = 10_000
"""The most requests without a response."""

_MOST_HELD, _MOST_HELD_BYTES = 1_000, 16 * 2**20
"""The most calls that wait for the list of tools, and the most bytes of their lines."""

_INVALID_PARAMS = -32602
_WHOLE = frozenset({"initialize", "tools/list", "tools/call", "notifications/cancelled"})


class McpSide(Enum):
    """The sender of a line."""

    CLIENT = auto()
    SERVER = auto()


@dataclass(frozen=True, slots=True)
class McpLine:
    """A line of the connection."""

    side: McpSide  # its sender
    data: bytes
    at: datetime  # its time, UTC without a zone
    clock: float  # the same on a monotonic clock, in seconds

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return len(self.data)


@dataclass(frozen=True, slots=True)
class _PendingRequest:
    """A request of the client without a response."""

    method: str
    call_id: str
    is_further: bool
    at: datetime
    clock: float

    @property
    def is_list(self) -> bool:
        """Whether it asks for the list of tools."""
        return self.method == "tools/list"


class McpReader:
    """Makes turns of the lines of one connection, in order; ``first`` is its first call's index, if an earlier connection had the same name."""

    def __init__(self, origin: str, *, session: str = "", task: str = "", first: int = 0) -> None:
        self._origin = origin
        self._session = RecordedSession(
            session or f"mcp {now():%Y-%m-%d %H:%M:%S} {new_id()}",
            None,
            "",
            task,
            (),
            source=SOURCE,
            is_last=False,
        )
        # Several connections may get the same name, and each counts its own calls.
        self._calls_of = f"{session}/{new_id()}" if session else self._session.external_id
        self._asked: dict[str, deque[_PendingRequest]] = {}
        self._lists = 0  # how many of them ask for the list of tools
        self._tools: list[JsonMap] = []
        self._held: list[RecordedTurn] = []
        self._held_bytes = 0
        self._calls = first

    def read(self, line: McpLine) -> Iterator[Item]:
        """Yield what a line adds to the session, or a skip."""
        try:
            value = json.loads(line.data)
        except (ValueError, RecursionError):
            if line.data.strip():
                is_cut = line.size >= LARGEST_BODY
                reason = LeftOutReason.TOO_LARGE if is_cut else LeftOutReason.UNREADABLE
                yield self._left_out(reason, f"line of the {line.side.name.lower()}")
            return
        for message in value if isinstance(value, list) and value else [value]:
            if isinstance(message, dict) and not is_deeper(message, _MAX_DEPTH):
                yield from self._message(message, line)
            else:
                yield self._left_out(LeftOutReason.NOT_AN_OBJECT, line.side.name.lower())

    def rest(self, is_end: bool) -> Iterator[Item]:
        """Yield, at the end, the calls that wait for the list of tools: a server that is gone lists none."""
        if is_end:
            yield from self._release()

    def _message(self, message: JsonMap, line: McpLine) -> Iterator[Item]:
        method = text_at(message, "method")
        if line.side is McpSide.CLIENT and method in _WHOLE:
            yield from self._request(method, message, line)
        elif method:
            if line.side is McpSide.CLIENT and "id" in message:
                self._note_request(method, "", message, line)  # so that its response is recognized
            yield self._left_out(LeftOutReason.BOOKKEEPING, method[:40])
        elif line.side is McpSide.CLIENT:
            yield self._left_out(LeftOutReason.BOOKKEEPING, "response of the client")
        elif asked := self._pop_request(message.get("id")):
            result = object_at(message, "result")
            if asked.method == "tools/list":
                listed = [_offered(each) for each in objects_at(result, "tools")]
                self._tools = [*self._tools, *listed] if asked.is_further else listed
                yield from self._release()
            elif asked.method == "initialize":
                self._note({"server": result.get("serverInfo"), "protocol": result.get("protocolVersion")})
            elif asked.call_id:
                yield from self._release()
                error = message.get("error")
                told = (
                    _failed(asked.call_id, error)
                    if isinstance(error, Mapping)
                    else _done(asked.call_id, result)
                )
                yield self._result(told, asked, line)
        else:
            yield self._left_out(LeftOutReason.NO_CALL, "response")

    def _left_out(self, reason: LeftOutReason, detail: str) -> LeftOut:
        return LeftOut(self._origin, reason, detail)

    def _note_request(self, method: str, call_id: str, message: JsonMap, line: McpLine) -> None:
        is_further = bool(object_at(message, "params").get("cursor"))
        asked = _PendingRequest(method if method in _WHOLE else "", call_id, is_further, line.at, line.clock)
        waiting = self._asked.setdefault(_key(message["id"]), deque())
        # A response to a request beyond this limit is counted as one without a call.
        if len(waiting) < _MOST_ASKED:
            waiting.append(asked)
            self._lists += asked.is_list
        if len(self._asked) > _MOST_ASKED:
            self._lists -= sum(each.is_list for each in self._asked.pop(next(iter(self._asked))))

    def _pop_request(self, identifier: object) -> _PendingRequest | None:
        """Return the request of a response, the first of those that share an identifier; None if there is none."""
        key = _key(identifier)
        if not (waiting := self._asked.get(key)):
            return None
        asked = waiting.popleft()
        self._lists -= asked.is_list
        if not waiting:
            del self._asked[key]
        return asked

    def _request(self, method: str, message: JsonMap, line: McpLine) -> Iterator[Item]:
        given = object_at(message, "params")
        if method == "notifications/cancelled":
            yield from self._cancelled(given, line)
            return
        call_id = ""
        if method == "tools/call":
            call_id = f"{self._calls_of}/{self._calls}"
            self._held.append(self._turn(given, call_id, line))
            self._held_bytes += line.size
            is_full = len(self._held) >= _MOST_HELD or self._held_bytes >= _MOST_HELD_BYTES
            if is_full or self._tools or not self._is_listing():
                yield from self._release()
        elif method == "initialize":
            self._note({"client": given.get("clientInfo"), "protocol": given.get("protocolVersion")})
        if "id" in message:
            self._note_request(method, call_id, message, line)

    def _is_listing(self) -> bool:
        return self._lists > 0

    def _cancelled(self, given: JsonMap, line: McpLine) -> Iterator[Item]:
        asked = self._pop_request(given.get("requestId"))
        if asked is None or not asked.call_id:
            yield self._left_out(LeftOutReason.BOOKKEEPING, "notifications/cancelled")
            if not self._is_listing():
                yield from self._release()
            return
        yield from self._release()
        told = text_at(given, "reason")
        stopped = RecordedResult(
            asked.call_id, told, status=ExecutionStatus.INTERRUPTED, reason=Reason.STOPPED
        )
        yield self._result(stopped, asked, line)

    def _turn(self, given: JsonMap, call_id: str, line: McpLine) -> RecordedTurn:
        arguments = given.get("arguments")
        known = {} if arguments is None else arguments
        call = RecordedCall(
            call_id, text_at(given, "name"), known if isinstance(known, Mapping) else json_text(known)
        )
        turn = RecordedTurn(
            self._calls,
            "",
            occurred_at=line.at,
            external_id=call_id,
            capture=Capture.CALLS,
            calls=(call,),
        )
        self._calls += 1
        return turn

    def _release(self) -> Iterator[RecordedSession]:
        """Yield the calls that waited for the list of tools, which a client may request at the same moment."""
        tools = json_text(self._tools) if self._tools else ""
        for turn in self._held:
            yield replace(self._session, turns=(replace(turn, tools=tools),))
        self._held.clear()
        self._held_bytes = 0

    def _result(self, result: RecordedResult, asked: _PendingRequest, line: McpLine) -> RecordedSession:
        timed = replace(
            result,
            started_at=asked.at,
            finished_at=line.at,
            duration_ms=(line.clock - asked.clock) * 1000,
        )
        return replace(self._session, results=(timed,))

    def _note(self, said: JsonMap) -> None:
        told = non_empty(said)
        self._session = replace(self._session, metadata={**self._session.metadata, **told})


def _key(identifier: object) -> str:
    """Return the key of a request: 1 and "1" differ, and a long identifier is hashed, since any number of requests may be pending."""
    written = repr(identifier)
    if len(written) <= _LONGEST_KEY:
        return written
    return f"{len(written)} {blake2b(utf8_with_halves(written), digest_size=32).hexdigest()}"


def _offered(tool: JsonMap) -> JsonMap:
    """Return a tool as the OpenAI interface takes it."""
    function = {"name": tool.get("name"), "description": tool.get("description", "")}
    return {"type": "function", "function": {**function, "parameters": tool.get("inputSchema")}}


def _done(call_id: str, result: JsonMap) -> RecordedResult:
    texts = [text_at(part, "text") for part in objects_at(result, "content") if part.get("type") == "text"]
    is_all_text = len(texts) == len(list(objects_at(result, "content")))
    output = "\n".join(texts) if texts and is_all_text else result
    return RecordedResult(call_id, output, is_error=result.get("isError") is True)


def _failed(call_id: str, error: JsonMap) -> RecordedResult:
    told = text_at(error, "message")
    reason = Reason.SCHEMA_ERROR if error.get("code") == _INVALID_PARAMS else None
    if reason and "unknown tool" in told.lower():
        reason = Reason.UNKNOWN_ACTION
    return RecordedResult(call_id, told, is_error=True, reason=reason)
