"""Tools that were offered, in whatever form a framework lists them, as the OpenAI interface takes them."""

from collections.abc import Iterable, Mapping
from typing import Any

from actionledger.core.canonical import json_text
from actionledger.core.namespaces import PLAIN, namespace_of, qualified
from actionledger.imports.shapes.sniffed import decoded
from actionledger.imports.sources.access import object_at, objects_at, text_at

_SCHEMAS = ("parameters", "inputSchema", "input_schema", "parametersJsonSchema", "parameters_json_schema")


def offered(tools: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the definitions of a list that name a tool; others are none."""
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


class LaterTools:
    """The tools that items of a conversation offer: a client's own list, and what searches have brought since.

    Attributes:
        text: all of them, as a turn takes them; empty where none are known.
    """

    def __init__(self) -> None:
        self.text = ""
        self._known: dict[str, dict[str, Any]] = {}

    def take(self, item: Mapping[str, Any]) -> bool:
        """Add what an item offers; return whether it counts: before a list has the plain tools, not all are recorded."""
        listed = list(objects_at(item, "tools"))
        if not self._known and not any(text_at(tool, "name") == PLAIN for tool in listed):
            return False
        self._known |= {json_text(tool): tool for tool in offered(listed)}
        self.text = json_text(list(self._known.values()))
        return True


def _function(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    function: dict[str, Any] = {"name": name}
    if description := text_at(given, "description"):
        function["description"] = description
    schema = decoded(next((given[key] for key in _SCHEMAS if given.get(key)), None))
    if isinstance(schema, Mapping):
        function["parameters"] = schema.get("jsonSchema", schema)
    return function
