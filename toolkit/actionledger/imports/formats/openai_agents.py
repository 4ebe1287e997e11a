"""Traces of OpenAI's Agents SDK as it exports them: ``export()`` of each trace and span, a line each, or the bodies that its exporter sends (``data``).

Defined by ``src/agents/tracing/span_data.py`` of github.com/openai/openai-agents-python. A span of the type ``generation`` is a request over chat, with its
messages; ``response`` is one over Responses, with its tokens alone; ``function`` is a run of a tool, without the identifier of its call. What such runs
are recorded with below a request without content are its calls.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from actionledger.core.canonical import JsonMap
from actionledger.core.vocabulary import Capture
from actionledger.imports.shapes.conversation import WORDINGS
from actionledger.imports.shapes.observations import fill_request
from actionledger.imports.shapes.steps import About, Kind, Step
from actionledger.imports.shapes.traces import Traces, read_traces
from actionledger.imports.sources.access import non_empty, object_at, objects_at, text_at, time_at
from actionledger.imports.sources.base import Item, Sample, Source
from actionledger.imports.sources.containers import OnRead
from actionledger.imports.sources.json_values import Elements, objects_of
from actionledger.imports.sources.usage import usage_of

NAME = "openai_agents"

_TRACE, _SPAN = "trace", "trace.span"
_KINDS: dict[str, Kind] = {"generation": "model", "response": "model", "function": "tool", "agent": "agent"}


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of an export, then the skip counts."""
    groups: dict[str, str] = {}

    def take(item: JsonMap, traces: Traces) -> Iterable[Item] | None:
        if isinstance(item.get("data"), list):
            held = (take(each, traces) or () for each in objects_at(item, "data"))
            return chain.from_iterable(held)
        if item.get("object") == _SPAN:
            return traces.add(_step(item, groups))
        if item.get("object") != _TRACE:
            return None
        name = text_at(item, "id")
        groups[name] = text_at(item, "group_id")
        workflow = {"workflow": text_at(item, "workflow_name"), "trace": name}
        traces.tell(name, About(metadata=non_empty({**object_at(item, "metadata"), **workflow})))
        return ()

    yield from read_traces(path, on_read, NAME, take, Elements(("data",)))


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample holds such traces."""
    first = next(iter(objects_of(sample)), {})
    return float(any(_is_own(each) for each in (first, *objects_at(first, "data"))))


def _is_own(value: JsonMap) -> bool:
    kind = value.get("object")
    return (kind == _SPAN and "span_data" in value) or (kind == _TRACE and "workflow_name" in value)


def _step(span: JsonMap, groups: dict[str, str]) -> Step:
    given, trace = object_at(span, "span_data"), text_at(span, "trace_id")
    step = Step(
        _KINDS.get(text_at(given, "type"), "other"),
        text_at(span, "id"),
        text_at(span, "parent_id"),
        trace,
        session=groups.get(trace, ""),
        name=text_at(given, "name") or text_at(given, "type"),
        started=time_at(span, "started_at"),
        finished=time_at(span, "ended_at"),
    )
    step.is_error = True if span.get("error") else None
    if step.kind == "model":
        step.model = text_at(given, "model")
        if given.get("output"):
            fill_request(step, given.get("input"), given["output"], step.model)
        step.usage = usage_of(object_at(given, "usage")).filled(step.usage)
        step.response_ids = frozenset(filter(None, (text_at(given, "response_id"),)))
    elif step.kind == "tool":
        step.arguments, step.output = given.get("input"), given.get("output")
        step.is_error = bool(span.get("error"))
        if step.is_error and step.output is None:
            step.output = text_at(object_at(span, "error"), "message")
    return step


SOURCE = Source(
    NAME,
    "OpenAI's Agents SDK",
    Capture.ARGUMENTS,
    read,
    recognise,
    patterns=("*.json", "*.jsonl", "*.json.gz", "*.jsonl.gz"),
    wordings=WORDINGS,
    loses="Words, thoughts and the model over Responses, whose spans have tokens alone, and calls that were not run; identifiers of calls there; why a response "
    "ended; the model that answered, but for the one that was asked; the tools that were offered, of which agents have the names.",
    fields=("object", "span_data"),
    other_fields=(("object", "workflow_name"), ("data",)),
    tested="0.24.0",
)
