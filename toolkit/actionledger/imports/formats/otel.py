"""OpenTelemetry spans that follow the conventions for generative AI, as JSON files.

Defined by github.com/open-telemetry/semantic-conventions, ``docs/gen-ai`` (to 1.41), and before it by OpenLLMetry. This reads OTLP's JSON (a
collector's file, one batch per line), exports of the SDKs of Python and JavaScript, any-agent's traces, and spans of Vercel's SDK and Langfuse's. A
trace is a session, or several if spans name a conversation. Each span repeats the whole history: only the answer is new. Recording the content is an
option of the program, and mostly off.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.patterns import regex
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.formats import langfuse
from actionledger.imports.shapes import framework_messages, genai_spans
from actionledger.imports.shapes.base import Message, tools_text
from actionledger.imports.shapes.conversation import WORDINGS
from actionledger.imports.shapes.observations import (
    answered_call,
    arguments_in,
    has_failed,
    keep_by_recorder,
    offered,
    output_of,
    shown_values,
)
from actionledger.imports.shapes.spans import LISTS, Span, is_spans, nested, spans_of
from actionledger.imports.shapes.steps import Kind, Step
from actionledger.imports.shapes.traces import Traces, read_traces
from actionledger.imports.sources.access import count_at, number_at, object_at, objects_at, text_at
from actionledger.imports.sources.base import Item, Sample, Source
from actionledger.imports.sources.containers import OnRead
from actionledger.imports.sources.json_values import objects_of
from actionledger.imports.sources.usage import with_thoughts

_CONVENTION = regex(rb'"(?:gen_ai|traceloop|ai|codex\.turn|langfuse\.observation)\.[\w.]+"')
_OTHER = regex(rb'"openinference\.span\.kind"')


def read(path: Path, on_read: OnRead | None = None) -> Iterator[Item]:
    """Yield the sessions of a file of spans, then the skip counts."""
    yield from read_spans(path, on_read, SOURCE.name)


def read_spans(path: Path, on_read: OnRead | None, name: str) -> Iterator[Item]:
    """Yield the sessions of a file of spans, each span read by its own convention."""
    yield from read_traces(path, on_read, name, _take, *LISTS)


def _take(item: JsonMap, traces: Traces) -> Iterable[Item] | None:
    return _added(item, traces) if is_spans(item) else None


def _added(item: JsonMap, traces: Traces) -> Iterator[Item]:
    for span in spans_of(item):
        if has_only_tokens(span):
            traces.passed[LeftOutReason.NOT_RECORDED, "codex turn"] += 1
        else:
            yield from traces.add(step_of(span))


def step_of(span: Span) -> Step:
    """Return a span as a step, by its convention."""
    if is_openinference(span):
        return openinference_step(span)
    return langfuse.step_of(span) if langfuse.is_langfuse(span) else genai_spans.step_of(span)


def has_only_tokens(span: Span) -> bool:
    """Return whether a span is Codex' summary of a prompt: it has tokens of responses, but nothing else of them."""
    return any(key.startswith("codex.turn.token_usage") for key in span.attributes)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample holds spans with names of these conventions."""
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


# Spans of OpenInference, from Phoenix and others: ``llm.input_messages.0.message.content`` and so on.
KIND = "openinference.span.kind"
_CALLS = regex(r'\[\s*\{[^\n]{0,100000}"type"\s*:\s*"tool_call"')
_RESPONSE = regex(r'"object"\s*:\s*"response"')
_INVALID = regex(r'"invalid_tool_calls"\s*:\s*\[\s*\{')
_THOUGHT = regex(r'"reasoning_content"\s*:\s*"[^"]')
_ID = regex(r'"id"\s*:\s*"([^"\\]{8,200})"')
_HEAD, _MOST_IDS = 100_000, 50
_KINDS: dict[str, Kind] = {"LLM": "model", "TOOL": "tool", "AGENT": "agent"}


def is_openinference(span: Span) -> bool:
    """Return whether a span follows this convention."""
    return isinstance(span.attributes.get(KIND), str)


def openinference_step(span: Span) -> Step:
    """Return a span as a step."""
    given = shown_values(span.attributes)
    kind = "agent" if _is_agent(span) else _KINDS.get(text_at(given, KIND).upper(), "other")
    if kind == "model" and _prepares_alone(given):
        kind = "again"
    step = Step(
        kind,
        span.span_id,
        span.parent_id,
        span.trace_id,
        session=text_at(given, "session.id"),
        name=span.name,
        started=span.started,
        finished=span.finished,
    )
    if kind == "tool":
        output = given.get("output.value")
        step.name = text_at(given, "tool.name") or span.name
        step.call_id = text_at(given, "tool_call.id") or text_at(given, "tool.id") or answered_call(output)
        step.arguments, step.output = arguments_in(given.get("input.value")), output_of(output)
        parameters = given.get("tool.parameters")
        if step.arguments is None and not _is_definition(parameters):
            step.arguments = parameters
        step.is_error = has_failed(output) if span.failed is not True else True
        step.is_error = span.failed if step.is_error is None else step.is_error
        if span.failed and step.output is None:
            raised = next((fields for name, fields in span.events if name == "exception"), {})
            step.output = text_at(raised, "exception.message") or span.error
    elif kind == "model":
        _fill_request(step, given, span.scope)
        step.is_error = True if span.failed else None
    elif kind == "other":
        step.call_id = _only_call(given.get("input.value"))
    return step


def _is_agent(span: Span) -> bool:
    """Return whether a chain is a LangChain agent: each span in it has the agent's name in its metadata, and it alone is named so."""
    told = span.attributes.get("metadata") if text_at(span.attributes, KIND).upper() == "CHAIN" else None
    return (
        bool(span.name)
        and text_at(object_at({"told": framework_messages.decoded(told)}, "told"), "lc_agent_name")
        == span.name
    )


