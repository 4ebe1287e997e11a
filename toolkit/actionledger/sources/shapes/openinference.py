"""Spans of OpenInference, which Phoenix and others write: ``llm.input_messages.0.message.content`` and the like.

Defined by ``spec/semantic_conventions.md`` of github.com/Arize-ai/openinference. Lists are flattened into dotted names.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from actionledger.sources.access import count_at, number_at, object_at, objects_at, text_at
from actionledger.sources.base import Usage
from actionledger.sources.shapes import sniffed
from actionledger.sources.shapes.base import tools_text
from actionledger.sources.shapes.genai_spans import PARSING, parsed
from actionledger.sources.shapes.offered import offered
from actionledger.sources.shapes.spans import Span, nested
from actionledger.sources.shapes.steps import Kind, Step
from actionledger.sources.usage import with_thoughts
from actionledger.vocabulary import Capture

KIND = "openinference.span.kind"
_KINDS: dict[str, Kind] = {"LLM": "model", "TOOL": "tool", "AGENT": "agent"}


def is_openinference(span: Span) -> bool:
    """Return whether a span follows this convention."""
    return isinstance(span.attributes.get(KIND), str)


def step_of(span: Span) -> Step:
    """Return the step that a span is."""
    given = span.attributes
    kind = _KINDS.get(text_at(given, KIND).upper(), "other")
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
        step.name = text_at(given, "tool.name") or span.name
        step.call_id = text_at(given, "tool_call.id") or text_at(given, "tool.id")
        step.arguments = given.get("tool.parameters", given.get("input.value"))
        step.output = given.get("output.value")
        step.is_error = span.failed
        if span.failed and step.output is None:
            raised = next((fields for name, fields in span.events if name == "exception"), {})
            step.output = text_at(raised, "exception.message") or span.error
    elif kind == "model":
        _fill_request(step, given)
        step.is_error = True if span.failed else None
    return step


def _fill_request(step: Step, given: Mapping[str, Any]) -> None:
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
    step.shown = list(sniffed.shown_of(_messages(nested(given, "llm.input_messages"))))
    step.said = [sniffed.message_of(each) for each in _messages(nested(given, "llm.output_messages"))]
    if not step.shown:
        step.shown = list(sniffed.request_of(given.get("input.value")).messages)
    if not any(not message.is_empty for message in step.said) and given.get("output.value") is not None:
        step.said = sniffed.answer_of(given["output.value"])
    provider = text_at(given, "llm.provider") or text_at(given, "llm.system") or step.model
    if any(name in provider.lower() for name in PARSING):
        step.keeps = Capture.CALLS
        step.said = [parsed(message) for message in step.said]
    listed = nested(given, "llm.tools")
    held = {"tools": listed} if isinstance(listed, list) else {"tools": []}
    schemas = (
        sniffed.decoded(nested(each, "tool.json_schema") or object_at(each, "tool").get("json_schema"))
        for each in objects_at(held, "tools")
    )
    step.tools = tools_text(offered(schemas))


def _messages(listed: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the messages of a list, each under its ``message``, as OpenAI's interface writes them."""
    for each in objects_at({"listed": listed}, "listed"):
        yield _plain(object_at(each, "message") or each)


def _plain(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message as OpenAI's interface writes it."""
    calls = [
        {**call, "type": "function"}
        for each in objects_at(message, "tool_calls")
        if (call := object_at(each, "tool_call"))
    ]
    parts = [
        {"type": text_at(part, "type") or "text", "text": part.get("text")}
        for each in objects_at(message, "contents")
        if (part := object_at(each, "message_content"))
    ]
    said = {"role": message.get("role"), "content": message.get("content") or parts or None}
    named = {key: message[key] for key in ("tool_call_id", "name") if key in message}
    legacy = text_at(message, "function_call_name")
    if legacy and not calls:
        given = message.get("function_call_arguments_json")
        calls = [{"type": "function", "function": {"name": legacy, "arguments": given}}]
    return said | named | ({"tool_calls": calls} if calls else {})
