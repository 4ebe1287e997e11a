"""JSON Schemas of arguments: made from a model, described in words, with an example."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import unquote

from pydantic import BaseModel, JsonValue

from actionledger.core.canonical import JsonDict, JsonMap

_MAPS_OF_SCHEMAS = frozenset({"properties", "$defs"})


_VALUES = frozenset({"default", "const", "enum", "examples", "discriminator", "required"})


Schema: TypeAlias = JsonMap


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


def as_tool(name: str, description: str, parameters: Schema) -> JsonDict:
    """Return an action as a tool in the format of OpenAI's chat interface."""
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def only_text(schema: Schema) -> str | None:
    """Return the parameter that a bare text fills: the only required one, if it is a string; else None."""
    whole = resolved(schema, schema)
    required, properties = whole.get("required", ()), whole.get("properties", {})
    if not isinstance(required, list | tuple) or len(required) != 1 or not isinstance(properties, Mapping):
        return None
    parameter = properties.get(required[0])
    return required[0] if isinstance(parameter, Mapping) and parameter.get("type") == "string" else None


def own_texts(schema: Schema) -> frozenset[tuple[str, str]]:
    """Return each parameter with the texts that the schema itself has for it: its default, or a choice."""
    properties = resolved(schema, schema).get("properties")
    return frozenset(
        (name, text)
        for name, parameter in (properties.items() if isinstance(properties, Mapping) else ())
        if isinstance(parameter, Mapping)
        for text in _values_of(parameter)
        if isinstance(text, str)
    )


def _values_of(parameter: JsonMap) -> list[Any]:
    choices = parameter.get("enum")
    values = choices if isinstance(choices, list | tuple) else ()
    return [parameter.get("default"), parameter.get("const"), *values]


def _untitled(schema: JsonMap) -> JsonDict:
    """Return a schema without the titles that pydantic derives from names; a field may be called title."""
    return {key: _without_titles(key, value) for key, value in schema.items() if key != "title"}


def _without_titles(key: str, value: Any) -> Any:
    if key in _VALUES:
        return value
    if key in _MAPS_OF_SCHEMAS:
        return {name: _untitled(schema) for name, schema in value.items()}
    if isinstance(value, list):
        return [_untitled(schema) if isinstance(schema, dict) else schema for schema in value]
    return _untitled(value) if isinstance(value, dict) else value


_DEEPEST = 8
"""A recursive schema has no end, and deeper examples are useless."""


_LONGEST = 100
"""Longer texts and lists are useless as examples."""


_TEXTS = {
    "date": "2026-05-04",
    "date-time": "2026-05-04T12:00:00Z",
    "time": "12:00:00Z",
    "email": "ada@example.org",
    "uri": "https://example.org",
    "uuid": "5e551011-0000-4000-8000-000000000000",
}


class _NoExampleError(Exception):
    """No example can be made for the schema."""


def made_example(schema: Schema) -> JsonDict | None:
    """Return arguments with each required field and each that has an example; None if that is not possible.

    They have the right types, values and lengths; the caller must check patterns and rules between fields.
    """
    try:
        return _object(schema, schema, 0)
    except (_NoExampleError, ArithmeticError):  # limits may be larger than any float
        return None


def _object(schema: Schema, root: Schema, depth: int) -> JsonDict:
    required = schema.get("required", ())
    fields = {name: resolved(field, root) for name, field in schema.get("properties", {}).items()}
    shown = {name: field for name, field in fields.items() if name in required or "examples" in field}
    shown |= {name: {} for name in required if name not in fields}
    return {name: _value(field, root, name, depth + 1) for name, field in shown.items()}


