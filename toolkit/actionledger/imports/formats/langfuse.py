"""Langfuse's exports: a trace with its observations, from the web page or the API, or one observation per line.

Defined by ``/api/public/traces/{id}`` and ``/api/public/observations`` (langfuse.com/docs/api) and the batch exports, versions 2 and 3. An
observation of the type ``GENERATION`` is a request; its input and output are in whatever form a framework used. A request is often recorded twice, by
the framework and by the client below it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import Capture
from actionledger.imports.shapes import framework_messages
from actionledger.imports.shapes.base import Message
from actionledger.imports.shapes.conversation import WORDINGS
from actionledger.imports.shapes.genai_spans import tools_of
from actionledger.imports.shapes.observations import (
    answered_call,
    arguments_in,
    fill_request,
    has_failed,
    output_of,
)
from actionledger.imports.shapes.spans import Span, attributes_of
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
    time_at,
)
from actionledger.imports.sources.base import Item, Sample, Source
from actionledger.imports.sources.containers import OnRead
from actionledger.imports.sources.json_values import Elements, objects_of
from actionledger.imports.sources.usage import usage_of, with_thoughts

# A request's usage in Langfuse: ``usageDetails``, in its own names or a provider's.
_CACHED = ("input_cached_tokens", "input_cache_read", "cache_read_input_tokens", "prompt_details.cache_read")
_WRITTEN = ("input_cache_creation", "cache_creation_input_tokens", "prompt_details.cache_write")
_THOUGHT = ("output_reasoning", "output_reasoning_tokens", "completion_details.reasoning")


def counts_in(given: JsonMap) -> Usage:
    """Read the counts of a request."""
    whole, output = count_at(given, "input"), count_at(given, "output")
    if whole is None and output is None:
        return usage_of(given)
    cached, written = _sum(given, _CACHED), _sum(given, _WRITTEN)
    beside = (cached or 0) + (written or 0)
    thought = _sum(given, _THOUGHT)
    output = with_thoughts(output, thought, count_at(given, "total"), whole, beside)
    if whole is not None and beside and count_at(given, "total") == whole + (output or 0) + beside:
        whole += beside
    return Usage(
        input_tokens=whole,
        output_tokens=output,
        cached_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=thought,
    )


def _sum(given: JsonMap, keys: tuple[str, ...]) -> int | None:
    known = [count for key in keys if (count := count_at(given, key)) is not None]
    return sum(known) if known else None


_KINDS: dict[str, Kind] = {"GENERATION": "model", "TOOL": "tool", "AGENT": "agent"}
_HEAD = regex(rb'"(?:parentObservationId|parent_observation_id|observations)"')


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of an export, then the skip counts."""
    yield from read_traces(path, on_read, SOURCE.name, _take, Elements(("observations",)))


