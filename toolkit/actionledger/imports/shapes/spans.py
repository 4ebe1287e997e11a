"""OpenTelemetry spans in one form, from OTLP as JSON, the SDKs of Python and JavaScript, or agents' own exports.

Defined by ``opentelemetry-proto`` (``trace.proto``, ``logs.proto`` and their JSON encoding) and by the SDKs' ``to_json``. Identifiers are
128 and 64 bits: hexadecimal, base64, or numbers; here they are hexadecimal text. Times are nanoseconds as text or number, pairs of
seconds and nanoseconds, or ISO 8601.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.patterns import regex
from actionledger.imports.sources.access import object_at, objects_at, text_at, time_at
from actionledger.imports.sources.json_values import Elements

LISTS = (
    Elements(("resourceSpans", "scopeSpans", "spans")),
    Elements(("resource_spans", "scope_spans", "spans")),
    Elements(("batches", "scopeSpans", "spans")),
    Elements(("resourceLogs", "scopeLogs", "logRecords")),
    Elements(("data", "spans")),
    Elements(("data",)),
    Elements(("spans",)),
)
"""The lists of spans: a document that is cut off is kept up to there."""

_HEX = regex(r"(?:0x)?(?P<digits>[0-9a-fA-F]{16}|[0-9a-fA-F]{32})\Z")
_SINGLE = (
    "stringValue",
    "boolValue",
    "doubleValue",
    "bytesValue",
    "string_value",
    "bool_value",
    "double_value",
)
_SNAKE_SINGLE = frozenset(_SINGLE[4:])
_LONGEST = 400
_KIND = "openinference.span.kind"
_KINDS = frozenset(
    {"LLM", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "EMBEDDING", "RERANKER", "GUARDRAIL", "EVALUATOR", "PROMPT", "UNKNOWN"}
)  # fmt: skip
_COLUMN, _SPAN_ID = "attributes.", "context.span_id"
"""How Phoenix's tables of spans name their columns."""


@dataclass(slots=True)
class Span:
    """One span, or events of a span that are stored apart from it."""

    span_id: str = ""  # its identifier, as text; empty for none
    trace_id: str = ""  # its trace's identifier
    parent_id: str = ""  # its parent span's identifier
    name: str = ""
    started: datetime | None = None  # when it began, UTC without a zone
    finished: datetime | None = None  # when it ended
    attributes: JsonDict = field(default_factory=dict)  # its attributes by dotted name
    # its events, each a name with attributes and a body
    events: list[tuple[str, JsonDict]] = field(default_factory=list)
    failed: bool | None = None  # whether its status reports a failure; None if unknown
    error: str = ""
    scope: str = ""  # the name of the instrumentation that made it; empty if unknown


def is_spans(value: JsonMap) -> bool:
    """Return whether an object holds spans or is one."""
    held = ("resourceSpans", "resource_spans", "resourceLogs", "batches", "spans")
    is_batch = any(isinstance(value.get(key), list) for key in held)
    return is_batch or _is_span(value) or any("spans" in e or _is_span(e) for e in objects_at(value, "data"))


