"""LangSmith's runs from its API, its SDK and its bulk export: one per line, in a list, or under ``runs``.

Defined by https://docs.langchain.com/langsmith/run-data-format. A run of the type ``llm`` is a request, one of the type ``tool`` a call's result.
This follows the documentation: no publishable export was available for a test.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import Capture
from actionledger.imports.shapes import framework_messages
from actionledger.imports.shapes.base import since_epoch
from actionledger.imports.shapes.conversation import WORDINGS
from actionledger.imports.shapes.observations import answered_call, fill_request, output_of
from actionledger.imports.shapes.steps import About, Kind, Step
from actionledger.imports.shapes.traces import Traces, read_traces
from actionledger.imports.sources.access import (
    count_at,
    non_empty,
    number_at,
    object_at,
    objects_at,
    scores_of,
    text_at,
    time_at,
)
from actionledger.imports.sources.base import Item, Sample, Source
from actionledger.imports.sources.containers import OnRead
from actionledger.imports.sources.json_values import objects_of
from actionledger.imports.sources.usage import with_thoughts

_KINDS: dict[str, Kind] = {"llm": "model", "tool": "tool"}
_HEAD = regex(rb'"run_type"\s*:')


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of an export, then the skip counts."""
    yield from read_traces(path, on_read, SOURCE.name, _take)


def _take(item: JsonMap, traces: Traces) -> Iterable[Item] | None:
    runs = list(_runs(item))
    return chain.from_iterable(_add(run, traces) for run in runs) if runs else None


def _add(run: JsonMap, traces: Traces) -> Iterable[Item]:
    if not _above(run):
        traces.tell(_trace(run), _about(run))
    return traces.add(_step(run))


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample holds runs: each has a type, a trace and inputs."""
    if not _HEAD.search(sample.head):
        return 0.0
    objects = objects_of(sample)
    if objects:
        return float(all(next(_runs(each), None) is not None for each in objects))
    return 0.9 if b'"dotted_order"' in sample.head or b'"trace_id"' in sample.head else 0.0


def _runs(item: JsonMap) -> Iterator[JsonMap]:
    """Yield a run and those nested in it, or those of a list of them."""
    if "run_type" in item:
        yield item
        for child in objects_at(item, "child_runs"):
            yield from _runs(child)
    else:
        for run in objects_at(item, "runs"):
            yield from _runs(run)


def _trace(run: JsonMap) -> str:
    return text_at(run, "trace_id") or text_at(run, "id")


def _above(run: JsonMap) -> str:
    parents = run.get("parent_run_ids")
    last = parents[-1] if isinstance(parents, list) and parents and isinstance(parents[-1], str) else ""
    return text_at(run, "parent_run_id") or last


def _about(run: JsonMap) -> About:
    given = object_at(run, "feedback_stats").items()
    scores = scores_of((name, _average(stats)) for name, stats in given)
    tags = run.get("tags")
    labels = tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
    known = {"name": text_at(run, "name"), "project": text_at(run, "session_name"), "trace": _trace(run)}
    return About(metadata=non_empty(known), scores=scores, labels=labels)


def _average(stats: object) -> object:
    """Return the average of feedback, or its words, which have no average."""
    if not isinstance(stats, Mapping):
        return None
    average = stats.get("avg")
    return stats.get("values") or None if average is None else average


def _step(run: JsonMap) -> Step:
    extra = framework_messages.decoded(run.get("extra"))
    extra = extra if isinstance(extra, dict) else {}
    known = object_at(extra, "metadata")
    inputs, outputs = (
        framework_messages.decoded(run.get("inputs")),
        framework_messages.decoded(run.get("outputs")),
    )
    step = Step(
        _KINDS.get(text_at(run, "run_type"), "other"),
        text_at(run, "id"),
        _above(run),
        _trace(run),
        session=next(
            (name for key in ("thread_id", "session_id", "conversation_id") if (name := text_at(known, key))),
            "",
        ),
        name=text_at(run, "name"),
        started=_time(run, "start_time"),
        finished=_time(run, "end_time"),
    )
    step.is_error = True if text_at(run, "error") else None
    if step.kind == "model":
        asked = object_at(extra, "invocation_params")
        step.model = (
            text_at(known, "ls_model_name") or text_at(asked, "model") or text_at(asked, "model_name")
        )
        fill_request(step, inputs, outputs, text_at(known, "ls_provider"), asked.get("tools"))
        step.model = (
            step.said[0].model if step.said else ""
        ) or step.model  # a run names the one that was asked
        step.usage = _usage(run, outputs)
    else:
        step.arguments, step.output = _given(inputs), output_of(outputs)
        step.call_id = answered_call(outputs) or text_at(known, "tool_call_id")
        step.output = text_at(run, "error") if step.is_error and not step.output else step.output
    return step


def _given(inputs: Any) -> Any:
    """Return a tool's arguments: LangChain passes them as the text ``input``."""
    held = object_at({"inputs": inputs}, "inputs")
    return held["input"] if set(held) == {"input"} else inputs


def _usage(run: JsonMap, outputs: Any) -> Usage:
    body = object_at({"outputs": outputs}, "outputs")
    took = object_at(body, "usage_metadata")
    begun, first = _time(run, "start_time"), _time(run, "first_token_time")
    shown_tokens, written = count_at(run, "prompt_tokens"), count_at(run, "completion_tokens")
    cost = run.get("total_cost")
    thought = _detail(run, took, "completion_token_details", "output_token_details", "reasoning")
    total = count_at(took if shown_tokens is None else run, "total_tokens")
    shown_tokens = count_at(took, "input_tokens") if shown_tokens is None else shown_tokens
    written = count_at(took, "output_tokens") if written is None else written
    return Usage(
        input_tokens=shown_tokens,
        output_tokens=with_thoughts(written, thought, total, shown_tokens),
        cached_tokens=_detail(run, took, "prompt_token_details", "input_token_details", "cache_read"),
        cache_write_tokens=_detail(
            run, took, "prompt_token_details", "input_token_details", "cache_creation"
        ),
        reasoning_tokens=thought,
        cost_usd=number_at({"cost": _number(cost)}, "cost"),
        time_to_first_token_ms=(first - begun).total_seconds() * 1000
        if first and begun and first >= begun
        else None,
    )


def _detail(run: JsonMap, took: JsonMap, whole: str, inner: str, key: str) -> int | None:
    held = count_at(object_at(run, whole), key)
    return count_at(object_at(took, inner), key) if held is None else held


def _number(value: object) -> object:
    """Return a number that may be a text, as amounts of money are."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return None


def _time(run: JsonMap, key: str) -> Any:
    return time_at(run, key) or since_epoch(run.get(key))


SOURCE = Source(
    "langsmith",
    "LangSmith",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.json", "*.jsonl", "*.json.gz", "*.jsonl.gz"),
    wordings=WORDINGS,
    loses=(
        "Argument strings, which LangChain parses, where the provider's own don't stand beside them; which runs are agents; "
        "inputs and outputs that were stored apart; comments of feedback."
    ),
    fields=("run_type", "trace_id", "dotted_order", "inputs", "outputs"),
)
