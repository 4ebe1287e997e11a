"""Schemas that say little more than types: what surely fits one is seen at once, and only the rest is shown to the validator.

Whatever a schema says that is not understood here makes it, or that field of it, no plain one.
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
"""The kinds of what can only be a text."""


class Plain(NamedTuple):
    """The constraints that a plain schema puts on a value.

    Args:
        kinds: the classes, one of which a value has.
        allowed: the only texts that a text may be; None for any.
        items: what is asked of the items of a list; None for nothing.
        fields: what is asked of the fields of an object, and None for one that is not plain; None for nothing.
        required: the fields that an object has to have.
        is_closed: whether an object has no other fields.
    """

    kinds: frozenset[type]
    allowed: frozenset[str] | None = None
    items: "Plain | None" = None
    fields: "Mapping[str, Plain | None] | None" = None
    required: frozenset[str] = frozenset()
    is_closed: bool = False

    def holds(self, value: Any) -> bool:
        """Return whether a value surely is as the schema asks; one that is not may be so yet."""
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
    """Return what a schema asks; None where it asks more than is understood here."""
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
