"""What a client and a server of the Model Context Protocol say to each other, read: https://modelcontextprotocol.io/specification.

Messages are JSON-RPC, one a line. A call of a tool is a turn, since what the model wrote around it is not seen here; the tools are those that the
server has listed, and each call is checked against its tool's schema.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, auto
from typing import Any

from actionledger.common.canonical import json_text
from actionledger.common.clock import now
from actionledger.common.depth import is_deeper
from actionledger.common.ids import new_id
from actionledger.sources.access import object_at, objects_at, text_at
from actionledger.sources.base import (
    Item,
    LeftOut,
    RecordedCall,
    RecordedResult,
    RecordedSession,
    RecordedTurn,
)
from actionledger.vocabulary import Capture, ExecutionStatus, LeftOutReason, Reason

SOURCE = "mcp"
"""What records name the source of what a proxy of this protocol has seen."""

_MAX_DEPTH = 200
_INVALID_PARAMS = -32602
_WHOLE = frozenset({"initialize", "tools/list", "tools/call", "notifications/cancelled"})


class Side(Enum):
    """Who has written a line."""

    CLIENT = auto()
    SERVER = auto()


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it passed.

    Args:
        side: who wrote it.
        data: the line.
        at: when it passed, UTC without a zone.
        clock: the same in seconds of a clock that only goes on.
    """

    side: Side
    data: bytes
    at: datetime
    clock: float

    @property
    def size(self) -> int:
        """How many bytes it holds."""
        return len(self.data)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request of the client that has no response yet."""

    method: str
    call_id: str
    is_further: bool
    line: Line


class McpReader:
    """Makes turns of the lines of one connection, in their order.

    Args:
        origin: where they passed, as records say it.
        session: what the session is called; a name that no other one has by default.
        task: what it is about, such as the server's command.
    """

    def __init__(self, origin: str, *, session: str = "", task: str = "") -> None:
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
        self._asked: dict[str, _Asked] = {}
        self._tools: list[Mapping[str, Any]] = []
        self._held: list[RecordedTurn] = []
        self._calls = 0

    def read(self, line: Line) -> Iterator[Item]:
        """Yield what a line adds to the session, or that it adds nothing.

        Args:
            line: the line.
        """
        try:
            value = json.loads(line.data)
        except (ValueError, RecursionError):
            if line.data.strip():
                yield LeftOut(self._origin, LeftOutReason.UNREADABLE, f"line of the {line.side.name.lower()}")
            return
        for message in value if isinstance(value, list) else [value]:
            if isinstance(message, dict) and not is_deeper(message, _MAX_DEPTH):
                yield from self._message(message, line)
            else:
                yield LeftOut(self._origin, LeftOutReason.NOT_AN_OBJECT, line.side.name.lower())

    def _message(self, message: Mapping[str, Any], line: Line) -> Iterator[Item]:
        method = text_at(message, "method")
        if method and method not in _WHOLE:
            yield LeftOut(self._origin, LeftOutReason.BOOKKEEPING, method[:40])
        elif line.side is Side.CLIENT and method:
            yield from self._request(method, message, line)
        elif line.side is Side.SERVER and (asked := self._asked.pop(_key(message.get("id")), None)):
            yield from self._response(asked, message, line)

    def _request(self, method: str, message: Mapping[str, Any], line: Line) -> Iterator[Item]:
        given = object_at(message, "params")
        if method == "notifications/cancelled":
            asked = self._asked.pop(_key(given.get("requestId")), None)
            if asked is not None and asked.call_id:
                yield from self._release()
                told = text_at(given, "reason")
                stopped = RecordedResult(
                    asked.call_id, told, status=ExecutionStatus.INTERRUPTED, reason=Reason.STOPPED
                )
                yield self._result(stopped, asked, line)
            return
        call_id = ""
        if method == "tools/call":
            call_id = f"{self._session.external_id}/{self._calls}"
            self._held.append(self._turn(given, call_id, line))
            if self._tools or not any(each.method == "tools/list" for each in self._asked.values()):
                yield from self._release()
        elif method == "initialize":
            self._note({"client": given.get("clientInfo"), "protocol": given.get("protocolVersion")})
        if "id" in message:
            self._asked[_key(message["id"])] = _Asked(method, call_id, bool(given.get("cursor")), line)

    def _turn(self, given: Mapping[str, Any], call_id: str, line: Line) -> RecordedTurn:
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
        """Yield the calls that have waited for the list of tools, which a client may ask for in the same breath."""
        tools = json_text(self._tools) if self._tools else ""
        for turn in self._held:
            yield replace(self._session, turns=(replace(turn, tools=tools),))
        self._held.clear()

    def _response(self, asked: _Asked, message: Mapping[str, Any], line: Line) -> Iterator[Item]:
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
                _failed(asked.call_id, error) if isinstance(error, Mapping) else _done(asked.call_id, result)
            )
            yield self._result(told, asked, line)

    def _result(self, result: RecordedResult, asked: _Asked, line: Line) -> RecordedSession:
        timed = replace(
            result,
            started_at=asked.line.at,
            finished_at=line.at,
            duration_ms=(line.clock - asked.line.clock) * 1000,
        )
        return replace(self._session, results=(timed,))

    def _note(self, said: Mapping[str, Any]) -> None:
        told = {key: value for key, value in said.items() if value}
        self._session = replace(self._session, metadata={**self._session.metadata, **told})


def _key(identifier: object) -> str:
    """Return what a request is known by: 1 and "1" are two."""
    return repr(identifier)


def _offered(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a tool as the OpenAI interface takes it."""
    function = {"name": tool.get("name"), "description": tool.get("description", "")}
    return {"type": "function", "function": {**function, "parameters": tool.get("inputSchema")}}


def _done(call_id: str, result: Mapping[str, Any]) -> RecordedResult:
    texts = [text_at(part, "text") for part in objects_at(result, "content") if part.get("type") == "text"]
    is_all_text = len(texts) == len(list(objects_at(result, "content")))
    output = "\n".join(texts) if texts and is_all_text else result
    return RecordedResult(call_id, output, is_error=result.get("isError") is True)


def _failed(call_id: str, error: Mapping[str, Any]) -> RecordedResult:
    told = text_at(error, "message")
    reason = Reason.SCHEMA_ERROR if error.get("code") == _INVALID_PARAMS else None
    if reason and "unknown tool" in told.lower():
        reason = Reason.UNKNOWN_ACTION
    return RecordedResult(call_id, told, is_error=True, reason=reason)