def spans_of(value: JsonMap) -> Iterator[Span]:
    """Yield the spans of an object in its order, from any known spelling."""
    for batch in _each(value, "resourceSpans", "resource_spans", "batches"):
        for scope in _each(batch, "scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
            yield from (_span(each, _scope_of(scope)) for each in objects_at(scope, "spans"))
    for batch in _each(value, "resourceLogs", "resource_logs"):
        for scope in _each(batch, "scopeLogs", "scope_logs"):
            yield from (_of_log(each, _scope_of(scope)) for each in _each(scope, "logRecords", "log_records"))
    for trace in (value, *objects_at(value, "data")):  # Jaeger's traces are in the ``data`` of its responses
        for each in objects_at(trace, "spans"):
            yield _span(each)
        if _is_span(trace):  # an answer of Phoenix has the spans themselves there
            yield _span(trace)


def nested(attributes: JsonMap, prefix: str) -> Any:
    """Return the value of a dotted name, or the tree of the names below it; None if there is none."""
    if attributes.get(prefix) is not None:
        return attributes[prefix]
    tree: JsonDict = {}
    for key, value in attributes.items():
        if not key.startswith(prefix + "."):
            continue
        *above, last = key[len(prefix) + 1 :].split(".")
        at = tree
        for part in above:
            inner = at.setdefault(part, {})
            if not isinstance(inner, dict):
                break
            at = inner
        else:
            at.setdefault(last, value)
    return _listed(tree) if tree else None


def _is_span(value: JsonMap) -> bool:
    named = any(isinstance(value.get(key), str) for key in ("name", "spanName", "operationName"))
    told = isinstance(value.get("attributes"), dict | list) or _SPAN_ID in value
    return named and (told or (_is_tagged(value) and any(value.get(key) for key in ("traceID", "traceId"))))


def _is_tagged(value: JsonMap) -> bool:
    """Return whether a span is Jaeger's or Zipkin's, which have tags instead of attributes."""
    return "attributes" not in value and isinstance(value.get("tags"), dict | list)


def _span(value: JsonMap, scope: str = "") -> Span:
    given = _of_row(value) if _SPAN_ID in value else value
    span = _of_tags(given) if _is_tagged(given) else _of_attributes(given)
    if (kind := text_at(value, "span_kind")) in _KINDS:
        span.attributes.setdefault(_KIND, kind)  # Phoenix takes it out of the attributes
    named = (text_at(span.attributes, key) for key in ("otel.scope.name", "otel.library.name"))
    span.scope = scope or _scope_of(value) or next(filter(None, named), "")
    return span


def _of_row(row: JsonMap) -> JsonDict:
    """Return a row of Phoenix's table of spans as a span: its columns are dotted names, and its counts may be fractions."""
    found: JsonDict = {key: held for key, held in row.items() if not key.startswith(_COLUMN)}
    found["context"] = {key: row.get(f"context.{key}") for key in ("span_id", "trace_id")}
    told: JsonDict = {}
    for key, held in row.items():
        if key.startswith(_COLUMN) and held is not None:
            told |= _numbered(key.removeprefix(_COLUMN), held)
    found["attributes"] = told
    return found


def _numbered(name: str, held: Any) -> JsonDict:
    """Return a value by dotted names, the objects of a list by their numbers."""
    if isinstance(held, list) and held and all(isinstance(each, Mapping) for each in held):
        pairs = (
            (f"{name}.{place}.{key}", inner) for place, each in enumerate(held) for key, inner in each.items()
        )
        return {key: value for at, inner in pairs for key, value in _numbered(at, inner).items()}
    return {name: int(held) if isinstance(held, float) and held.is_integer() else held}


def _scope_of(value: JsonMap) -> str:
    """Return the name of the instrumentation of spans, from next to their list or from a span."""
    keys = ("scope", "instrumentationScope", "instrumentation_scope", "instrumentationLibrary")
    return next((name for key in keys if (name := text_at(object_at(value, key), "name"))), "")


def _of_tags(value: JsonMap) -> Span:
    """Return a span of Jaeger (tags in a list, its parent among its references) or Zipkin (tags in an object); times are microseconds."""
    attributes = _tags(value.get("tags"))
    references = objects_at(value, "references")
    above = next((each for each in references if each.get("refType", "CHILD_OF") == "CHILD_OF"), {})
    begun, took = _count(value, "startTime", "timestamp"), _count(value, "duration") or 0
    code = str(attributes.get("otel.status_code", "")).upper()
    has_failed = bool(attributes.get("error")) and attributes.get("error") != "false"
    events = [
        (str(fields.pop("event", "")), fields)
        for each in objects_at(value, "logs")
        for fields in (_tags(each.get("fields")),)
    ]
    return Span(
        span_id=_id(value, keys=("spanID", "id")),
        trace_id=_id(value, keys=("traceID", "traceId")),
        parent_id=_id(above) or _id(value, keys=("parentId", "parentSpanID")),
        name=text_at(value, "operationName") or text_at(value, "name"),
        started=in_utc(begun, 10**6),
        finished=in_utc(None if begun is None else begun + took, 10**6),
        attributes=attributes,
        events=events,
        failed=True if code == "ERROR" or has_failed else False if code == "OK" else None,
        error=text_at(attributes, "otel.status_description")[:_LONGEST],
    )


def _tags(given: object) -> JsonDict:
    if isinstance(given, list):
        tags = (each for each in given if isinstance(each, Mapping) and isinstance(each.get("key"), str))
        return {each["key"]: each.get("value") for each in tags}
    return dict(given) if isinstance(given, Mapping) else {}


def _count(value: JsonMap, *keys: str) -> int | None:
    held = next((value[key] for key in keys if value.get(key)), None)
    return held if isinstance(held, int) and not isinstance(held, bool) and 0 < held < 10**17 else None


def _of_attributes(value: JsonMap) -> Span:
    context = object_at(value, "context") or object_at(value, "spanContext")
    above = object_at(value, "parent") or object_at(value, "parentSpanContext")
    status = object_at(value, "status") or {"status_code": value.get("status_code")}
    return Span(
        span_id=_id(context, value),
        trace_id=_id(context, value, keys=("trace_id", "traceId", "traceID")),
        parent_id=_id(above) or _id(value, keys=("parentSpanId", "parent_span_id", "parent_id")),
        name=text_at(value, "name") or text_at(value, "spanName") or text_at(value, "operationName"),
        started=_time(value, "startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime"),
        finished=_time(value, "endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime"),
        attributes=attributes_of(value.get("attributes")),
        events=[_event(each) for each in objects_at(value, "events")],
        failed=True if _is_overruled(value) else _failed(status),
        error=(text_at(status, "message") or text_at(status, "description"))[:_LONGEST],
    )


def _of_log(record: JsonMap, scope: str) -> Span:
    """Return a log record as a span with one event and nothing else."""
    attributes = attributes_of(record.get("attributes"))
    name = text_at(record, "eventName") or text_at(attributes, "event.name")
    body = attributes_of({"": record.get("body")}).get("") if "body" in record else None
    fields = attributes | (body if isinstance(body, dict) else {})
    return Span(
        span_id=_id(record),
        trace_id=_id(record, keys=("trace_id", "traceId")),
        finished=_time(record, "timeUnixNano", "observedTimeUnixNano"),
        events=[(name, fields)],
        scope=scope,
    )


def _event(value: JsonMap) -> tuple[str, JsonDict]:
    body = attributes_of({"": value.get("body")}).get("")
    fields = attributes_of(value.get("attributes"))
    return text_at(value, "name"), fields | (body if isinstance(body, dict) else {})


def attributes_of(given: object) -> JsonDict:
    """Return attributes by dotted name, from OTLP's list of keys and values or from a nested object."""
    if isinstance(given, list):
        pairs = ((each.get("key"), each.get("value")) for each in given if isinstance(each, Mapping))
        return {key: _value(value) for key, value in pairs if isinstance(key, str)}
    found: JsonDict = {}
    if isinstance(given, Mapping):
        for key, value in given.items():
            plain = _value(value)
            if isinstance(plain, dict) and isinstance(value, Mapping) and "." not in key and key:
                found |= {f"{key}.{inner}": held for inner, held in attributes_of(plain).items()}
            else:
                found[key] = plain
    return found


def _value(value: Any) -> Any:
    """Return the plain value of an OTLP value; any other unchanged."""
    if not isinstance(value, Mapping):
        return value
    if (
        None in value.values() and value.keys() >= _SNAKE_SINGLE
    ):  # Phoenix writes all kinds of values, all but one empty
        value = {key: held for key, held in value.items() if held is not None}
    for key in ("intValue", "int_value"):
        if len(value) == 1 and key in value:
            held = value[key]
            return int(held) if isinstance(held, str) and re.fullmatch(r"-?\d{1,19}", held) else held
    if len(value) == 1 and (single := next((key for key in _SINGLE if key in value), None)):
        return value[single]
    for key in ("arrayValue", "array_value"):
        if key in value:
            return [_value(each) for each in _listed_values(value[key])]
    if set(value) == {"values"} and isinstance(value["values"], list):
        return [_value(each) for each in value["values"]]
    for key in ("kvlistValue", "kvlist_value"):
        if key in value:
            pairs = (each for each in _listed_values(value[key]) if isinstance(each, Mapping))
            return {str(each.get("key")): _value(each.get("value")) for each in pairs}
    return dict(value)


def _listed_values(value: object) -> list[Any]:
    held = value.get("values") if isinstance(value, Mapping) else value
    return held if isinstance(held, list) else []


def _listed(tree: Any) -> Any:
    """Return a tree in which objects with numbers as keys are lists, in the order of the numbers."""
    if not isinstance(tree, dict):
        return tree
    if tree and all(key.isdecimal() and len(key) < 10 for key in tree):
        return [_listed(tree[key]) for key in sorted(tree, key=int)]
    return {key: _listed(value) for key, value in tree.items()}


def _id(*holders: JsonMap, keys: tuple[str, ...] = ("span_id", "spanId", "spanID")) -> str:
    held = next((holder[key] for holder in holders for key in keys if holder.get(key)), "")
    if isinstance(held, int) and not isinstance(held, bool) and held > 0:
        return f"{held:032x}" if "trace" in keys[0] else f"{held:016x}"
    if not isinstance(held, str):
        return ""
    if found := _HEX.match(held):
        # Zeros mean no identifier: some exporters write them for a missing parent.
        return found["digits"].lower() if found["digits"].strip("0") else ""
    try:
        data = base64.b64decode(held, validate=True)
    except (binascii.Error, ValueError):
        return held
    if len(data) not in {8, 16} or not held.endswith("="):
        return held
    return data.hex() if any(data) else ""


def _time(value: JsonMap, *keys: str) -> datetime | None:
    key = next((key for key in keys if value.get(key)), "")
    held = value.get(key)
    if isinstance(held, list) and len(held) == 2 and all(isinstance(part, int) for part in held):
        held = held[0] * 10**9 + held[1]
    if isinstance(held, str) and held.isdecimal() and len(held) < 20:
        held = int(held)
    if isinstance(held, str):
        return time_at(value, key)
    if isinstance(held, bool) or not isinstance(held, int | float) or not 0 < held < 1e20:
        return None
    # Seconds, milliseconds, microseconds or nanoseconds, by size.
    unit = 1 if held < 1e11 else 10**3 if held < 1e14 else 10**6 if held < 1e17 else 10**9
    return in_utc(held, unit)


def in_utc(since_epoch: float | None, unit: int = 10**9) -> datetime | None:
    """Return a time in UTC without a zone; None for None."""
    if since_epoch is None:
        return None
    try:
        # Both as floats, as in OpenTelemetry's library: otherwise one time in a few differs from its file by a microsecond.
        return datetime.fromtimestamp(float(since_epoch) / float(unit), UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return None


def _is_overruled(value: JsonMap) -> bool:
    """Return whether a span's exception counts, not its status: LangSmith sets OK as a run begins, and OpenTelemetry keeps that."""
    has_raised = any(each.get("name") == "exception" for each in objects_at(value, "events"))
    return has_raised and "langsmith.span.kind" in attributes_of(value.get("attributes"))


def _failed(status: JsonMap) -> bool | None:
    code = status.get("code", status.get("status_code"))
    said = str(code).upper().removeprefix("STATUS_CODE_")
    return True if said in {"2", "ERROR"} else False if said in {"1", "OK"} else None


def _each(value: JsonMap, *keys: str) -> Iterator[JsonMap]:
    for key in keys:
        yield from objects_at(value, key)
