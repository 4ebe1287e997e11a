"""Spans that Langfuse's own SDK makes, from version 3 on, where they are taken before its server has made observations of them.

Defined by ``langfuse/_client/attributes.py`` of github.com/langfuse/langfuse-python, as of 5.0. Input and output are whatever a program
handed over, as JSON text.
"""

from collections.abc import Mapping
from typing import Any

from actionledger.core.values.recordings import Usage
from actionledger.imports.shapes import sniffed
from actionledger.imports.shapes.langfuse_usage import counts_in
from actionledger.imports.shapes.observed import (
    answered_call,
    arguments_in,
    fill_request,
    has_failed,
    output_of,
)
from actionledger.imports.shapes.spans import Span
from actionledger.imports.shapes.steps import Kind, Step
from actionledger.imports.sources.access import number_at, object_at, text_at, time_at

_OF = "langfuse.observation."
_KINDS: dict[str, Kind] = {"generation": "model", "tool": "tool", "agent": "agent"}
_SESSION = ("session.id", "langfuse.session.id")


def is_langfuse(span: Span) -> bool:
    """Return whether a span says what it is in Langfuse's words and in none of the conventions'."""
    given = span.attributes
    return isinstance(given.get(f"{_OF}type"), str) and "gen_ai.operation.name" not in given


def step_of(span: Span) -> Step:
    """Return the step that a span is."""
    given = span.attributes
    step = Step(
        _KINDS.get(text_at(given, f"{_OF}type").lower(), "other"),
        span.span_id,
        span.parent_id,
        span.trace_id,
        session=next((text for key in _SESSION if (text := text_at(given, key))), ""),
        name=span.name,
        started=span.started,
        finished=span.finished,
    )
    asked, answer = given.get(f"{_OF}input"), given.get(f"{_OF}output")
    has_error = span.failed or text_at(given, f"{_OF}level") == "ERROR"
    if step.kind == "model":
        step.model = text_at(given, f"{_OF}model.name")
        fill_request(step, asked, answer, step.model)
        step.usage = _usage(given, span).filled(step.usage)
        step.is_error = True if has_error else None
    else:
        step.call_id = answered_call(answer) if step.kind == "tool" else ""
        step.arguments, step.output = arguments_in(asked), output_of(answer)
        step.is_error = True if has_error else has_failed(answer)
        if has_error and step.output is None:
            step.output = text_at(given, f"{_OF}status_message") or span.error
    return step


def _usage(given: Mapping[str, Any], span: Span) -> Usage:
    """Return what a request took: in its provider's words, or in Langfuse's own."""
    details = object_at({"details": sniffed.decoded(given.get(f"{_OF}usage_details"))}, "details")
    costs = object_at({"details": sniffed.decoded(given.get(f"{_OF}cost_details"))}, "details")
    said = {"first": sniffed.decoded(given.get(f"{_OF}completion_start_time"))}
    first = time_at(said, "first")
    waited = (first - span.started).total_seconds() * 1000 if first and span.started else None
    return Usage(
        cost_usd=number_at(costs, "total"),
        time_to_first_token_ms=waited if waited is None or waited >= 0 else None,
    ).filled(counts_in(details))
