"""Arguments that a JSON Schema allows, made up from it where nobody gave an example."""

from typing import Any

from actionledger.actions.wording import Schema, resolved

_DEEPEST = 8
"""A schema that contains itself has no end; examples of that depth are of no use to anybody."""

_LONGEST = 100
"""Longer texts and lists are no examples either."""

_TEXTS = {
    "date": "2026-05-04",
    "date-time": "2026-05-04T12:00:00Z",
    "time": "12:00:00Z",
    "email": "ada@example.org",
    "uri": "https://example.org",
    "uuid": "5e551011-0000-4000-8000-000000000000",
}


class _NoExampleError(Exception):
    """The schema allows nothing that could be made up."""


def made_example(schema: Schema) -> dict[str, Any] | None:
    """Return arguments with each required field and each that has an example; None where there is no telling.

    They have the right types, values and lengths; whether they fit a pattern or a rule between fields must be checked.
    """
    try:
        return _object(schema, schema, 0)
    except (_NoExampleError, ArithmeticError):  # bounds may be larger than any float
        return None


def _object(schema: Schema, root: Schema, depth: int) -> dict[str, Any]:
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
            return _text(schema, name)
        case "integer" | "number":
            return _number(schema)
        case "array":
            item = _value(schema.get("items", {}), root, name, depth + 1)
            return [item] * max(1, int(schema.get("minItems", 1)))
        case "object":
            return _object(schema, root, depth)
        case "boolean":
            return True
        case _:
            return None


def _text(schema: Schema, name: str) -> str:
    text = _TEXTS.get(schema.get("format", ""), f"the {name.replace('_', ' ')}")
    return text.ljust(int(schema.get("minLength", 0)), ".")[: int(schema.get("maxLength", _LONGEST))]


def _number(schema: Schema) -> float:
    """Return the number nearest to the lower bound, if there is one, that fits the step."""
    step: float = schema.get("multipleOf", 1)
    lowest: float = schema.get("minimum", schema.get("exclusiveMinimum", step))
    number = -(-lowest // step) * step
    highest: float = schema.get("maximum", schema.get("exclusiveMaximum", number))
    number = min(number, highest // step * step)
    return number + step if number == schema.get("exclusiveMinimum") else number
