"""Spans as lines that outlive their process."""

from dataclasses import fields
from datetime import datetime
from typing import Any

from actionledger.core.ids import derived_id
from actionledger.imports.formats import openinference, otel
from actionledger.imports.shapes.genai_spans import session_of
from actionledger.imports.shapes.spans import Span
from actionledger.imports.shapes.traces import identified
from actionledger.imports.sources.access import text_at
from actionledger.ledger.held import HeldLine

_FIELDS = [each.name for each in fields(Span)]
_TIMES = ("started", "finished")


def line_of(span: Span) -> HeldLine:
    """Return a span as a line, which is of every session that the span may become a part of."""
    held = {name: value for name in _FIELDS if (value := getattr(span, name)) not in ("", None)}
    for name in _TIMES:
        if name in held:
            held[name] = held[name].isoformat()
    said = (session_of(span), text_at(span.attributes, "session.id"))
    trace = span.trace_id or identified(otel.step_of(span)).trace_id
    return HeldLine(trace, sessions_named(*said, trace), {"span": held})


def span_in(held: dict[str, Any]) -> Span:
    """Return the span of a line."""
    times = {name: datetime.fromisoformat(held[name]) for name in _TIMES if name in held}
    events = [(str(name), dict(said)) for name, said in held.get("events", ())]
    return Span(**held | times | {"events": events})


def sessions_named(*names: str) -> tuple[str, ...]:
    """Return the identifiers of sessions of spans, whichever convention these follow."""
    return tuple(
        derived_id("session", source.SOURCE.name, name)
        for name in dict.fromkeys(names)
        if name
        for source in (otel, openinference)
    )
