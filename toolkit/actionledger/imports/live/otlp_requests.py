"""Count the contents of an OTLP request before it is parsed.

Empty spans, events and attributes take two bytes each in protobuf and three in JSON, and some hundred in memory.
"""

import base64
import re
from collections.abc import Iterable, Mapping
from typing import Any

from actionledger.core.canonical import JsonDict
from actionledger.core.errors import require
from actionledger.core.patterns import regex

require("Reading OTLP in protobuf", "live", "opentelemetry.proto")
from google.protobuf.message import DecodeError  # noqa: E402 - optional; the call above names a missing package
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest  # noqa: E402
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest  # noqa: E402

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_GROUP = frozenset({3, 4})
"""The start and end of a group: its content is fields like any other."""


_Fields = Mapping[int, Any]
"""The fields of a message that are messages, by number, with their own; as defined by ``opentelemetry-proto``."""

_VALUE: dict[int, Any] = {}
_PAIR: _Fields = {2: _VALUE}
_VALUE |= {5: {1: _VALUE}, 6: {1: _PAIR}}
_RESOURCE: _Fields = {1: _PAIR}
_SCOPE: _Fields = {3: _PAIR}
_LISTED: dict[str, _Fields] = {
    "traces": {9: _PAIR, 11: {3: _PAIR}, 13: {4: _PAIR}, 15: {}},
    "logs": {5: _VALUE, 6: _PAIR},
}
_REQUESTS: dict[str, _Fields] = {
    signal: {1: {1: _RESOURCE, 2: {1: _SCOPE, 2: held}}} for signal, held in _LISTED.items()
}

_TEXT = regex(rb'"[^"\\]*(?:\\.[^"\\]*)*\\?(?:"|\Z)', re.DOTALL)
"""A string, or an unclosed one up to the end of the text: otherwise each quote in it would be tried as another string's start."""

_BETWEEN = (b"{", b"[", b",")


def counted_in_protobuf(data: bytes, signal: str, most_spans: int, most_values: int) -> tuple[int, int]:
    """Return the number of spans or records in a request, and of all its fields, including nested ones."""
    listed = _LISTED[signal]
    spans = values = 0
    waiting: list[tuple[int, int, _Fields]] = [(0, len(data), _REQUESTS[signal])]
    try:
        while waiting:
            place, end, fields = waiting.pop()
            while place < end:
                values += 1
                key, place = _varint(data, place)
                kind = key & 7
                if kind == _LENGTH:
                    size, place = _varint(data, place)
                    held = fields.get(key >> 3)
                    if held is listed:
                        spans += 1
                    if held is not None and size:
                        waiting.append((place, min(place + size, end), held))
                    place += size
                elif kind == _VARINT:
                    _, place = _varint(data, place)
                elif kind in {_FIXED64, _FIXED32}:
                    place += 8 if kind == _FIXED64 else 4
                elif kind not in _GROUP:
                    break
                if spans > most_spans or values > most_values:
                    return spans, values
    except IndexError:
        pass
    return spans, values


def counted_in_json(data: bytes, most_values: int) -> int:
    """Return the most values and members that a JSON text may have; strings are only excluded if there seem to be too many."""
    count = _separators(data)
    return count if count <= most_values else _separators(_TEXT.sub(b"", data))


def _separators(data: bytes) -> int:
    return sum(map(data.count, _BETWEEN))


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Return a protobuf varint, and the place after it."""
    byte = data[place]
    if byte < 0x80:
        return byte, place + 1
    number, shift = byte & 0x7F, 7
    while True:
        place += 1
        byte = data[place]
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, place + 1
        shift += 7
        if shift > 63:
            raise IndexError


# Protobuf requests of OTLP as the JSON value, so that one reader reads both.


def traces_of(data: bytes) -> ExportTraceServiceRequest:
    """Parse a request of traces."""
    request = ExportTraceServiceRequest()
    _parse(request, data)
    return request


def logs_of(data: bytes) -> ExportLogsServiceRequest:
    """Parse a request of logs."""
    request = ExportLogsServiceRequest()
    _parse(request, data)
    return request


def value_of_traces(request: ExportTraceServiceRequest) -> JsonDict:
    """Return a request's spans as OTLP's JSON has them."""
    return {
        "resourceSpans": [
            {
                "scopeSpans": [
                    {"scope": {"name": scope.scope.name}, "spans": [_span(span) for span in scope.spans]}
                    for scope in batch.scope_spans
                ]
            }
            for batch in request.resource_spans
        ]
    }


def value_of_logs(request: ExportLogsServiceRequest) -> JsonDict:
    """Return a request's log records as OTLP's JSON has them."""
    return {
        "resourceLogs": [
            {
                "scopeLogs": [
                    {
                        "scope": {"name": scope.scope.name},
                        "logRecords": [_record(record) for record in scope.log_records],
                    }
                    for scope in batch.scope_logs
                ]
            }
            for batch in request.resource_logs
        ]
    }


def _parse(request: Any, data: bytes) -> None:
    try:
        request.ParseFromString(data)
    except DecodeError as error:
        raise ValueError(str(error)) from error


def _span(span: Any) -> JsonDict:
    return {
        "traceId": span.trace_id.hex(),
        "spanId": span.span_id.hex(),
        "parentSpanId": span.parent_span_id.hex(),
        "name": span.name,
        "startTimeUnixNano": span.start_time_unix_nano,
        "endTimeUnixNano": span.end_time_unix_nano,
        "attributes": _pairs(span.attributes),
        "events": [{"name": each.name, "attributes": _pairs(each.attributes)} for each in span.events],
        "status": {"code": span.status.code, "message": span.status.message},
    }


def _record(record: Any) -> JsonDict:
    return {
        "traceId": record.trace_id.hex(),
        "spanId": record.span_id.hex(),
        "eventName": record.event_name,
        "timeUnixNano": record.time_unix_nano,
        "observedTimeUnixNano": record.observed_time_unix_nano,
        "attributes": _pairs(record.attributes),
        "body": _value(record.body),
    }


def _pairs(listed: Iterable[Any]) -> list[JsonDict]:
    return [{"key": each.key, "value": _value(each.value)} for each in listed]


def _value(value: Any) -> JsonDict:
    kind = value.WhichOneof("value")
    if kind is None:
        return {"stringValue": None}
    held = getattr(value, kind)
    if kind == "array_value":
        held = {"values": [_value(each) for each in held.values]}
    elif kind == "kvlist_value":
        held = {"values": _pairs(held.values)}
    elif kind == "bytes_value":
        held = base64.b64encode(held).decode("ascii")
    return {kind: held}
