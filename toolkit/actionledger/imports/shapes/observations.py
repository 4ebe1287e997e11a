"""Steps in trace stores whose input and output are whatever a framework passed."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from actionledger.core.canonical import JsonDict, JsonMap, json_text
from actionledger.core.names import PLAIN, namespace_of, qualified
from actionledger.core.vocabulary import Capture
from actionledger.imports.shapes import framework_messages
from actionledger.imports.shapes.base import Message, plain, tools_text
from actionledger.imports.shapes.framework_messages import decoded
from actionledger.imports.shapes.steps import Step
from actionledger.imports.sources.access import object_at, objects_at, text_at

# Offered tools, from any framework's form to that of the OpenAI interface.
_SCHEMAS = ("parameters", "inputSchema", "input_schema", "parametersJsonSchema", "parameters_json_schema")


def offered(tools: Iterable[Any]) -> list[JsonDict]:
    """Return the definitions in a list that name a tool."""
    found: list[JsonDict] = []
    for tool in tools:
        if not isinstance(tool, Mapping):
            continue
        namespace = namespace_of(tool)
        declared = [*objects_at(tool, "functionDeclarations"), *objects_at(tool, "function_declarations")]
        declared += objects_at(tool, "tools") if namespace else []
        for each in declared or [object_at(tool, "function") or tool]:
            name = qualified(namespace, text_at(each, "name"))
            found += [{"type": "function", "function": _function(name, each)}] if name else []
    return found


class LaterTools:
    """Tools offered by items of a conversation: a client's own list, and later search results."""

    def __init__(self) -> None:
        self.text = ""
        self._known: dict[str, JsonDict] = {}

    def take(self, item: JsonMap) -> bool:
        """Add an item's tools; return whether they count: a list that doesn't begin with the plain tools is incomplete."""
        listed = list(objects_at(item, "tools"))
        if not self._known and not any(text_at(tool, "name") == PLAIN for tool in listed):
            return False
        self._known |= {json_text(tool): tool for tool in offered(listed)}
        self.text = json_text(list(self._known.values()))
        return True


def _function(name: str, given: JsonMap) -> JsonDict:
    function: JsonDict = {"name": name}
    if description := text_at(given, "description"):
        function["description"] = description
    schema = decoded(next((given[key] for key in _SCHEMAS if given.get(key)), None))
    if isinstance(schema, Mapping):
        function["parameters"] = schema.get("jsonSchema", schema)
    return function


# The recorder of a step, and how much its recorder keeps: arguments as they were written, parsed arguments, or no content.
PARSING = ("anthropic", "claude", "google", "gemini", "vertex", "bedrock", "aws")
"""Providers that return parsed arguments: a text of them comes from an instrumentation, not from the model."""

_PARSING_SCOPES = (
    "opentelemetry.instrumentation.genai.",
    "gcp.vertex.agent",
    "strands.",
    "com.anthropic.",
    "@mastra/",
)
"""Instrumentations that record parsed arguments, for any provider."""

HIDDEN = "__REDACTED__"
"""OpenInference's placeholder for hidden values."""


def keep_by_recorder(step: Step, scope: str, provider: str) -> None:
    """Note a request's recorder, and parse its calls' arguments if that recorder keeps only parsed ones."""
    step.recorder = f"{scope} {provider}"
    if (
        step.keeps is Capture.CALLS
        or scope.startswith(_PARSING_SCOPES)
        or any(name in provider.lower() for name in PARSING)
    ):
        step.keeps = Capture.CALLS
        step.said = [parsed(message) for message in step.said]


def parsed(message: Message) -> Message:
    """Return a message with its calls' arguments parsed, if they are the JSON text of an object."""
    calls = []
    for call in message.calls:
        given = framework_messages.decoded(call.arguments)
        calls.append(replace(call, arguments=given) if isinstance(given, dict) else call)
    return replace(message, calls=calls)


def shown_values(given: JsonMap) -> JsonDict:
    """Return attributes without hidden values."""
    return {key: value for key, value in given.items() if value != HIDDEN}


def has_no_content(messages: Iterable[Any]) -> bool:
    """Return whether messages have no content: their text parts are empty."""
    parts = (
        part for message in messages if isinstance(message, Mapping) for part in objects_at(message, "parts")
    )
    return any(part.get("type") == "text" and "content" not in part and "text" not in part for part in parts)


def fill_request(step: Step, asked: Any, answer: Any, provider: str, tools: Any = None) -> None:
    """Fill a request with its input, its answer and the offered tools."""
    request, answer = framework_messages.request_of(asked), framework_messages.decoded(answer)
    step.shown, step.said = list(request.messages), framework_messages.answer_of(answer)
    listed = object_at({"answer": answer}, "answer").get("tools")
    held = framework_messages.decoded(request.tools or None) or listed or framework_messages.decoded(tools)
    step.tools = tools_text(offered(held)) if isinstance(held, list) else ""
    step.model = step.model or request.model
    step.usage = step.usage.filled(step.said[0].usage) if step.said else step.usage
    keep_by_recorder(step, "", provider or step.model)


def output_of(given: Any) -> Any:
    """Return a tool's output: the content of a LangChain message or of a protocol's result; otherwise all of it."""
    held = _result(given)
    if "tool_call_id" in held or isinstance(held.get("content"), list):
        return plain(held.get("content"))
    return given


def answered_call(given: Any) -> str:
    """Return the call that a tool's output names; empty for none."""
    return text_at(_result(given), "tool_call_id")


def has_failed(given: Any) -> bool | None:
    """Return whether a tool's output is marked as an error, as in a LangChain message; None if unknown."""
    held = _result(given)
    return {"error": True, "success": False}.get(text_at(held, "status")) if "tool_call_id" in held else None


def arguments_in(given: Any) -> Any:
    """Return a tool's arguments from those of its Python function: the keyword arguments, or the only positional one."""
    held = object_at({"input": framework_messages.decoded(given)}, "input")
    if not {"args", "kwargs"} <= held.keys() or held.keys() - {"args", "kwargs", "sanitize_inputs_outputs"}:
        return given
    plain_ones = held["args"] if isinstance(held["args"], list) else []
    return held["kwargs"] if held["kwargs"] or len(plain_ones) != 1 else plain_ones[0]


def _result(given: Any) -> JsonMap:
    """Return a tool's output as an object, without LangChain's wrapping; empty if it is no object."""
    held = object_at({"output": framework_messages.decoded(given)}, "output")
    inner = object_at({"output": framework_messages.decoded(held.get("output"))}, "output")
    held = inner if set(held) == {"output"} else held
    if "lc" in held:
        return object_at(held, "kwargs")
    return object_at(held, "data") if held.get("type") == "tool" and "data" in held else held
