"""What an action and its fields look like in words, for prompts and for people."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import JsonValue

from actionledger.actions.wording import Schema, allowed_values, in_words, resolved

Arguments: TypeAlias = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """One field of an action.

    Args:
        name: its name as a response writes it.
        type: what it takes, in words: ``integer greater than 0``.
        required: whether it must be given.
        default: the value it has if it isn't given; None for a required field.
        description: what it means.
        allowed: the values of a closed list, as text; empty where the values are open.
        fields: the fields of the object that it takes, or of each object in its array; theirs are not told.
    """

    name: str
    type: str
    required: bool
    default: JsonValue
    description: str
    allowed: tuple[str, ...]
    fields: tuple["FieldDescription", ...] = ()

    @property
    def need(self) -> str:
        """Whether it must be given, in words: ``required``, ``optional``, ``default "pending"``."""
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
        description: what it does.
        fields: its own fields, then those that it shares with other actions; the discriminator is left out.
        example: correct arguments, without the discriminator; None where there is none.
        group: what it belongs to, such as ``Tasks``; empty where nothing was said.
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
    """Return the fields that every one of several actions has, in the first one's order."""
    if len(actions) < 2:
        return ()
    first, *others = actions
    return tuple(field for field in first.fields if all(field in other.fields for other in others))
