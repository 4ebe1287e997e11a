"""Spans of requests, tools and agents by the conventions for generative AI, new and old, and by Vercel's SDK.

New: ``gen_ai.input.messages`` and ``gen_ai.output.messages``, structured or as JSON text. Old: ``gen_ai.prompt.0.content`` (OpenLLMetry),
and events ``gen_ai.user.message`` to ``gen_ai.choice``. Vercel's: ``ai.prompt.messages``, ``ai.response.text``. Agents add their own names.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import Capture, Reason
from actionledger.imports.shapes import bedrock, framework_messages, genai
from actionledger.imports.shapes.answers import OWN, compaction_of, with_own
from actionledger.imports.shapes.base import Message, plain, tools_text
from actionledger.imports.shapes.genai import speaker_of, usage
from actionledger.imports.shapes.observations import (
    has_failed as has_failed_in,
    has_no_content,
    keep_by_recorder,
    offered,
    output_of,
)
from actionledger.imports.shapes.spans import Span, nested
from actionledger.imports.shapes.steps import BY_RESPONSE, NOTHING_TOLD, About, Kind, Step, evaluations_of
from actionledger.imports.sources.access import as_list, object_at, objects_at, text_at, texts_at


# An agent span's information about its session, as our own export writes it.
def about(given: JsonMap) -> About:
    """Return an agent span's information about its session."""
    success = given.get(f"{OWN}success")
    return About(
        task=text_at(given, f"{OWN}task"),
        labels=texts_at(given, f"{OWN}labels"),
        success=success if isinstance(success, bool) else None,
        reason=text_at(given, f"{OWN}end_reason"),
    )


# The events of Strands' own tracer: their text is JSON of Amazon Bedrock's blocks.
_BLOCKS = frozenset({"text", "toolUse", "toolResult", "reasoningContent", "cachePoint", "image", "document"})


def is_of_strands(span: Span) -> bool:
    """Return whether a span is from Strands' own tracer."""
    named = (text_at(span.attributes, key) for key in ("gen_ai.system", "gen_ai.provider.name"))
    return span.scope.startswith("strands.") or "strands-agents" in named


def message(role: str, text: object) -> Message | None:
    """Read a message of an event; None if its text holds no blocks."""
    content = blocks(text)
    if content is None:
        return None
    found = bedrock.message({"role": role, "content": content})
    found.speaker = speaker_of(role)
    return found


def blocks(text: object) -> list[Any] | None:
    """Return the blocks in a JSON text; None if it has none."""
    held = framework_messages.decoded(text)
    is_blocks = isinstance(held, list) and all(
        isinstance(part, Mapping) and _BLOCKS & part.keys() for part in held
    )
    return held if isinstance(held, list) and is_blocks else None


def come_of_tool(span: Span, given: object) -> object:
    """Return a tool's output; None if not recorded."""
    said = _strands_said(span, "gen_ai.choice", "message") if given is None else given
    held = blocks(said)
    return said if held is None else plain(held)


def _strands_said(span: Span, event: str, field: str) -> object:
    return next((fields.get(field) for name, fields in span.events if name == event), None)


_REQUESTS = frozenset(
    {"chat", "text_completion", "completion", "generate_content", "call_llm", "llm_call", "responses"}
)
_AGENTS = frozenset({"invoke_agent", "create_agent", "invoke_workflow"})
_SESSION = (
    "gen_ai.conversation.id", "session.id", "ai.telemetry.metadata.sessionId", "langfuse.session.id",
    "traceloop.association.properties.session_id", "traceloop.association.properties.thread_id",
    "gcp.vertex.agent.session_id", "langsmith.metadata.thread_id", "langsmith.metadata.session_id",
    "langsmith.metadata.conversation_id",
)  # fmt: skip
_SPEAKING = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_DETAILS = "gen_ai.client.inference.operation.details"
_ADK, _OF_ADK, _NO_ID = "gcp.vertex.agent", "gcp.vertex.agent.", "<not specified>"
"""ADK's tracer, the prefix of its older attribute names, and its identifier of a call whose tool raised an error."""

_CAPTURE, _AS_JSON = f"{OWN}capture", (f"{OWN}billed", f"{OWN}compaction")
_MASTRA_STEP = "mastra.model_step."
"""Mastra's step: the span of its request is below it, and has the words of the answer without its calls."""
_WRITTEN = (
    "gen_ai.output.messages", "gen_ai.completion", "gen_ai.output", f"{_OF_ADK}llm_response", f"{_MASTRA_STEP}output",
)  # fmt: skip
_CHOICES = frozenset({"gen_ai.choice", "gen_ai.assistant.choice"})


