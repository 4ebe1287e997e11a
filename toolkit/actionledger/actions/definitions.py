"""Tools as people have them: what each provider's interface, a framework or a list of declarations says of one."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from actionledger.core.errors import UsageError
from actionledger.core.namespaces import namespace_of, qualified

_LISTS = ("functionDeclarations", "function_declarations", "tools")
"""The keys under which several tools are given as one: Gemini's declarations, the answer of an MCP server."""

_INNER = ("function", "toolSpec", "custom")
_PARAMETERS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema")

_HOSTED = frozenset(
    [
        "cachepoint",
        "codeexecution",
        "computeruse",
        "enterprisewebsearch",
        "filesearch",
        "googlemaps",
        "googlesearch",
        "googlesearchretrieval",
        "retrieval",
        "systemtool",
        "urlcontext",
    ]
)
"""The keys that Gemini's and Bedrock's interfaces put in place of a name, in either spelling, where there is nothing to call."""


class Definition(NamedTuple):
    """What is said of one tool.

    Args:
        name: its name.
        description: what it does, for the model; empty where nothing is said.
        parameters: what is given as the schema of its arguments; None for nothing.
    """

    name: str
    description: str
    parameters: Any


def definitions_in(tools: Iterable[Any], left_out: list[str]) -> Iterator[Definition]:
    """Yield the tools of a list."""
    if isinstance(tools, str | bytes) or not isinstance(tools, Iterable):
        raise UsageError(
            f"Tools are a list, one mapping a tool; {str(tools)[:80]!r} is of the type {type(tools).__name__}."
        )
    for number, tool in enumerate([tools] if isinstance(tools, Mapping) else tools):
        several = (
            next((tool[key] for key in _LISTS if isinstance(tool.get(key), list | tuple)), None)
            if isinstance(tool, Mapping)
            else None
        )
        if several is not None:
            for each in definitions_in(several, left_out):
                yield each._replace(name=qualified(namespace_of(tool), each.name))
        elif _is_hosted(tool):
            left_out.append(
                f"Tool {number} is one that the provider runs itself, {str(dict(tool))[:80]}: left out."
            )
        else:
            yield _definition(number, tool)


def _is_hosted(tool: Any) -> bool:
    """Return whether a tool is named by its type or its key alone, such as a web search."""
    if not isinstance(tool, Mapping) or any(key in tool for key in ("name", *_INNER, *_PARAMETERS)):
        return False
    if any(str(key).replace("_", "").lower() in _HOSTED for key in tool):
        return True
    kind = tool.get("type")
    return isinstance(kind, str) and kind not in {"", "function", "custom"}


def _definition(number: int, tool: Any) -> Definition:
    inner = tool
    if isinstance(tool, Mapping):
        inner = next((tool[key] for key in _INNER if isinstance(tool.get(key), Mapping)), tool)
    name = inner.get("name") if isinstance(inner, Mapping) else None
    if not isinstance(name, str) or not name:
        raise UsageError(f"Tool {number} has no name; write it as the OpenAI interface takes it.")
    given = next((inner[key] for key in _PARAMETERS if inner.get(key) is not None), None)
    if isinstance(given, Mapping) and isinstance(given.get("json"), Mapping) and "type" not in given:
        given = given["json"]  # Bedrock's
    if given is None and isinstance(fields := inner.get("parameter_definitions"), Mapping):
        given = _of_fields(fields)
    return Definition(name, str(inner.get("description") or ""), given)


def _of_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of what Cohere's first interface lists field by field."""
    required = [
        name for name, field in fields.items() if isinstance(field, Mapping) and field.get("required")
    ]
    properties = {
        name: {key: value for key, value in field.items() if key != "required"}
        if isinstance(field, Mapping)
        else {}
        for name, field in fields.items()
    }
    return {"type": "object", "properties": properties, "required": required}
