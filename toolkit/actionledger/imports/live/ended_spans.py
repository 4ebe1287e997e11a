"""A span processor for OpenTelemetry's library that passes a program's own spans to a recording."""

import base64
from collections.abc import Mapping
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.trace import SpanContext, StatusCode, format_span_id, format_trace_id

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.ids import now
from actionledger.imports.live.clients import AnyLedger, opened
from actionledger.imports.live.spans import SpanBatch, SpanRecording
from actionledger.imports.prices import Prices
from actionledger.imports.shapes.spans import Span, in_utc

_SETTLED = 2.0
_PATIENCE = 5.0
_AROUND = 400
"""The approximate size of a span without its texts, in bytes."""


class LedgerSpans(SpanProcessor):
    """Passes ended spans to a recording."""

    def __init__(self, ledger: AnyLedger, prices: Prices | None) -> None:
        there = opened(ledger)
        self._recording = SpanRecording(
            there, f"spans {now():%Y-%m-%d %H:%M:%S.%f}", settled=_SETTLED, prices=prices
        )
        there.internals.before_close(self._recording.close)

    def on_end(self, span: ReadableSpan) -> None:
        """Record a span if it is sampled."""
        try:
            context = span.context
            if context is not None and context.trace_flags.sampled:
                self._recording.put(SpanBatch(lambda: [_span(span, context)], _size_of(span), 1))
        except Exception:  # noqa: BLE001 - no error here may stop the program
            self._recording.drop("not_readable")

    def shutdown(self) -> None:
        """Write what is queued and buffered, and stop."""
        self._recording.close(_PATIENCE)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Write the spans so far; return whether the ledger has them in time."""
        return self._recording.drain(timeout_millis / 1000)


def _size_of(span: ReadableSpan) -> int:
    """Return a span's approximate size in bytes: older conventions put the content into its events."""
    events = sum(_weight(event.attributes) for event in span.events)
    return _AROUND + _weight(span.attributes) + events


def _weight(value: Any) -> int:
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_weight, value.values()))
    return sum(map(_weight, value)) if isinstance(value, tuple | list) else 0


def _span(span: ReadableSpan, context: SpanContext) -> Span:
    """Return a span of the library as a span of a file."""
    code = span.status.status_code
    return Span(
        span_id=format_span_id(context.span_id),
        trace_id=format_trace_id(context.trace_id),
        parent_id=format_span_id(span.parent.span_id) if span.parent else "",
        name=span.name,
        started=in_utc(span.start_time),
        finished=in_utc(span.end_time),
        attributes=_plain(span.attributes),
        events=[(event.name, _plain(event.attributes)) for event in span.events],
        failed=None if code is StatusCode.UNSET else code is StatusCode.ERROR,
        error=span.status.description or "",
        scope=span.instrumentation_scope.name if span.instrumentation_scope else "",
    )


def _plain(attributes: JsonMap | None) -> JsonDict:
    return {key: _value(value) for key, value in (attributes or {}).items()}


def _value(value: Any) -> Any:
    """Return a value as OTLP's JSON has it."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, Mapping):
        return _plain(value)
    return [_value(each) for each in value] if isinstance(value, tuple | list) else value