def kind_of(span: Span) -> Kind:
    given = span.attributes
    operation, vercel = text_at(given, "gen_ai.operation.name"), text_at(given, "ai.operationId")
    traced = text_at(given, "traceloop.span.kind")
    if operation in _AGENTS or traced == "agent" or vercel in {"ai.generateText", "ai.streamText"}:
        return "agent"
    if operation == "execute_tool" or traced == "tool" or vercel == "ai.toolCall":
        return "tool"
    is_step = f"{_MASTRA_STEP}output" in given
    if operation in _REQUESTS or is_step or vercel.endswith((".doGenerate", ".doStream")):
        return "model"
    if operation or vercel:
        return "other"
    asked = text_at(given, "llm.request.type") in {"chat", "completion"}
    told = any(name in _CHOICES or name in _SPEAKING or name == _DETAILS for name, _ in span.events)
    has_model = "gen_ai.request.model" in given or f"{_OF_ADK}llm_response" in given
    return "model" if asked or told or has_model else "other"


def step_of(span: Span) -> Step:
    """Return a span as a step."""
    given = _details(span) | span.attributes
    kind = kind_of(span)
    step = Step(
        kind,
        span.span_id,
        span.parent_id,
        span.trace_id,
        session=_session_in(given),
        name=span.name,
        started=span.started,
        finished=span.finished,
        evaluations=evaluations_of(span),
    )
    if given.get("actionledger.is_dated") is False:
        # Our own export must write some time: the previous response's, which puts this one after it.
        step.started, step.finished, step.placed = None, None, span.finished
    if kind == "tool":
        _fill_tool(step, span, given)
    elif kind == "model":
        _fill_request(step, span, given)
    elif kind == "agent" and (told := about(given)) != NOTHING_TOLD:
        step.about = told
    return step


def session_of(span: Span) -> str:
    """Return the conversation that a span names by any convention; empty if it names none."""
    return _session_in(_details(span) | span.attributes)


def _details(span: Span) -> JsonDict:
    """Return the joined fields of a span's detail events: Strands writes one for each kind of message."""
    said: JsonDict = {}
    for name, fields in span.events:
        if name == _DETAILS:
            said |= {key: value for key, value in fields.items() if value is not None}
    return said


def _session_in(given: JsonMap) -> str:
    return next((text_at(given, key) for key in _SESSION if text_at(given, key)), "")


def _fill_tool(step: Step, span: Span, given: JsonMap) -> None:
    names = ("gen_ai.tool.name", "ai.toolCall.name", "traceloop.entity.name")
    step.name = _first(given, *names) or span.name.removeprefix("execute_tool ")
    step.call_id = _first(given, "gen_ai.tool.call.id", "ai.toolCall.id") or ""
    if step.call_id == _NO_ID:
        step.call_id = ""
    arguments = (
        "gen_ai.tool.call.arguments", "gen_ai.tool.args", f"{_OF_ADK}tool_call_args", "ai.toolCall.args",
        "traceloop.entity.input", "gen_ai.prompt",
    )  # fmt: skip
    step.arguments = _first(given, *arguments)
    results = (
        "gen_ai.tool.call.result", "gen_ai.output", f"{_OF_ADK}tool_response", "ai.toolCall.result",
        "traceloop.entity.output",
    )  # fmt: skip
    come = _come_of_run(given)
    step.output = output_of(come) if come else _first(given, *results)
    if is_of_strands(span):
        if step.arguments is None:
            step.arguments = _strands_said(span, "gen_ai.tool.message", "content")
        step.output = come_of_tool(span, step.output)
    has_failed = span.failed or text_at(given, "error.type") or given.get("gen_ai.tool.status") == "error"
    step.is_error = True if has_failed or has_failed_in(come) else span.failed
    if text_at(given, "pydantic_ai.tool.failure_stage") == "validation":
        step.reason = Reason.SCHEMA_ERROR
    if step.is_error and step.output is None:
        raised = next((fields for name, fields in span.events if name == "exception"), {})
        step.output = text_at(raised, "exception.message") or span.error or text_at(given, "error.type")
    step.name, step.call_id = str(step.name), str(step.call_id)
    step.outcome = {key: value for key, value in given.items() if key.startswith(OWN)}
    if "actionledger.status" in given and "actionledger.duration_ms" not in given:
        step.finished = None  # our own export has no time for it
    if isinstance(step.output, str) and "actionledger.status" in given:
        step.output = framework_messages.decoded(step.output)


