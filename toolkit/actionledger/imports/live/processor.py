"""Record a program's own spans where they are made: no collector, no exporter, no port."""

from typing import TYPE_CHECKING

from actionledger.core.errors import require
from actionledger.imports.live.clients import AnyLedger, AnyPath
from actionledger.imports.prices import Prices

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor


def span_processor(ledger: AnyLedger, *, prices: Prices | AnyPath | None = None) -> "SpanProcessor":
    """Return a span processor that records a program's own spans: add it to the tracer provider of ``opentelemetry-sdk``.

    Spans of the conventions for generative AI and of OpenInference become sessions, as from a file; others are counted. A separate thread records, so
    that a slow, full or broken ledger doesn't affect the program.

    Args:
        ledger: an open ledger, which writes what is queued when it is closed, or its path, open until the program ends.
        prices: prices for responses with tokens but without a cost, or the price file.

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
    require("A span processor", "live", "opentelemetry.sdk")
    from actionledger.imports.live.ended_spans import LedgerSpans  # noqa: PLC0415 - needs an optional package

    return LedgerSpans(ledger, prices if prices is None or isinstance(prices, Prices) else Prices.of(prices))
