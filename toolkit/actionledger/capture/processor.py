"""A program's own spans, recorded where they are made: no collector, no exporter, no port."""

import base64
from collections.abc import Mapping
from typing import Any

from actionledger.capture.clients import AnyLedger, AnyPath, opened
from actionledger.capture.spans import Batch, SpanRecording
from actionledger.common.clock import now
from actionledger.common.extras import require
from actionledger.importing.prices import Prices
from actionledger.sources.shapes.spans import Span, in_utc

require("A span processor", "live", "opentelemetry.sdk")
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor  # noqa: E402 - optional; what is missing was named above
from opentelemetry.trace import SpanContext, StatusCode, format_span_id, format_trace_id  # noqa: E402 - the same

_SETTLED = 2.0
_PATIENCE = 5.0
_AROUND = 400
"""About how many bytes a span takes beside its texts."""


def span_processor(ledger: AnyLedger, *, prices: Prices | AnyPath | None = None) -> SpanProcessor:
    """Return what has a program's own spans recorded: add it to the tracer provider of ``opentelemetry-sdk``.

    Spans of the conventions for generative AI and of OpenInference become sessions as those of a file do; all others are counted. The
    recording is made in a thread of its own: a ledger that is slow, full or broken changes nothing of the program.

    Args:
        ledger: where to record: an open ledger, which writes what waits when it is closed, or its file, which is open until the program ends.
        prices: what responses cost of which only the tokens are known, or the file that says it.

    Raises:
        LedgerError: the ledger can't be opened.
        SourceError: the prices can't be read.
        MissingPackageError: ``opentelemetry-sdk`` is not installed.

    Example:
        >>> from opentelemetry.sdk.trace import TracerProvider
        >>> said = '[{"role": "assistant", "parts": [{"type": "text", "content": "All done."}]}]'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     provider = TracerProvider(shutdown_on_exit=False)
        ...     provider.add_span_processor(al.span_processor(ledger))
        ...     with provider.get_tracer("agent").start_as_current_span("chat m") as span:
        ...         span.set_attributes({"gen_ai.operation.name": "chat", "gen_ai.output.messages": said})
        >>> with al.open_ledger("team.duckdb", read_only=True) as ledger:
        ...     ledger.sql("SELECT text FROM turns").fetchall()
        [('All done.',)]
    """
    return _LedgerSpans(ledger, prices if prices is None or isinstance(prices, Prices) else Prices.of(prices))


class _LedgerSpans(SpanProcessor):
    """Hands spans that have ended to a recording."""

    def __init__(self, ledger: AnyLedger, prices: Prices | None) -> None:
        there = opened(ledger)
        self._recording = SpanRecording(
            there, f"spans {now():%Y-%m-%d %H:%M:%S.%f}", settled=_SETTLED, prices=prices
        )
        there.internals.before_close(self._recording.close)

    def on_end(self, span: ReadableSpan) -> None:
        """Have a span recorded; what is not sampled isn't."""
        try:
            context = span.context
            if context is not None and context.trace_flags.sampled:
                self._recording.put(Batch(lambda: [_span(span, context)], _size_of(span), 1))
        except Exception:  # noqa: BLE001 - nothing here is worth a program's failing
            self._recording.drop("not_readable")

    def shutdown(self) -> None:
        """Write what waits and is held, and take no more."""
        self._recording.close(_PATIENCE)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Write what has ended so far; return whether the ledger has it in time."""
        return self._recording.drain(timeout_millis / 1000)


def _size_of(span: ReadableSpan) -> int:
    """Return how much a span weighs: older conventions put the content into its events."""
    events = sum(_weight(event.attributes) for event in span.events)
    return _AROUND + _weight(span.attributes) + events


def _weight(value: Any) -> int:
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_weight, value.values()))
    return sum(map(_weight, value)) if isinstance(value, tuple | list) else 0


def _span(span: ReadableSpan, context: SpanContext) -> Span:
    """Return a span of the library as one of a file."""
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


def _plain(attributes: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: _value(value) for key, value in (attributes or {}).items()}


def _value(value: Any) -> Any:
    """Return a value as OTLP's JSON has it."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, Mapping):
        return _plain(value)
    return [_value(each) for each in value] if isinstance(value, tuple | list) else value
