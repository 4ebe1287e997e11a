"""MLflow's traces, as ``mlflow traces get``, ``Trace.to_json`` and the artifact ``traces.json`` write them.

Defined by https://mlflow.org/docs/latest/genai/concepts/trace and ``mlflow/entities/span.py``, versions 2.14 to 3. Values of attributes are JSON as
text, sometimes twice. A span of the type ``CHAT_MODEL`` or ``LLM`` is a request. This follows the documentation: no publishable export was available
for a test.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import Capture
from actionledger.imports.shapes import framework_messages
from actionledger.imports.shapes.conversation import WORDINGS
from actionledger.imports.shapes.observations import answered_call, fill_request, output_of
from actionledger.imports.shapes.spans import Span, spans_of
from actionledger.imports.shapes.steps import About, Kind, Step
from actionledger.imports.shapes.traces import Traces, read_traces
from actionledger.imports.sources.access import (
    count_at,
    non_empty,
    number_at,
    object_at,
    objects_at,
    score_of,
    scores_of,
    text_at,
)
from actionledger.imports.sources.base import Item, Sample, Source
from actionledger.imports.sources.containers import OnRead
from actionledger.imports.sources.json_values import objects_of

_KINDS: dict[str, Kind] = {"CHAT_MODEL": "model", "LLM": "model", "TOOL": "tool", "AGENT": "agent"}
_HEAD = regex(rb'"mlflow\.(?:spanType|traceRequestId|spanInputs)"')


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of an export, then the skip counts."""
    yield from read_traces(path, on_read, SOURCE.name, _take)


def _take(item: JsonMap, traces: Traces) -> Iterable[Item] | None:
    listed = list(_traces(item))
    return chain.from_iterable(_read_trace(trace, traces) for trace in listed) if listed else None


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample holds traces: attributes of their spans have MLflow's names."""
    if not _HEAD.search(sample.head):
        return 0.0
    objects = objects_of(sample)
    return float(all(next(_traces(each), None) is not None for each in objects)) if objects else 0.9


def _traces(item: JsonMap) -> Iterator[JsonMap]:
    """Yield one trace, or those of a list; an artifact has only spans."""
    if isinstance(object_at(item, "data").get("spans"), list) or isinstance(item.get("spans"), list):
        yield item
    for trace in objects_at(item, "traces"):
        yield from _traces(trace)


def _read_trace(trace: JsonMap, traces: Traces) -> Iterator[Item]:
    info = object_at(trace, "info") or object_at(trace, "trace_info")
    known = {**object_at(info, "request_metadata"), **object_at(info, "trace_metadata")}
    session = str(framework_messages.decoded(text_at(known, "mlflow.trace.session")) or "")
    data = object_at(trace, "data") or trace
    for span in spans_of({"spans": data.get("spans")}):
        traces.tell(span.trace_id, _about(info))
        step = _step(span)
        step.session = session
        yield from traces.add(step)


def _about(info: JsonMap) -> About:
    scores, labels = {}, []
    for assessment in objects_at(info, "assessments"):
        name = text_at(assessment, "assessment_name") or text_at(assessment, "name")
        value = object_at(assessment, "feedback").get(
            "value", object_at(assessment, "expectation").get("value")
        )
        if name and (number := score_of(value)) is not None:
            scores[name] = number
        elif isinstance(value, str) and name:
            labels.append(f"{name}={value}")
        elif name:
            scores |= scores_of([(name, value)])
    tags = object_at(info, "tags")
    known = {
        "name": text_at(tags, "mlflow.traceName"),
        "trace": text_at(info, "trace_id") or text_at(info, "request_id"),
        "state": text_at(info, "state") or text_at(info, "status"),
    }
    return About(metadata=non_empty(known), scores=scores, labels=tuple(labels))


def _step(span: Span) -> Step:
    decoded = ((key, framework_messages.decoded(value)) for key, value in span.attributes.items())
    given = {key: None if value == "null" else value for key, value in decoded}
    kind = text_at(given, "mlflow.spanType").upper()
    step = Step(
        _KINDS.get(kind, "other"),
        span.span_id,
        span.parent_id,
        span.trace_id or text_at(given, "mlflow.traceRequestId"),
        name=re.sub(r"_\d+\Z", "", span.name),
        started=span.started,
        finished=span.finished,
    )
    inputs, outputs = given.get("mlflow.spanInputs"), given.get("mlflow.spanOutputs")
    step.is_error = span.failed
    if step.kind == "model":
        step.model = text_at(given, "mlflow.llm.model") or text_at(given, "model")
        fill_request(
            step, inputs, outputs, text_at(given, "mlflow.message.format"), given.get("mlflow.chat.tools")
        )
        if not step.shown:
            step.shown = list(framework_messages.request_of(given.get("mlflow.chat.messages")).messages)
        step.usage = _usage(given).filled(step.usage)
    else:
        step.arguments, step.output = inputs, output_of(outputs)
        step.call_id = answered_call(outputs)
        if span.failed and step.output is None:
            raised = next((fields for name, fields in span.events if name == "exception"), {})
            step.output = text_at(raised, "exception.message") or span.error
    return step


def _usage(given: JsonMap) -> Usage:
    took = object_at(given, "mlflow.chat.tokenUsage")
    return Usage(
        input_tokens=count_at(took, "input_tokens"),
        output_tokens=count_at(took, "output_tokens"),
        cached_tokens=count_at(took, "cache_read_input_tokens"),
        cache_write_tokens=count_at(took, "cache_creation_input_tokens"),
        cost_usd=number_at(object_at(given, "mlflow.llm.cost"), "total_cost"),
    )


SOURCE = Source(
    "mlflow",
    "MLflow",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.json", "*.jsonl", "*.json.gz", "*.jsonl.gz"),
    wordings=WORDINGS,
    loses=(
        "Argument strings of providers that parse them; which call a tool's span answers, but for its name and arguments; "
        "rationales of assessments."
    ),
    fields=("info", "data"),
)
