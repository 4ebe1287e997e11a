"""Steps whose input and output are whatever a framework has handed over, as stores of traces keep them."""

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

# Tools that were offered, in whatever form a framework lists them, as the OpenAI interface takes them.
_SCHEMAS = ("parameters", "inputSchema", "input_schema", "parametersJsonSchema", "parameters_json_schema")


def offered(tools: Iterable[Any]) -> list[JsonDict]:
    """Return the definitions of a list that name a tool; others are none."""
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
    """The tools that items of a conversation offer: a client's own list, and what searches have brought since.

    Attributes:
        text: all of them, as a turn takes them; empty where none are known.
    """

    def __init__(self) -> None:
        self.text = ""
        self._known: dict[str, JsonDict] = {}

    def take(self, item: JsonMap) -> bool:
        """Add what an item offers; return whether it counts: before a list has the plain tools, not all are recorded."""
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


# Who has recorded a step of a trace, and how much its recorder keeps: whether arguments are as they were written, or content at
# all.
PARSING = ("anthropic", "claude", "google", "gemini", "vertex", "bedrock", "aws")
"""Providers that give arguments parsed: a text of them is an instrumentation's, and not what the model wrote."""

_PARSING_SCOPES = (
    "opentelemetry.instrumentation.genai.",
    "gcp.vertex.agent",
    "strands.",
    "com.anthropic.",
)
"""Instrumentations that give arguments parsed, whoever the provider is."""

HIDDEN = "__REDACTED__"
"""What OpenInference writes in place of what it is told to hide."""


def keep_by_recorder(step: Step, scope: str, provider: str) -> None:
    """Note who has recorded a request, and give its calls as all of that recorder's are kept."""
    step.recorder = f"{scope} {provider}"
    if (
        step.keeps is Capture.CALLS
        or scope.startswith(_PARSING_SCOPES)
        or any(name in provider.lower() for name in PARSING)
    ):
        step.keeps = Capture.CALLS
        step.said = [parsed(message) for message in step.said]


def parsed(message: Message) -> Message:
    """Return a message whose calls have their arguments parsed, where they are the JSON text of an object."""
    calls = []
    for call in message.calls:
        given = framework_messages.decoded(call.arguments)
        calls.append(replace(call, arguments=given) if isinstance(given, dict) else call)
    return replace(message, calls=calls)


def shown_values(given: JsonMap) -> JsonDict:
    """Return attributes without those whose value was hidden."""
    return {key: value for key, value in given.items() if value != HIDDEN}


def has_no_content(messages: Iterable[Any]) -> bool:
    """Return whether messages are there without what was said: a part that is a text has none."""
    parts = (
        part for message in messages if isinstance(message, Mapping) for part in objects_at(message, "parts")
    )
    return any(part.get("type") == "text" and "content" not in part and "text" not in part for part in parts)


def fill_request(step: Step, asked: Any, answer: Any, provider: str, tools: Any = None) -> None:
    """Give a request what it was asked, what was answered, and what was offered."""
    request, answer = framework_messages.request_of(asked), framework_messages.decoded(answer)
    step.shown, step.said = list(request.messages), framework_messages.answer_of(answer)
    listed = object_at({"answer": answer}, "answer").get("tools")
    held = framework_messages.decoded(request.tools or None) or listed or framework_messages.decoded(tools)
    step.tools = tools_text(offered(held)) if isinstance(held, list) else ""
    step.model = step.model or request.model
    step.usage = step.usage.filled(step.said[0].usage) if step.said else step.usage
    keep_by_recorder(step, "", provider or step.model)


def output_of(given: Any) -> Any:
    """Return what a tool gave: of a message of LangChain's, or of a protocol's result, the content; else all of it."""
    held = _result(given)
    if "tool_call_id" in held or isinstance(held.get("content"), list):
        return plain(held.get("content"))
    return given


def answered_call(given: Any) -> str:
    """Return the call that a tool's output names; empty for none."""
    return text_at(_result(given), "tool_call_id")


def has_failed(given: Any) -> bool | None:
    """Return whether a tool's output says that it is an error, as a message of LangChain's does; None where it says nothing."""
    held = _result(given)
    return {"error": True, "success": False}.get(text_at(held, "status")) if "tool_call_id" in held else None


def arguments_in(given: Any) -> Any:
    """Return what a tool was given, of the arguments of the Python function that it is: those with names, or the only one without."""
    held = object_at({"input": framework_messages.decoded(given)}, "input")
    if not {"args", "kwargs"} <= held.keys() or held.keys() - {"args", "kwargs", "sanitize_inputs_outputs"}:
        return given
    plain_ones = held["args"] if isinstance(held["args"], list) else []
    return held["kwargs"] if held["kwargs"] or len(plain_ones) != 1 else plain_ones[0]


def _result(given: Any) -> JsonMap:
    """Return a tool's output as an object, without LangChain's wrapping; an empty one if it is none."""
    held = object_at({"output": framework_messages.decoded(given)}, "output")
    inner = object_at({"output": framework_messages.decoded(held.get("output"))}, "output")
    held = inner if set(held) == {"output"} else held
    if "lc" in held:
        return object_at(held, "kwargs")
    return object_at(held, "data") if held.get("type") == "tool" and "data" in held else held
