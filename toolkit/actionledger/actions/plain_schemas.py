"""Plain schemas, which contain little more than types: a value that surely fits one needs no validator.

A schema, or a field of one, that contains anything unknown here is not plain.
"""

from collections.abc import Mapping
from types import NoneType
from typing import Any, NamedTuple

from actionledger.actions.schemas import Schema

_KINDS: dict[str, frozenset[type]] = {
    "string": frozenset({str}),
    "integer": frozenset({int}),
    "number": frozenset({int, float}),
    "boolean": frozenset({bool}),
    "null": frozenset({NoneType}),
    "array": frozenset({list}),
    "object": frozenset({dict}),
}
_SAYS_NOTHING = frozenset({"description", "title", "default", "examples", "$schema", "$defs", "definitions"})
_OF_VALUES = _SAYS_NOTHING | {"type", "enum", "items", "properties", "required", "additionalProperties"}
_DEEPEST = 10

TEXT = _KINDS["string"]
"""The kinds of a value that can only be a text."""


class Plain(NamedTuple):
    """A plain schema's constraints on a value."""

    kinds: frozenset[type]  # the allowed classes of the value
    allowed: frozenset[str] | None = None  # the only allowed texts; None for any
    items: "Plain | None" = None  # the constraints on a list's items; None for none
    # the constraints on an object's fields, each None if not plain; None for none
    fields: "Mapping[str, Plain | None] | None" = None
    required: frozenset[str] = frozenset()  # the required fields of an object
    is_closed: bool = False  # whether an object may have no other fields

    def holds(self, value: Any) -> bool:
        """Return whether a value surely fits the schema; False does not mean that it is invalid."""
        kind = type(value)
        if kind not in self.kinds:
            return False
        if kind is str:
            return self.allowed is None or value in self.allowed
        if self.allowed is not None:
            return False
        if kind is dict:
            return self._holds_fields(value)
        if kind is list and (items := self.items) is not None:
            for each in value:
                if not items.holds(each):
                    return False
        return True

    def _holds_fields(self, value: Mapping[str, Any]) -> bool:
        if not self.required <= value.keys():
            return False
        if self.fields is None:
            return not self.is_closed
        for name, each in value.items():
            if name in self.fields:
                field = self.fields[name]
                if field is None or not field.holds(each):
                    return False
            elif self.is_closed:
                return False
        return True


def plain(schema: Any, deepest: int = _DEEPEST) -> Plain | None:
    """Return a schema's constraints; None if it is not plain."""
    if not deepest or not isinstance(schema, Mapping) or not schema.keys() <= _OF_VALUES:
        return None
    named = schema.get("type")
    names = [named] if isinstance(named, str) else named
    if not isinstance(names, list) or not all(isinstance(each, str) and each in _KINDS for each in names):
        return None
    texts, others = schema.get("enum"), schema.get("additionalProperties", True)
    if texts is not None and not (isinstance(texts, list) and all(isinstance(each, str) for each in texts)):
        return None
    required = schema.get("required", [])
    if not isinstance(others, bool) or not all(isinstance(each, str) for each in required):
        return None
    kinds = frozenset[type]().union(*(_KINDS[each] for each in names))
    items = plain(schema["items"], deepest - 1) if "items" in schema else None
    if "items" in schema and items is None:
        kinds -= {list}
    return Plain(
        kinds,
        None if texts is None else frozenset(texts),
        items,
        _fields(schema, deepest),
        frozenset(required),
        not others,
    )


def _fields(schema: Schema, deepest: int) -> Mapping[str, Plain | None] | None:
    given = schema.get("properties")
    if not isinstance(given, Mapping):
        return None
    return {name: plain(each, deepest - 1) for name, each in given.items()}
