"""Braintrust's logs: rows of spans, one per line, in a list, or under ``rows`` (a payload of its SDK) or ``events`` (its API).

Defined by ``ProjectLogsEvent`` of https://www.braintrust.dev/docs/reference/api and ``js/src/logger.ts`` of github.com/braintrustdata/braintrust-sdk.
A span is logged in parts: rows with ``_is_merge`` are merged into earlier rows with the same identifier. A span of the type ``llm`` is a request. The
only available recorded payloads are snapshots without identifiers, which are no logs.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.shapes.base import left_out, since_epoch
from actionledger.imports.shapes.conversation import WORDINGS
from actionledger.imports.shapes.observations import answered_call, fill_request, output_of
from actionledger.imports.shapes.steps import About, Kind, Step
from actionledger.imports.shapes.traces import Traces
from actionledger.imports.sources.access import count_at, number_at, object_at, objects_at, scores_of, text_at
from actionledger.imports.sources.base import Item, LeftOut, Refusal, Sample, Source
from actionledger.imports.sources.containers import OnRead, shown
from actionledger.imports.sources.json_values import json_objects, objects_of
from actionledger.imports.sources.usage import with_thoughts

_KINDS: dict[str, Kind] = {"llm": "model", "tool": "tool"}
_HEAD = regex(rb'"span_attributes"')
_OPEN_ROWS = 100_000
_DEEP = 50


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of a log, then the skip counts."""
    traces = Traces(SOURCE.name)
    open_rows: OrderedDict[str, JsonMap] = OrderedDict()
    for item in json_objects(path, on_read):
        if isinstance(item, Refusal):
            yield item
            continue
        for row in _rows(item):
            if not text_at(row, "span_id") or not text_at(row, "root_span_id"):
                yield LeftOut(shown(path), LeftOutReason.NO_SESSION, "row")
                continue
            # Keep a row, merged into the parts that are there.
            name = text_at(row, "id") or text_at(row, "span_id")
            known = open_rows.get(name)
            open_rows[name] = (
                _merged(known, row, _DEEP) if known is not None and row.get("_is_merge") else row
            )
            if len(open_rows) > _OPEN_ROWS:
                yield from _give(open_rows.popitem(last=False)[1], traces)
    for row in open_rows.values():
        yield from _give(row, traces)
    yield from traces.rest()
    yield from left_out(shown(path), traces.passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a log: each row has a span, and its root."""
    if not _HEAD.search(sample.head):
        return 0.0
    objects = objects_of(sample)
    if not objects:
        return 0.9 if b'"root_span_id"' in sample.head else 0.0
    rows = [row for each in objects for row in _rows(each)]
    return float(bool(rows) and all("root_span_id" in row for row in rows))


def _rows(item: JsonMap) -> Iterator[JsonMap]:
    held = next((key for key in ("rows", "events") if isinstance(item.get(key), list)), "")
    return objects_at(item, held) if held else iter((item,))


def _merged(known: JsonMap, new: JsonMap, deep: int) -> JsonMap:
    merged = dict(known)
    for key, value in new.items():
        held = merged.get(key)
        both = isinstance(held, Mapping) and isinstance(value, Mapping) and deep > 0
        if both or value is not None:
            merged[key] = _merged(held, value, deep - 1) if both else value  # type: ignore[arg-type]
    return merged


def _give(row: JsonMap, traces: Traces) -> Iterator[Item]:
    if not _parent(row):
        traces.tell(text_at(row, "root_span_id"), _about(row))
    yield from traces.add(_step(row))


def _parent(row: JsonMap) -> str:
    parents = row.get("span_parents")
    return next((each for each in parents if isinstance(each, str)), "") if isinstance(parents, list) else ""


def _about(row: JsonMap) -> About:
    tags = row.get("tags")
    return About(
        metadata={"name": text_at(object_at(row, "span_attributes"), "name")},
        scores=scores_of(object_at(row, "scores").items()),
        labels=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
    )


def _step(row: JsonMap) -> Step:
    named, known, took = (object_at(row, key) for key in ("span_attributes", "metadata", "metrics"))
    step = Step(
        _KINDS.get(text_at(named, "type"), "other"),
        text_at(row, "span_id"),
        _parent(row),
        text_at(row, "root_span_id"),
        name=text_at(known, "gen_ai.tool.name") or text_at(named, "name"),
        started=since_epoch(took.get("start")),
        finished=since_epoch(took.get("end")),
    )
    failed = bool(row.get("error"))
    step.is_error = True if failed else None
    if step.kind == "model":
        step.model = text_at(known, "model")
        fill_request(
            step, row.get("input"), row.get("output"), text_at(known, "provider"), known.get("tools")
        )
        first = number_at(took, "time_to_first_token")
        shown, thought = count_at(took, "prompt_tokens"), count_at(took, "completion_reasoning_tokens")
        step.usage = Usage(
            input_tokens=shown,
            output_tokens=with_thoughts(
                count_at(took, "completion_tokens"), thought, count_at(took, "tokens"), shown
            ),
            cached_tokens=count_at(took, "prompt_cached_tokens"),
            cache_write_tokens=count_at(took, "prompt_cache_creation_tokens"),
            reasoning_tokens=thought,
            cost_usd=number_at(took, "estimated_cost"),
            time_to_first_token_ms=None if first is None else first * 1000,
        )
    else:
        step.arguments, step.output = _given(row.get("input")), output_of(row.get("output"))
        step.call_id = (
            text_at(known, "gen_ai.tool.call.id")
            or answered_call(row.get("output"))
            or next((text for each in objects_at(row, "input") if (text := text_at(each, "toolCallId"))), "")
        )
        step.output = row.get("error") if failed and step.output is None else step.output
    return step


def _given(value: Any) -> Any:
    """Return a tool's arguments: Vercel's SDK passes them together with the model's input."""
    return value[0] if isinstance(value, list) and value else value


SOURCE = Source(
    "braintrust",
    "Braintrust",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.json", "*.jsonl", "*.json.gz", "*.jsonl.gz"),
    wordings=WORDINGS,
    loses="Argument strings of providers that parse them; expected outputs; rows without identifiers, which belong to no trace.",
    fields=("root_span_id", "span_id", "span_attributes", "metrics"),
)