def _take(item: JsonMap, traces: Traces) -> Iterable[Item] | None:
    if _is_observation(item):
        return traces.add(_step(item))
    if not isinstance(item.get("observations"), list):
        return None
    trace = object_at(item, "trace") or item
    traces.tell(text_at(trace, "id"), _about(trace))
    return chain.from_iterable(traces.add(_step(each, trace)) for each in objects_at(item, "observations"))


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is an export: it holds observations with their parents."""
    if not _HEAD.search(sample.head):
        return 0.0
    objects = objects_of(sample)
    if objects:
        return float(all(_is_observation(each) or _is_trace(each) for each in objects))
    return 0.9 if b'"traceId"' in sample.head or b'"projectId"' in sample.head else 0.0


def _is_trace(value: JsonMap) -> bool:
    trace = object_at(value, "trace") or value
    return isinstance(value.get("observations"), list) and bool(text_at(trace, "id"))


def _is_observation(value: JsonMap) -> bool:
    return (
        bool(_text(value, "traceId", "trace_id"))
        and "type" in value
        and "parentObservationId" in _camel(value)
    )


def _camel(value: JsonMap) -> set[str]:
    return {re.sub(r"_(\w)", lambda found: found[1].upper(), key) for key in value}


def _about(trace: JsonMap) -> About:
    scores, labels = {}, [tag for tag in _list(trace, "tags") if isinstance(tag, str)]
    for score in objects_at(trace, "scores"):
        value, name = score.get("value"), text_at(score, "name")
        if name and not isinstance(value, bool) and (number := score_of(value)) is not None:
            scores[name] = number
        elif name and (said := text_at(score, "stringValue") or text_at(score, "value")):
            labels.append(f"{name}={said}")
        elif name:
            scores |= scores_of([(name, value)])
    known = {key: text_at(trace, key) for key in ("name", "environment", "release", "version")}
    known["trace"] = text_at(trace, "id")
    return About(metadata=non_empty(known), scores=scores, labels=tuple(labels))


def _step(observation: JsonMap, trace: JsonMap | None = None) -> Step:
    about = framework_messages.decoded(observation.get("metadata"))
    attributes = attributes_of(about.get("attributes")) if isinstance(about, Mapping) else {}
    kind = _KINDS.get(text_at(observation, "type").upper(), "other")
    step = Step(
        kind,
        text_at(observation, "id"),
        _text(observation, "parentObservationId", "parent_observation_id"),
        _text(observation, "traceId", "trace_id") or text_at(trace or {}, "id"),
        session=text_at(trace or {}, "sessionId") or text_at(attributes, "session.id"),
        name=text_at(observation, "name"),
        started=time_at(observation, "startTime") or time_at(observation, "start_time"),
        finished=time_at(observation, "endTime") or time_at(observation, "end_time"),
    )
    failed = text_at(observation, "level") == "ERROR"
    step.is_error = True if failed else None
    if kind == "model":
        provider = text_at(attributes, "gen_ai.system") or text_at(observation, "model")
        fill_request(
            step, observation.get("input"), observation.get("output"), provider, tools_of(attributes)
        )
        if not any(message.calls for message in step.said):
            # Add the calls that Langfuse found itself, if the output doesn't have them.
            for each in _list(observation, "toolCalls"):
                call = framework_messages.decoded(each)
                if isinstance(call, Mapping):
                    step.said = step.said or [Message("model")]
                    step.said[-1].call(call.get("id"), call.get("name"), call.get("arguments"))
        step.model = text_at(observation, "model") or step.model
        given = object_at(observation, "usageDetails") or object_at(observation, "usage")
        begun, first = time_at(observation, "startTime"), time_at(observation, "completionStartTime")
        cost = number_at(object_at(observation, "costDetails"), "total")
        beside = Usage(
            input_tokens=count_at(observation, "promptTokens"),
            output_tokens=count_at(observation, "completionTokens"),
            cost_usd=number_at(observation, "calculatedTotalCost") if cost is None else cost,
            time_to_first_token_ms=(first - begun).total_seconds() * 1000
            if first and begun and first >= begun
            else None,
        )
        step.usage = counts_in(given).filled(beside)
    else:
        step.call_id = text_at(attributes, "gen_ai.tool.call.id") or text_at(attributes, "ai.toolCall.id")
        step.arguments, step.output = observation.get("input"), output_of(observation.get("output"))
        step.is_error = has_failed(observation.get("output")) if step.is_error is None else step.is_error
        if failed and step.output is None:
            step.output = _text(observation, "statusMessage", "status_message")
        step.call_id = step.call_id or answered_call(observation.get("output"))
    return step


def _text(value: JsonMap, *keys: str) -> str:
    return next((text for key in keys if (text := text_at(value, key))), "")


def _list(value: JsonMap, key: str) -> list[Any]:
    held = framework_messages.decoded(value.get(key))
    return held if isinstance(held, list) else []


SOURCE = Source(
    "langfuse",
    "Langfuse",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.json", "*.jsonl", "*.json.gz", "*.jsonl.gz"),
    wordings=WORDINGS,
    loses=(
        "Whatever a framework didn't hand over: often the tools that were offered, and the identifiers of calls; of a request "
        "that is told twice, what the outer one says beside; comments of scores; prompts' names and versions."
    ),
    fields=("trace", "observations"),
)


# Spans of Langfuse's own SDK, from version 3 on, before its server made observations of them.
_OF = "langfuse.observation."
_SDK_KINDS: dict[str, Kind] = {"generation": "model", "tool": "tool", "agent": "agent"}
_SESSION = ("session.id", "langfuse.session.id")


def is_langfuse(span: Span) -> bool:
    """Return whether a span uses Langfuse's names for its kind and none of the conventions'."""
    given = span.attributes
    return isinstance(given.get(f"{_OF}type"), str) and "gen_ai.operation.name" not in given


def step_of(span: Span) -> Step:
    """Return a span as a step."""
    given = span.attributes
    step = Step(
        _SDK_KINDS.get(text_at(given, f"{_OF}type").lower(), "other"),
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
        step.usage = _sdk_usage(given, span).filled(step.usage)
        step.is_error = True if has_error else None
    else:
        step.call_id = answered_call(answer) if step.kind == "tool" else ""
        step.arguments, step.output = arguments_in(asked), output_of(answer)
        step.is_error = True if has_error else has_failed(answer)
        if has_error and step.output is None:
            step.output = text_at(given, f"{_OF}status_message") or span.error
    return step


def _sdk_usage(given: JsonMap, span: Span) -> Usage:
    """Return a request's usage, in its provider's names or Langfuse's own."""
    details = object_at({"details": framework_messages.decoded(given.get(f"{_OF}usage_details"))}, "details")
    costs = object_at({"details": framework_messages.decoded(given.get(f"{_OF}cost_details"))}, "details")
    said = {"first": framework_messages.decoded(given.get(f"{_OF}completion_start_time"))}
    first = time_at(said, "first")
    waited = (first - span.started).total_seconds() * 1000 if first and span.started else None
    return Usage(
        cost_usd=number_at(costs, "total"),
        time_to_first_token_ms=waited if waited is None or waited >= 0 else None,
    ).filled(counts_in(details))
