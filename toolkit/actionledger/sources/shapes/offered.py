"""Tools that were offered, in whatever form a framework lists them, as the OpenAI interface takes them."""

from collections.abc import Iterable, Mapping
from typing import Any

from actionledger.common.namespaces import namespace_of, qualified
from actionledger.sources.access import object_at, objects_at, text_at
from actionledger.sources.shapes.sniffed import decoded

_SCHEMAS = ("parameters", "inputSchema", "input_schema", "parametersJsonSchema", "parameters_json_schema")


def offered(tools: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the definitions of a list that name a tool; others are none.

    Args:
        tools: OpenAI's with their ``function``, flat ones (Responses, Anthropic, Vercel), or Gemini's lists of declarations.
    """
    found: list[dict[str, Any]] = []
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


def _function(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    function: dict[str, Any] = {"name": name}
    if description := text_at(given, "description"):
        function["description"] = description
    schema = decoded(next((given[key] for key in _SCHEMAS if given.get(key)), None))
    if isinstance(schema, Mapping):
        function["parameters"] = schema.get("jsonSchema", schema)
    return function