def _value(schema: Schema, root: Schema, name: str, depth: int) -> Any:
    schema = resolved(schema, root)
    if depth > _DEEPEST or schema.get("minItems", 0) > _LONGEST or schema.get("minLength", 0) > _LONGEST:
        raise _NoExampleError
    for given in ("examples", "enum"):
        if schema.get(given):
            return schema[given][0]
    for given in ("const", "default"):
        if schema.get(given) is not None:
            return schema[given]
    if branches := (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        return _value(branches[0], root, name, depth + 1)
    kind = schema.get("type", "string")
    match kind[0] if isinstance(kind, list) else kind:
        case "string":
            text = _TEXTS.get(schema.get("format", ""), f"the {name.replace('_', ' ')}")
            return text.ljust(int(schema.get("minLength", 0)), ".")[: int(schema.get("maxLength", _LONGEST))]
        case "integer" | "number":
            # The first multiple of the step from the lower bound on, if there is a bound.
            step: float = schema.get("multipleOf", 1)
            lowest: float = schema.get("minimum", schema.get("exclusiveMinimum", step))
            number = -(-lowest // step) * step
            highest: float = schema.get("maximum", schema.get("exclusiveMaximum", number))
            number = min(number, highest // step * step)
            return number + step if number == schema.get("exclusiveMinimum") else number
        case "array":
            item = _value(schema.get("items", {}), root, name, depth + 1)
            return [item] * max(1, int(schema.get("minItems", 1)))
        case "object":
            return _object(schema, root, depth)
        case "boolean":
            return True
        case _:
            return None


def pointed_at(reference: Any, root: Schema) -> Schema | None:
    """Return the target of a reference within a schema; None if there is none, since nothing is ever fetched."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    here: Any = root
    for written in filter(None, unquote(reference[1:]).split("/")):
        step = written.replace("~1", "/").replace("~0", "~")
        if isinstance(here, Mapping) and step in here:
            here = here[step]
        elif isinstance(here, list) and step.isdecimal() and step.isascii() and int(step[:6]) < len(here):
            here = here[int(step[:6])]
        else:
            return None
    return here if isinstance(here, Mapping) else None


def resolved(schema: Any, root: Schema) -> Schema:
    """Return a reference's target, or the schema itself if it is none; an empty schema for true and false."""
    followed: list[Any] = []
    while isinstance(schema, Mapping) and "$ref" in schema and schema["$ref"] not in followed:
        followed.append(schema["$ref"])
        schema = pointed_at(schema["$ref"], root)
    return schema if isinstance(schema, Mapping) else {}


def child(schema: Schema, step: str | int, root: Schema) -> Schema | None:
    """Return the schema of a field or an array item; None if this schema doesn't describe one."""
    schema = resolved(schema, root)
    for found in _direct_children(schema, step):
        if isinstance(found, Mapping):
            return found
    found_in_branches = (child(branch, step, root) for branch in _branches(schema))
    return next((found for found in found_in_branches if found is not None), None)


def field_names(schema: Schema, root: Schema) -> tuple[str, ...]:
    """Return the names of the fields that an object of this schema may have."""
    schema = resolved(schema, root)
    in_branches = (name for branch in _branches(schema) for name in field_names(branch, root))
    return tuple(dict.fromkeys((*schema.get("properties", {}), *in_branches)))


def takes_others(schema: Schema) -> bool:
    """Return whether an object of this schema may have fields that the schema doesn't name."""
    return schema.get("additionalProperties") is not False or "patternProperties" in schema


def allowed_values(schema: Schema, root: Schema) -> tuple[str, ...]:
    """Return the values of a closed list, as text; empty if the values are open."""
    schema = resolved(schema, root)
    own = [schema["const"]] if "const" in schema else schema.get("enum", ())
    in_branches = (value for branch in _branches(schema) for value in allowed_values(branch, root))
    return tuple(dict.fromkeys((*map(_wording_value, own), *in_branches)))


def in_words(schema: Schema, root: Schema, *, with_items: bool = True) -> str:
    """Return the values that a schema allows, in words, such as ``integer greater than 0``."""
    schema = resolved(schema, root)
    if "const" in schema or "enum" in schema:
        return f"one of: {', '.join(allowed_values(schema, root))}"
    if branches := _branches(schema):
        return " or ".join(dict.fromkeys(in_words(each, root, with_items=with_items) for each in branches))
    match schema.get("type"):
        case "string":
            return f"string{_length(schema, 'Length', 'character')}{_form(schema)}"
        case "integer" | "number" as kind:
            return f"{kind}{_range(schema)}"
        case "array":
            kind = "array of different items" if schema.get("uniqueItems") else "array"
            return f"{kind}{_length(schema, 'Items', 'item')}{_items(schema, root) if with_items else ''}"
        case "object":
            fields = field_names(schema, root)
            return f"object with {', '.join(fields)}" if fields else "object"
        case "boolean" | "null" as kind:
            return str(kind)
        case _:
            return "any value"


def _wording_value(value: Any) -> str:
    """Return a value of a closed list: a text unchanged, unless it would be invisible, anything else as JSON."""
    if isinstance(value, str) and value.strip() == value and value:
        return value
    return json.dumps(value, ensure_ascii=False)


def _branches(schema: Schema) -> tuple[Schema, ...]:
    """Return the alternatives of a value: the branches of a union, in either spelling."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return tuple(dict(schema) | {"type": kind} for kind in kinds)
    return (*schema.get("anyOf", ()), *schema.get("oneOf", ()))


def _direct_children(schema: Schema, step: str | int) -> tuple[Any, ...]:
    if isinstance(step, str):
        return schema.get("properties", {}).get(step), schema.get("additionalProperties")
    return (*schema.get("prefixItems", ())[step : step + 1], schema.get("items"))


def _length(schema: Schema, suffix: str, noun: str) -> str:
    low, high = schema.get(f"min{suffix}"), schema.get(f"max{suffix}")
    if low is not None and high is not None:
        return f" of {low} to {high} {noun}s"
    if low is not None:
        return f" of at least {low} {noun}{'' if low == 1 else 's'}"
    return "" if high is None else f" of at most {high} {noun}{'' if high == 1 else 's'}"


def _items(schema: Schema, root: Schema) -> str:
    items = schema.get("items")
    return f" (each: {in_words(items, root, with_items=False)})" if items else ""


def _form(schema: Schema) -> str:
    pattern = f" matching {schema['pattern']}" if "pattern" in schema else ""
    return f"{pattern} ({schema['format']})" if "format" in schema else pattern


def _range(schema: Schema) -> str:
    if "minimum" in schema and "maximum" in schema:
        return f" from {schema['minimum']} to {schema['maximum']}"
    bounds = {
        "minimum": "at least",
        "exclusiveMinimum": "greater than",
        "maximum": "at most",
        "exclusiveMaximum": "less than",
        "multipleOf": "a multiple of",
    }
    said = [f"{words} {schema[bound]}" for bound, words in bounds.items() if bound in schema]
    return f" {' and '.join(said)}" if said else ""


Arguments: TypeAlias = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """One field of an action."""

    name: str  # its name in a response
    type: str  # its type in words: `integer greater than 0`
    required: bool
    default: JsonValue  # its default value; None for a required field
    description: str  # its meaning
    allowed: tuple[str, ...]  # the values of a closed list, as text; empty if the values are open
    # the fields of the object that it takes, or of each object in its array, without their own fields
    fields: tuple["FieldDescription", ...] = ()

    @property
    def need(self) -> str:
        """Whether it is required, in words: ``required``, ``optional``, ``default "pending"``."""
        if self.required:
            return "required"
        return (
            "optional" if self.default is None else f"default {json.dumps(self.default, ensure_ascii=False)}"
        )


@dataclass(frozen=True, slots=True)
class ActionDescription:
    """One action.

    Args:
        name: its name.
        description: its purpose.
        fields: its own fields, then those that it shares with other actions, without the discriminator.
        example: correct arguments, without the discriminator; None if there is none.
        group: its group, such as ``Tasks``; empty if it has none.
    """

    name: str
    description: str
    fields: tuple[FieldDescription, ...]
    example: Arguments | None
    group: str = ""


def fields_of(schema: Schema) -> tuple[FieldDescription, ...]:
    """Return the fields of arguments, in the schema's order."""
    return _fields(schema, schema, with_inner=True)


def _fields(schema: Schema, root: Schema, *, with_inner: bool) -> tuple[FieldDescription, ...]:
    required = schema.get("required", ())
    return tuple(
        _field(name, field, root, is_required=name in required, with_inner=with_inner)
        for name, field in schema.get("properties", {}).items()
    )


def _field(name: str, field: Any, root: Schema, *, is_required: bool, with_inner: bool) -> FieldDescription:
    beside = field if isinstance(field, Mapping) else {}
    whole = {**resolved(field, root), **{key: value for key, value in beside.items() if key != "$ref"}}
    inner = resolved(whole.get("items"), root) if whole.get("type") == "array" else whole
    return FieldDescription(
        name=name,
        type=in_words(whole, root),
        required=is_required,
        default=whole.get("default"),
        description=str(whole.get("description", "")),
        allowed=allowed_values(whole, root),
        fields=_fields(inner, root, with_inner=False) if with_inner else (),
    )


def shared_fields(actions: Sequence[ActionDescription]) -> tuple[FieldDescription, ...]:
    """Return the fields that all of several actions have, in the first one's order."""
    if len(actions) < 2:
        return ()
    first, *others = actions
    return tuple(field for field in first.fields if all(field in other.fields for other in others))