def _come_of_run(given: JsonMap) -> Any:
    """Return what came of a tool's run as LangSmith has it: LangChain's message; nothing in other recorders' spans."""
    return (
        framework_messages.decoded(given.get("gen_ai.completion")) if "langsmith.span.kind" in given else None
    )


def _fill_request(step: Step, span: Span, given: JsonMap) -> None:
    step.model = _text(
        given, "gen_ai.response.model", "gen_ai.request.model", "ai.response.model", "ai.model.id"
    )
    # Our own export has these as JSON texts: attributes can't be objects.
    noted = {name: framework_messages.decoded(given[name]) for name in _AS_JSON if name in given}
    own = {**given, **noted} if noted else given
    step.usage = with_own(usage(given), own)
    step.compaction = compaction_of(own)
    step.is_error = True if span.failed else None
    step.tools = tools_text(tools_of(given))
    if name := text_at(given, "gen_ai.response.id"):
        step.response_ids = frozenset({name})
    if not _is_without_content(given):
        told = genai.instructions(framework_messages.decoded(given.get("gen_ai.system_instructions")))
        step.shown = [*([told] if told.text else []), *_shown(span, given)]
        step.said = list(_said(span, given))
    if _has_dropped_its_calls(step, span) or given.get(_CAPTURE) == Capture.NONE:
        step.said = []
    if step.said:
        # LangSmith's attributes have the model that was asked and two sums: the rest is in the answer itself.
        step.usage = step.usage.filled(step.said[0].usage)
        step.model = text_at(given, "gen_ai.response.model") or step.said[0].model or step.model
    provider = _text(given, "gen_ai.provider.name", "gen_ai.system", "ai.model.provider") or step.model
    step.keeps = Capture.CALLS if "gen_ai.output" in given else step.keeps
    keep_by_recorder(step, span.scope, provider)
    step.splits = is_of_strands(span)
    if _CAPTURE in given:
        step.recorder = BY_RESPONSE
        step.keeps = Capture.TEXT if given[_CAPTURE] == Capture.TEXT else step.keeps


def _is_without_content(given: JsonMap) -> bool:
    """Return whether a recorder was told to omit content: roles and part types are there without texts."""
    listed = (
        framework_messages.decoded(given.get(f"gen_ai.{side}.messages")) for side in ("input", "output")
    )
    return any(has_no_content(held) for held in listed if isinstance(held, list))


def _has_dropped_its_calls(step: Step, span: Span) -> bool:
    """Return whether an answer is empty because ADK drops calls that it can't parse: the model's text is lost then."""
    reason = step.usage.finish_reason.lower()
    is_dropped = reason == "malformed_function_call" or (reason == "max_tokens" and span.scope == _ADK)
    return is_dropped and all(message.is_empty for message in step.said)


def _shown(span: Span, given: JsonMap) -> Iterator[Message]:
    asked = f"{_OF_ADK}llm_request"
    for name in ("gen_ai.input.messages", "gen_ai.prompt", "ai.prompt.messages", "ai.prompt", asked):
        held = framework_messages.decoded(nested(given, name))
        if isinstance(held, list):
            yield from framework_messages.shown_of(objects_at({"held": held}, "held"))
            return
        if held and not isinstance(held, Mapping):
            yield Message("person", str(held))
            return
        if isinstance(held, Mapping):
            yield from framework_messages.request_of(held).messages
            return
    told = framework_messages.decoded(given.get(f"{_MASTRA_STEP}input"))
    listed = objects_at({"told": told}, "told")  # in a result's place it has the tool's name alone
    yield from framework_messages.shown_of(each for each in listed if each.get("role") != "tool")
    for name, fields in span.events:
        if name in _SPEAKING:
            role = _SPEAKING[name]
            of_strands = message(role, fields.get("content")) if is_of_strands(span) else None
            yield of_strands or framework_messages.message_of({"role": role, **_event(fields)})
        elif name == "gen_ai.content.prompt":
            yield from framework_messages.request_of(fields.get("gen_ai.prompt")).messages


