"""What a JSON Schema allows, in the few words that it takes to put a wrong value right.

The schemas are pydantic's; ``root`` is the one that holds the definitions a reference points to.
"""

import json
from collections.abc import Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

Schema: TypeAlias = Mapping[str, Any]


def pointed_at(reference: Any, root: Schema) -> Schema | None:
    """Return the schema that a reference within a schema points at; None if there is none: nothing is ever fetched."""
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
    """Return what a reference stands for, or the schema itself if it is none; for true and false, one that says nothing."""
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
    """Return the values of a closed list, as text; empty where the values are open."""
    schema = resolved(schema, root)
    own = [schema["const"]] if "const" in schema else schema.get("enum", ())
    in_branches = (value for branch in _branches(schema) for value in allowed_values(branch, root))
    return tuple(dict.fromkeys((*map(_value, own), *in_branches)))


def in_words(schema: Schema, root: Schema, *, with_items: bool = True) -> str:
    """Return what a schema allows, such as ``integer greater than 0``."""
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


def _value(value: Any) -> str:
    """Return a value of a closed list: a text as it is, unless nothing would be seen of it, anything else as JSON."""
    if isinstance(value, str) and value.strip() == value and value:
        return value
    return json.dumps(value, ensure_ascii=False)


def _branches(schema: Schema) -> tuple[Schema, ...]:
    """Return what a value may be instead: the branches of a union, in either spelling."""
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
