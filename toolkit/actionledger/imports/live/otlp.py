"""A receiver of OTLP over HTTP: requests are read, answered by the protocol, and passed to a recording.

Defined by ``docs/specification.md`` of github.com/open-telemetry/opentelemetry-proto. It accepts traces, and from logs the events of generative AI,
which some instrumentations write next to their spans; metrics are answered and counted.
"""

import asyncio
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from pydantic_core import to_json

from actionledger.core.canonical import is_deeper
from actionledger.core.errors import require
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.live.otlp_requests import counted_in_json, counted_in_protobuf
from actionledger.imports.live.proxy import Receive, Scope, Send
from actionledger.imports.live.spans import Came, Passed, SpanBatch
from actionledger.imports.live.tap import is_of_foreign_page, names_this_machine
from actionledger.imports.live.traces import LEAST_BYTES
from actionledger.imports.shapes.spans import spans_of
from actionledger.imports.sources.json_values import value_of

require("An OTLP receiver", "live", "opentelemetry.proto", "google.rpc")
from google.rpc.status_pb2 import Status  # noqa: E402 - optional; the call above names a missing package

from actionledger.imports.live import otlp_requests  # noqa: E402 - needs the same

LARGEST_BODY = 32 * 2**20
"""The largest request as received, in bytes."""

LARGEST_UNPACKED = 64 * 2**20
"""The largest request unpacked, in bytes."""

MOST_SPANS = 50_000
"""The most spans or log records in a request; exporters send 512 at once, collectors 8,192."""

MOST_VALUES = 2_000_000
"""The most values in a request, by protobuf fields or by JSON's commas and brackets: a value of two bytes may take far more in memory."""

READERS = 2
"""How many requests are read at the same time; others wait."""

RETRY_SECONDS = 5
"""How long an exporter must wait when the queue is full, in seconds."""

PROTOBUF, JSON = "application/x-protobuf", "application/json"

_DEEPEST = 200
_PIECE = 256 * 1024
_INVALID_ARGUMENT, _UNAVAILABLE, _RESOURCE_EXHAUSTED = 3, 14, 8
_MOST_MEMBERS = 1000
_SIGNALS = frozenset({"traces", "logs", "metrics"})
_HELD = {
    "traces": ("resourceSpans", "scopeSpans", "spans"),
    "logs": ("resourceLogs", "scopeLogs", "logRecords"),
}


