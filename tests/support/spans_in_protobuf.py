"""Spans that are values of OTLP's JSON, written by the protocol's own classes."""

from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


def as_protobuf(spans: list[dict[str, Any]]) -> bytes:
    """Return a request of the spans."""
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for each in spans:
        span = scope.spans.add(
            trace_id=bytes.fromhex(each["traceId"]),
            span_id=bytes.fromhex(each["spanId"]),
            parent_span_id=bytes.fromhex(each.get("parentSpanId", "")),
            name=each["name"],
            start_time_unix_nano=int(each["startTimeUnixNano"]),
            end_time_unix_nano=int(each["endTimeUnixNano"]),
        )
        for pair in each["attributes"]:
            [(kind, held)] = pair["value"].items()
            added = span.attributes.add(key=pair["key"])
            if kind == "intValue":
                added.value.int_value = int(held)
            else:
                added.value.string_value = held
    written: bytes = request.SerializeToString()
    return written
