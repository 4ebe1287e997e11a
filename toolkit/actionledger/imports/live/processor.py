"""A program's own spans, recorded where they are made: no collector, no exporter, no port."""

from typing import TYPE_CHECKING

from actionledger.core.errors import require
from actionledger.imports.live.clients import AnyLedger, AnyPath
from actionledger.imports.prices import Prices

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor


def span_processor(ledger: AnyLedger, *, prices: Prices | AnyPath | None = None) -> "SpanProcessor":
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
    require("A span processor", "live", "opentelemetry.sdk")
    from actionledger.imports.live.ended_spans import LedgerSpans  # noqa: PLC0415 - it needs what a bare install lacks

    return LedgerSpans(ledger, prices if prices is None or isinstance(prices, Prices) else Prices.of(prices))