def _prepares_alone(given: JsonMap) -> bool:
    """Return whether a model's span only prepares a request, as LlamaIndex' does: its output is the request."""
    if any(key.startswith(("llm.output_messages.", "llm.token_count.")) for key in given):
        return False
    output = given.get("output.value")
    held = object_at({"output": framework_messages.decoded(output)}, "output")
    return isinstance(held.get("messages"), list) and isinstance(held.get("tools"), list)


def _is_definition(parameters: Any) -> bool:
    """Return whether a tool's parameters are a definition rather than arguments: a schema, or a type for each."""
    held = object_at({"parameters": framework_messages.decoded(parameters)}, "parameters")
    return isinstance(held.get("properties"), Mapping) or (
        bool(held) and all(isinstance(each, Mapping) and "type" in each for each in held.values())
    )


def _only_call(given: Any) -> str:
    """Return the single call that LangGraph's node runs below it; empty for none."""
    if not isinstance(given, str) or not _CALLS.match(given):
        return ""
    calls = framework_messages.decoded(given)
    return text_at(calls[0], "id") if isinstance(calls, list) and len(calls) == 1 else ""


def _fill_request(step: Step, given: JsonMap, scope: str) -> None:
    step.model = text_at(given, "llm.model_name")
    shown, thought = (
        count_at(given, "llm.token_count.prompt"),
        count_at(given, "llm.token_count.completion_details.reasoning"),
    )
    written, all_of_it = (
        count_at(given, "llm.token_count.completion"),
        count_at(given, "llm.token_count.total"),
    )
    step.usage = Usage(
        input_tokens=shown,
        output_tokens=with_thoughts(written, thought, all_of_it, shown),
        cached_tokens=count_at(given, "llm.token_count.prompt_details.cache_read"),
        cache_write_tokens=count_at(given, "llm.token_count.prompt_details.cache_write"),
        reasoning_tokens=thought,
        cost_usd=number_at(given, "llm.cost.total"),
        finish_reason=text_at(given, "llm.finish_reason")[:80],
    )
    step.shown = list(framework_messages.shown_of(_messages(nested(given, "llm.input_messages"))))
    step.said, step.parts = _said(given)
    if not step.shown:
        step.shown = list(framework_messages.request_of(given.get("input.value")).messages)
    if not any(not message.is_empty for message in step.said) and given.get("output.value") is not None:
        output = framework_messages.decoded(given["output.value"])
        # Next to an empty message, words are only its printed form: LlamaIndex' "assistant: None".
        if not (step.said and isinstance(output, str)):
            step.said = framework_messages.answer_of(output) or step.said
    provider = text_at(given, "llm.provider") or text_at(given, "llm.system") or step.model
    output = text_at(given, "output.value")
    if _INVALID.search(output):
        _add_invalid(step, framework_messages.answer_of(output))
    if _THOUGHT.search(output):
        _add_thoughts(step, framework_messages.answer_of(framework_messages.decoded(output)))
    if (
        scope.endswith(".langchain")
        and any(message.calls for message in step.said)
        and '"function"' not in output
    ):
        step.keeps = Capture.CALLS  # reserialized, unlike a provider's own strings
    keep_by_recorder(step, scope, provider)
    if output.startswith('{"finish_reason":'):
        _add_autogens(step, object_at({"output": framework_messages.decoded(output)}, "output"))
    step.response_ids = frozenset(_ID.findall(output)[:_MOST_IDS])
    step.tools = tools_text(offered(_tools(given)))


