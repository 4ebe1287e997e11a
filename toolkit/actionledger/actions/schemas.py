"""An action's arguments as JSON Schema, without what a model has no use for: titles, the field that names the action."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from actionledger.actions.wording import Schema, resolved

_MAPS_OF_SCHEMAS = frozenset({"properties", "$defs"})
_VALUES = frozenset({"default", "const", "enum", "examples", "discriminator", "required"})


def argument_schema(model: type[BaseModel], discriminator: str) -> Schema:
    """Return the JSON Schema of an action's arguments: its own fields first, then those of its bases."""
    bases = [base for base in model.__bases__ if issubclass(base, BaseModel)]
    inherited = {field.alias or name for base in bases for name, field in base.model_fields.items()}
    root = _untitled(model.model_json_schema())
    schema = resolved(root, root)
    own_first = sorted(schema["properties"].items(), key=lambda item: item[0] in inherited)
    properties = {name: field for name, field in own_first if name != discriminator}
    required = [name for name in properties if name in schema.get("required", ())]
    definitions = {"$defs": root["$defs"]} if "$defs" in root else {}
    kept = {key: value for key, value in schema.items() if key != "description"}
    return definitions | kept | {"properties": properties, "required": required}


def as_tool(name: str, description: str, parameters: Schema) -> dict[str, Any]:
    """Return an action as OpenAI's chat interface takes a tool."""
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def only_text(schema: Schema) -> str | None:
    """Return the parameter that a text by itself fills: the only one that is required, if it is a string; else None."""
    whole = resolved(schema, schema)
    required, properties = whole.get("required", ()), whole.get("properties", {})
    if not isinstance(required, list | tuple) or len(required) != 1 or not isinstance(properties, Mapping):
        return None
    parameter = properties.get(required[0])
    return required[0] if isinstance(parameter, Mapping) and parameter.get("type") == "string" else None


def own_texts(schema: Schema) -> frozenset[tuple[str, str]]:
    """Return each parameter with the texts that the schema itself gives for it: its default, or one to choose."""
    properties = resolved(schema, schema).get("properties")
    return frozenset(
        (name, text)
        for name, parameter in (properties.items() if isinstance(properties, Mapping) else ())
        if isinstance(parameter, Mapping)
        for text in _values_of(parameter)
        if isinstance(text, str)
    )


def _values_of(parameter: Mapping[str, Any]) -> list[Any]:
    choices = parameter.get("enum")
    values = choices if isinstance(choices, list | tuple) else ()
    return [parameter.get("default"), parameter.get("const"), *values]


def _untitled(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without the titles that pydantic makes of the names beside them; a field may be called title."""
    return {key: _without_titles(key, value) for key, value in schema.items() if key != "title"}


def _without_titles(key: str, value: Any) -> Any:
    if key in _VALUES:
        return value
    if key in _MAPS_OF_SCHEMAS:
        return {name: _untitled(schema) for name, schema in value.items()}
    if isinstance(value, list):
        return [_untitled(schema) if isinstance(schema, dict) else schema for schema in value]
    return _untitled(value) if isinstance(value, dict) else value