def _take_calls_beside(said: list[Message], listed: Any) -> None:
    """Add the calls that LiteLLM writes next to its messages, without identifiers."""
    for each in objects_at({"listed": listed}, "listed"):
        call = object_at(each, "function_call")
        if said and text_at(call, "name"):
            said[0].call("", call["name"], call.get("arguments"))


def _said(span: Span, given: JsonMap) -> Iterator[Message]:
    written = next(
        (
            held
            for name in _WRITTEN
            if (held := framework_messages.decoded(nested(given, name))) not in (None, "", {})
        ),
        None,
    )
    if written is not None:
        answers = list(_answers(written, given))
        if "gen_ai.output.messages" in given and not any(each.calls for each in answers):
            _take_calls_beside(answers, nested(given, "gen_ai.completion"))
        yield from answers
        return
    calls = framework_messages.decoded(given.get("ai.response.toolCalls"))
    text = given.get("ai.response.text", given.get("ai.response.object"))
    if text is not None or calls is not None:
        yield from framework_messages.answer_of(
            {"text": text if isinstance(text, str) else "", "toolCalls": calls}
        )
        return
    for name, fields in span.events:
        if name in _CHOICES:
            body = _event(fields)
            if is_of_strands(span) and (found := message("assistant", body.get("message"))):
                found.usage = Usage(finish_reason=genai.finish(body)[:80])
                yield found
                continue
            inner = framework_messages.decoded(body.get("message"))
            said = inner if isinstance(inner, Mapping) else {"content": inner} if inner else body
            calls = body.get("tool_calls") or said.get("tool_calls")
            found = framework_messages.message_of(
                {**said, "role": "assistant", "tool_calls": framework_messages.decoded(calls)}
            )
            found.usage = Usage(finish_reason=genai.finish(body)[:80])
            yield found
        elif name == "gen_ai.content.completion":
            yield from framework_messages.answer_of(fields.get("gen_ai.completion"))


def _answers(written: Any, given: JsonMap) -> Iterator[Message]:
    """Yield a model's answers; any-agent writes only the names and arguments of calls."""
    listed = as_list(written)
    calls = [each for each in listed if isinstance(each, Mapping) and "tool.name" in each]
    if calls:
        found = Message("model")
        for call in calls:
            found.call("", call.get("tool.name"), call.get("tool.args"))
        yield found
    elif "gen_ai.output" in given and "gen_ai.output.messages" not in given:
        yield Message("model", str(given["gen_ai.output"]))
    elif isinstance(written, list):
        for each in written:
            yield from framework_messages.answer_of(_old(each) if isinstance(each, Mapping) else each)
    else:
        yield from framework_messages.answer_of(_old(written) if isinstance(written, Mapping) else written)


def _old(message: JsonMap) -> JsonMap:
    """Return a message of the old attributes in OpenAI's form: its calls have no ``function``."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list) or not any("name" in call for call in objects_at(message, "tool_calls")):
        return message
    wrapped = [
        {"id": call.get("id"), "type": "function", "function": call}
        for call in objects_at(message, "tool_calls")
        if "function" not in call
    ]
    return {**message, "tool_calls": wrapped or calls}


def _event(fields: JsonMap) -> JsonDict:
    """Return the body of an event; older ones have it flattened among their attributes."""
    plain = {
        key: framework_messages.decoded(value) if key == "tool_calls" else value
        for key, value in fields.items()
    }
    if "id" in plain and "tool_call_id" not in plain:
        plain["tool_call_id"] = plain["id"]
    return plain


def tools_of(given: JsonMap) -> list[Any]:
    """Return the tools that a request offers, from its attributes."""
    for name in (
        "gen_ai.tool.definitions",
        "ai.prompt.tools",
        "llm.request.functions",
        "gen_ai.request.tools",
    ):
        held = framework_messages.decoded(nested(given, name))
        if isinstance(held, list) and held:
            return offered([framework_messages.decoded(each) for each in held])
    parameters = framework_messages.decoded(nested(given, "model_request_parameters"))  # Pydantic AI
    return offered(objects_at(parameters, "function_tools")) if isinstance(parameters, Mapping) else []


def _first(given: JsonMap, *keys: str) -> Any:
    return next((given[key] for key in keys if given.get(key) is not None), None)


def _text(given: JsonMap, *keys: str) -> str:
    return next((text for key in keys if (text := text_at(given, key))), "")