def _add_invalid(step: Step, told: Sequence[Message]) -> None:
    """Add the calls whose arguments LangChain could not parse: its messages keep them apart."""
    for message, whole in zip(step.said, told, strict=False):
        if len(whole.calls) > len(message.calls):
            message.calls[:] = whole.calls


def _add_thoughts(step: Step, told: Sequence[Message]) -> None:
    """Add the thoughts that are only in the provider's own answer: no attribute of a message holds them."""
    for message, whole in zip(step.said, told, strict=False):
        if whole.reasoning and not message.reasoning:
            message.think(whole.reasoning, detail="reasoning_content")


def _add_autogens(step: Step, told: JsonMap) -> None:
    """Add what only AutoGen's result has: the finish reason, and the words next to calls, which it calls a thought."""
    step.usage = step.usage.filled(Usage(finish_reason=text_at(told, "finish_reason")[:80]))
    if step.said and not step.said[0].reasoning:
        step.said[0].think(text_at(told, "thought"), detail="thought")


def _said(given: JsonMap) -> tuple[list[Message], int]:
    """Return the answer: its choices, or one message joined from its parts, with the number of parts."""
    said = [framework_messages.message_of(each) for each in _messages(nested(given, "llm.output_messages"))]
    if len(said) > 1 and _RESPONSE.search(text_at(given, "output.value")[:_HEAD]):
        return [framework_messages.joined(said)], len(said)
    return said, 0


def _tools(given: JsonMap) -> Iterator[Any]:
    """Yield the offered tools: each as a definition, or as a bare schema with the tool's name next to it."""
    listed = nested(given, "llm.tools")
    for each in objects_at({"tools": listed if isinstance(listed, list) else []}, "tools"):
        tool = object_at(each, "tool")
        held = framework_messages.decoded(each.get("tool.json_schema") or tool.get("json_schema"))
        name = text_at(each, "tool.name") or text_at(tool, "name")
        if name and isinstance(held, Mapping) and "name" not in (object_at(held, "function") or held):
            about = text_at(each, "tool.description") or text_at(tool, "description")
            held = {"name": name, "description": about, "parameters": held}
        yield held


def _messages(listed: Any) -> Iterator[JsonMap]:
    """Yield the messages of a list, each under its ``message``, in OpenAI's form."""
    for each in objects_at({"listed": listed}, "listed"):
        if isinstance(results := each.get("function"), list):
            yield from map(_autogens_result, results)
        elif (message := object_at(each, "message") or each) != {"role": "tool"}:
            yield _plain(message)  # Haystack's results have only a role: their content isn't recorded


def _autogens_result(given: Any) -> JsonDict:
    """Return a result of AutoGen's, several of which are in one message, in LangChain's form: it says whether it is an error."""
    told = object_at({"told": framework_messages.decoded(given)}, "told")
    status = "error" if told.get("is_error") is True else "success" if told.get("is_error") is False else None
    result = {"tool_call_id": told.get("call_id"), "content": told.get("content"), "status": status}
    return {"role": "tool", "content": result}


def _plain(message: JsonMap) -> JsonDict:
    """Return a message in OpenAI's form."""
    calls = [
        {**call, "type": "function"}
        for each in objects_at(message, "tool_calls")
        if (call := object_at(each, "tool_call"))
    ]
    told = [part for each in objects_at(message, "contents") if (part := object_at(each, "message_content"))]
    parts = [
        {"type": text_at(part, "type") or "text", "text": part.get("text")}
        for part in told
        if text_at(part, "type") != "reasoning"
    ]
    thoughts = [text_at(part, "text") for part in told if text_at(part, "type") == "reasoning"]
    said = {"role": message.get("role"), "content": message.get("content") or parts or None}
    if thought := "\n\n".join(filter(None, thoughts)):
        said["reasoning_content"] = thought
    named = {key: message[key] for key in ("tool_call_id", "name") if key in message}
    legacy = text_at(message, "function_call_name")
    if legacy and not calls:
        given = message.get("function_call_arguments_json")
        calls = [{"type": "function", "function": {"name": legacy, "arguments": given}}]
    return said | named | ({"tool_calls": calls} if calls else {})