class _RefusedError(Exception):
    """A request that is refused."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class _OtlpRequest(NamedTuple):
    """The signal of a request, and how its body is encoded and compressed."""

    signal: str
    encoding: str
    is_packed: bool


class Receiver:
    """An ASGI application that receives OTLP requests; ``offer`` says whether there was room and must not block, ``only_here`` refuses other hosts' names (DNS rebinding)."""

    def __init__(self, offer: Callable[[Came, str], bool], *, only_here: bool = True) -> None:
        self._offer = offer
        self._only_here = only_here
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="actionledger-otlp")

    def close(self) -> None:
        """Read what was received, then stop."""
        self._readers.shutdown()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; ignore anything else."""
        if scope["type"] != "http":
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        encoding = JSON
        try:
            asked = self._request_of(scope, headers)
            encoding = asked.encoding
            body = await _body(receive, headers)
            if body is None:
                self._offer(Passed(LeftOutReason.UNREADABLE, "cut request"), "queue_full")
                return
            # In a thread, so that no other request waits for a large one.
            await asyncio.get_running_loop().run_in_executor(self._readers, self._take, asked, body)
        except _RefusedError as error:
            signal = str(scope["path"]).removeprefix("/v1/")
            detail = f"{error.status} {signal if signal in _SIGNALS else 'elsewhere'}"
            if error.status not in {404, 405, 503}:
                self._offer(Passed(LeftOutReason.UNREADABLE, detail), "queue_full")
            await _answer(send, error.status, encoding, _status(error, encoding))
        else:
            # An answer without partial success is empty in protobuf, and an empty object in JSON.
            await _answer(send, 200, encoding, b"{}" if encoding == JSON else b"")

    def _request_of(self, scope: Scope, headers: dict[bytes, str]) -> _OtlpRequest:
        if self._only_here and not names_this_machine(scope["headers"]):
            raise _RefusedError(
                403, _INVALID_ARGUMENT, "This receiver answers to names of this machine alone."
            )
        if is_of_foreign_page(scope["headers"]):
            raise _RefusedError(403, _INVALID_ARGUMENT, "A page of another origin may not send this.")
        signal = str(scope["path"]).removeprefix("/v1/")
        if signal not in _SIGNALS or not scope["path"].startswith("/v1/"):
            raise _RefusedError(
                404, _INVALID_ARGUMENT, "There are /v1/traces and /v1/logs; /v1/metrics is counted."
            )
        if scope["method"] != "POST":
            raise _RefusedError(405, _INVALID_ARGUMENT, "Requests are sent by POST.")
        encoding = headers.get(b"content-type", "").split(";")[0].strip().lower()
        if encoding not in {PROTOBUF, JSON}:
            raise _RefusedError(415, _INVALID_ARGUMENT, f"The content type is {PROTOBUF} or {JSON}.")
        packed = headers.get(b"content-encoding", "identity").strip().lower()
        if packed not in {"gzip", "identity", ""}:
            raise _RefusedError(415, _INVALID_ARGUMENT, "The content encoding is gzip, or none.")
        return _OtlpRequest(signal, encoding, packed == "gzip")

    def _take(self, asked: _OtlpRequest, came: bytes) -> None:
        """Read a request and pass it on."""
        body = _unpacked(came) if asked.is_packed else came
        if asked.signal == "metrics":
            self._offer(Passed(LeftOutReason.UNKNOWN_KIND, "metrics"), "queue_full")
            return
        try:
            _refuse_many(asked, body)
            batch = (
                _of_json(asked.signal, body) if asked.encoding == JSON else _of_protobuf(asked.signal, body)
            )
        except (ValueError, RecursionError) as error:
            raise _RefusedError(
                400, _INVALID_ARGUMENT, f"The body is not a request of {asked.signal}: {error}."
            ) from error
        if not batch.count and body.strip() not in {b"", b"{}"}:
            self._offer(Passed(LeftOutReason.UNKNOWN_KIND, f"{asked.signal} without any"), "queue_full")
        elif batch.count and not self._offer(batch, "sent_back"):
            raise _RefusedError(503, _UNAVAILABLE, "Too much waits to be written; send it again.")


def _refuse_many(asked: _OtlpRequest, body: bytes) -> None:
    """Refuse a request with too many values, before it is parsed."""
    if asked.encoding == PROTOBUF:
        spans, values = counted_in_protobuf(body, asked.signal, MOST_SPANS, MOST_VALUES)
    else:
        spans, values = 0, counted_in_json(body, MOST_VALUES)
    if spans > MOST_SPANS:
        raise _too_many(MOST_SPANS, "spans or records")
    if values > MOST_VALUES:
        raise _too_many(MOST_VALUES, "values")


def _of_protobuf(signal: str, body: bytes) -> SpanBatch:
    if signal == "traces":
        traces = otlp_requests.traces_of(body)
        count = sum(len(scope.spans) for batch in traces.resource_spans for scope in batch.scope_spans)
        return SpanBatch(lambda: spans_of(otlp_requests.value_of_traces(traces)), _size(body, count), count)
    logs = otlp_requests.logs_of(body)
    count = sum(len(scope.log_records) for batch in logs.resource_logs for scope in batch.scope_logs)
    return SpanBatch(lambda: spans_of(otlp_requests.value_of_logs(logs)), _size(body, count), count)


def _of_json(signal: str, body: bytes) -> SpanBatch:
    value = value_of(body)
    if is_deeper(value, _DEEPEST):
        raise ValueError(f"it is nested deeper than {_DEEPEST} levels")
    objects = [value]
    for key in ("", *_HELD[signal]):
        objects = [each for held in objects for each in (_listed(held, key) if key else [held])]
        if not all(isinstance(each, dict) for each in objects):
            raise ValueError(f"{key or 'it'} holds something that is not an object")
    # Other spellings, as of older exporters, are only checked when their spans are spooled.
    count = len(objects) or sum(1 for _ in spans_of(value))
    if count > MOST_SPANS:
        raise _too_many(MOST_SPANS, "spans or records")
    return SpanBatch(lambda: spans_of(value), _size(body, count), count)


def _size(body: bytes, count: int) -> int:
    """Return the approximate size of queued spans in bytes, however small they were when received."""
    return max(len(body), LEAST_BYTES * count)


def _listed(held: dict[str, Any], key: str) -> list[Any]:
    listed = held.get(key)
    if listed is None:
        return []
    if not isinstance(listed, list):
        raise ValueError(f"{key} is not a list")  # noqa: TRY004 - a value in a request, reported with the others
    return listed


async def _body(receive: Receive, headers: dict[bytes, str]) -> bytes | None:
    """Return a request's body; None if the peer is gone before its end."""
    too_large = _RefusedError(413, _RESOURCE_EXHAUSTED, f"A request has at most {LARGEST_BODY:,} bytes.")
    said = headers.get(b"content-length", "0")
    if said.isdecimal() and int(said) > LARGEST_BODY:
        raise too_large
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if len(body) > LARGEST_BODY:
            raise too_large
        more = message.get("more_body", False)
    return bytes(body)


