"""Requests of OTLP in protobuf as the value that they are in JSON, so that both are read in one place.

Defined by ``opentelemetry-proto`` (``trace.proto``, ``logs.proto``, ``common.proto``); identifiers are hexadecimal as OTLP's JSON has them.
"""

import base64
from collections.abc import Iterable
from typing import Any

from actionledger.core.extras import require

require("Reading OTLP in protobuf", "live", "opentelemetry.proto")
from google.protobuf.message import DecodeError  # noqa: E402 - optional; what is missing was named above
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest  # noqa: E402
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest  # noqa: E402


def traces_of(data: bytes) -> ExportTraceServiceRequest:
    """Return a request of traces."""
    request = ExportTraceServiceRequest()
    _parse(request, data)
    return request


def logs_of(data: bytes) -> ExportLogsServiceRequest:
    """Return a request of logs."""
    request = ExportLogsServiceRequest()
    _parse(request, data)
    return request


def value_of_traces(request: ExportTraceServiceRequest) -> dict[str, Any]:
    """Return a request as OTLP's JSON has it, as far as its spans go."""
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


def value_of_logs(request: ExportLogsServiceRequest) -> dict[str, Any]:
    """Return a request as OTLP's JSON has it, as far as its records go."""
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


def _span(span: Any) -> dict[str, Any]:
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


def _record(record: Any) -> dict[str, Any]:
    return {
        "traceId": record.trace_id.hex(),
        "spanId": record.span_id.hex(),
        "eventName": record.event_name,
        "timeUnixNano": record.time_unix_nano,
        "observedTimeUnixNano": record.observed_time_unix_nano,
        "attributes": _pairs(record.attributes),
        "body": _value(record.body),
    }


def _pairs(listed: Iterable[Any]) -> list[dict[str, Any]]:
    return [{"key": each.key, "value": _value(each.value)} for each in listed]


def _value(value: Any) -> dict[str, Any]:
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
