"""Spans of OpenTelemetry that follow the conventions for generative AI, as files of JSON.

Defined by github.com/open-telemetry/semantic-conventions, ``docs/gen-ai`` (to 1.41), and before it by OpenLLMetry. Read are OTLP's JSON
(a collector's file, a line a batch), exports of the SDKs of Python and JavaScript, any-agent's traces, and spans of Vercel's SDK and Langfuse's.
A trace is a session, or several are, where spans name a conversation. Each span shows the whole history again: what is new is
the answer. Whether the content is recorded is for whoever runs it to switch on: mostly it isn't.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.shapes import genai_spans, langfuse_spans, openinference
from actionledger.imports.shapes.base import left_out
from actionledger.imports.shapes.plain_errors import WORDINGS
from actionledger.imports.shapes.spans import LISTS, Span, is_spans, spans_of
from actionledger.imports.shapes.steps import Step
from actionledger.imports.shapes.traces import Traces
from actionledger.imports.sources.base import Item, LeftOut, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.values import json_objects, objects_of

_CONVENTION = re.compile(rb'"(?:gen_ai|traceloop|ai|codex\.turn|langfuse\.observation)\.[\w.]+"')
_OTHER = re.compile(rb'"openinference\.span\.kind"')


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of a file of spans, then what was passed over."""
    yield from read_spans(path, on_read, SOURCE.name)


def read_spans(path: Path, on_read: OnRead | None, name: str) -> Iterator[Item]:
    """Yield the sessions of a file of spans, each span read by the convention that it follows."""
    traces = Traces(name)
    for item in json_objects(path, on_read, *LISTS):
        if isinstance(item, Refusal):
            yield item
        elif not is_spans(item):
            yield LeftOut(shown(path), LeftOutReason.UNKNOWN_KIND, "object")
        else:
            for span in spans_of(item):
                if has_only_tokens(span):
                    traces.passed[LeftOutReason.NOT_RECORDED, "codex turn"] += 1
                else:
                    yield from traces.add(step_of(span))
    yield from traces.rest()
    yield from left_out(shown(path), traces.passed)


def step_of(span: Span) -> Step:
    """Return the step that a span is, by the convention that it follows."""
    if openinference.is_openinference(span):
        return openinference.step_of(span)
    return langfuse_spans.step_of(span) if langfuse_spans.is_langfuse(span) else genai_spans.step_of(span)


def has_only_tokens(span: Span) -> bool:
    """Return whether a span is one of Codex's for all that came of a prompt: responses, of which nothing else is told."""
    return any(key.startswith("codex.turn.token_usage") for key in span.attributes)


def recognise(sample: Sample) -> float:
    """Return how sure it is that a sample is of spans with names of these conventions."""
    if _OTHER.search(sample.head) or not _CONVENTION.search(sample.head):
        return 0.0
    objects = objects_of(sample)
    if objects:
        return float(all(is_spans(each) for each in objects))
    return 0.9 if re.search(rb'"(?:resourceSpans|spanId|span_id)"', sample.head) else 0.0


SOURCE = Source(
    "otel",
    "OpenTelemetry (GenAI)",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.json", "*.jsonl", "*.json.gz", "*.jsonl.gz"),
    wordings=WORDINGS,
    loses=(
        "What a model wrote, where content isn't captured: its tokens and times are kept; answers of the history that have no "
        "span of their own; argument strings of providers that parse them."
    ),
    fields=("resourceSpans",),
    other_fields=(
        ("spans",),
        ("name", "traceId", "spanId", "attributes"),
        ("spanName", "attributes"),
        ("name", "spanContext", "attributes"),
    ),
)