def _unpacked(body: bytes) -> bytes:
    """Return the content of a gzipped body; several members are one text.

    In pieces: after each member zlib copies all the input that follows it.
    """
    found, member, members = bytearray(), zlib.decompressobj(wbits=31), 1
    try:
        for place in range(0, len(body), _PIECE):
            rest = body[place : place + _PIECE]
            while rest:
                if member.eof:
                    member, members = zlib.decompressobj(wbits=31), members + 1
                found += member.decompress(rest, _PIECE)
                rest = member.unused_data if member.eof else member.unconsumed_tail
                _refuse_exploding(found, members)
        while body and not member.eof:
            if not (piece := member.decompress(b"", _PIECE)):
                raise _RefusedError(400, _INVALID_ARGUMENT, "The gzipped body breaks off.")
            found += piece
            _refuse_exploding(found, members)
    except zlib.error as error:
        raise _RefusedError(400, _INVALID_ARGUMENT, f"The body is not gzipped: {error}.") from error
    return bytes(found)


def _refuse_exploding(found: bytearray, members: int) -> None:
    if len(found) > LARGEST_UNPACKED:
        most = f"{LARGEST_UNPACKED:,} bytes unpacked"
    elif members > _MOST_MEMBERS:
        most = f"{_MOST_MEMBERS:,} members of gzip"
    else:
        return
    raise _RefusedError(413, _RESOURCE_EXHAUSTED, f"A request has at most {most}.")


def _too_many(most: int, what: str) -> _RefusedError:
    return _RefusedError(
        413, _RESOURCE_EXHAUSTED, f"A request has at most {most:,} {what}; send fewer at a time."
    )


def _status(error: _RefusedError, encoding: str) -> bytes:
    if encoding == JSON:
        return to_json({"code": error.code, "message": str(error)})
    written: bytes = Status(code=error.code, message=str(error)).SerializeToString()
    return written


async def _answer(send: Send, status: int, encoding: str, body: bytes) -> None:
    headers = [(b"content-type", encoding.encode()), (b"content-length", b"%d" % len(body))]
    if status == 503:
        headers.append((b"retry-after", b"%d" % RETRY_SECONDS))
    if status == 405:
        headers.append((b"allow", b"POST"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
