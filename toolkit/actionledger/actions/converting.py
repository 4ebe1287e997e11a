"""Converts values of another type than the schema's, if nothing is lost and only one meaning is possible.

For an integer, ``"3"`` and 3.0 become 3; for a boolean, ``"true"`` becomes true. For an identifier that is a text, a number becomes that
text, as does a number or boolean that one of the allowed texts spells. For a list, a single value becomes a list of it.
An unknown field is omitted if no field's name is similar, unless the field would only have made the action a trial (``dry_run``). All else
stays unchanged and is rejected: ``3.5`` for an integer, ``"3 apples"``, ``"yes"``, a list for a single value, an object in a text.
Discriminators and the content of free objects are never changed. Pure, and only used on rejected arguments.
"""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from pydantic_core import from_json

from actionledger.actions.refusals import json_text, one_of
from actionledger.actions.schemas import Schema, field_names, resolved, takes_others
from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.names import near_names
from actionledger.core.patterns import regex
from actionledger.core.values import Conversion, FieldError
from actionledger.core.vocabulary import Reason

_Path: TypeAlias = tuple[str, ...]

_DEEPEST = 20
_LONGEST_NUMBER = 100
_LONGEST_KEPT = 200
"""No longer name is similar to another one, so its end doesn't matter."""

_MOST = 100
"""If one action has more conversions than this, they are reported by field, not one by one."""

_EXACT = 2**53
"""Up to this limit every integer has a float of its own."""

_NUMBER = regex(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_SEVERAL = regex(r"[,;|\n]|^\s*[\[{(]|^\s*$")
"""Matches texts that may be several values or none, and so don't become a list of one."""

_HELD_BACK = frozenset(
    [
        *(
            "checkonly",
            "dryrun",
            "noop",
            "planonly",
            "preview",
            "simulate",
            "simulation",
            "validateonly",
            "whatif",
        ),
        *("asdraft", "draft", "draftonly", "needsapproval", "requireapproval", "requiresapproval"),
        *("needsconfirmation", "requireconfirmation", "requiresconfirmation"),
    ]
)
"""Field names, as letters only, that make an action a trial or ask before it; without them it would run."""

_MODES = frozenset(["mode", "runmode", "executionmode"])
"""Fields whose value may hold an action back."""

_IDENTIFIER = regex(r"(^|_)ids?$|[a-z](Id|ID)s?$|^depends_on$")
_BOOLEANS = {"true": True, "false": False, "True": True, "False": False}


class Converted(NamedTuple):
    """Arguments in the types of their schema."""

    arguments: JsonDict  # the arguments, without the omitted fields
    conversions: tuple[Conversion, ...]  # the converted values
    left_out: tuple[FieldError, ...]  # the omitted unknown fields


def converted(arguments: JsonMap, schema: Schema, refused: Collection[str]) -> Converted | None:
    """Return arguments with rejected values converted; None if nothing can be converted."""
    converting = _Converting(schema)
    made = converting.arguments(arguments, refused)
    if not (converting.conversions or converting.left_out):
        return None
    found = converting.conversions
    if len(found) > _MOST:
        fields = dict.fromkeys(each.path.partition(".")[0] for each in found)
        found = [
            Conversion(name, json_text(arguments[name]), json_text(made[name]))
            for name in fields
            if name in made
        ]
    return Converted(made, tuple(found), tuple(converting.left_out[:_MOST]))


_PACKED = (
    "arguments",
    "parameters",
    "args",
    "params",
    "input",
    "fields",
    "action_input",
    "tool_input",
    "kwargs",
)
"""The keys under which models nest an action's fields that should be next to its name."""


class Packed(NamedTuple):
    """An action's fields that were nested in an object."""

    arguments: JsonDict  # the nested fields merged with the others
    conversion: Conversion  # the change


def unpacked(arguments: JsonMap, known: Collection[str]) -> Packed | None:
    """Return arguments with a nested object, or one as JSON text, merged into the others; None if that is ambiguous."""
    held_by = {key: _object(arguments.get(key)) for key in _PACKED if key not in known}
    objects = [(key, held) for key, held in held_by.items() if held is not None]
    if len(objects) != 1:
        return None
    [(holder, held)] = objects
    rest = {key: value for key, value in arguments.items() if key != holder}
    if not held or not held.keys() <= set(known) or not held.keys().isdisjoint(rest):
        return None
    before = json_text({holder: arguments[holder]})
    return Packed({**rest, **held}, Conversion(holder, before[:200], json_text(held)))


def _object(value: object) -> JsonMap | None:
    """Return an object, or one from JSON text without duplicate keys; None for anything else."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            value = json.loads(value, object_pairs_hook=_each_once)
    return value if isinstance(value, Mapping) else None


def _each_once(pairs: Sequence[tuple[str, Any]]) -> JsonDict:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("A key stands twice.")
    return found


def without_unknown(arguments: JsonMap, known: Collection[str], schema: Schema) -> Converted | None:
    """Return arguments without the unknown fields; None if other fields are allowed, or one may be meant for a known field."""
    strangers = None if takes_others(schema) else strangers_in(arguments, known, tuple(schema["properties"]))
    if strangers is None:
        return None
    kept = {name: value for name, value in arguments.items() if name in known}
    left_out = [
        FieldError(Reason.UNKNOWN_FIELD, name, json_text(arguments[name]), expected)
        for name, expected in strangers
    ]
    return Converted(kept, (), tuple(left_out))


def strangers_in(
    arguments: JsonMap, known: Collection[str], names: tuple[str, ...]
) -> list[tuple[str, str]] | None:
    """Return the first hundred unknown fields, each with what is expected instead; None if one may be meant for a known field."""
    strangers: list[tuple[str, str]] = []
    for name in [name for name in arguments if name not in known][:_MOST]:
        expected = expected_without(name, arguments[name], names)
        if not expected:
            return None
        strangers.append((name, expected))
    return strangers


class _Converting:
    """Converts the arguments of one action, and records what it did."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self.conversions: list[Conversion] = []
        self.left_out: list[FieldError] = []

    def arguments(self, given: JsonMap, refused: Collection[str]) -> JsonDict:
        whole = resolved(self._root, self._root)
        kept = self._known(given, whole, ())
        properties = whole.get("properties", {})
        return {
            name: self._value(value, properties[name], (name,), 0)
            if name in refused and name in properties
            else value
            for name, value in kept.items()
        }

    def _value(self, value: Any, schema: Any, path: _Path, depth: int) -> Any:
        branches = self._branches(schema, depth)
        if depth > _DEEPEST or not branches:
            return value
        fitting = [branch for branch in branches if _fits(value, branch)]
        if len(fitting) == 1:
            return self._inside(value, fitting[0], path, depth)
        if fitting:
            return value
        meant = [
            each for branch in branches if (each := self._meant(value, branch, path, depth)) is not _NOTHING
        ]
        if len(meant) != 1:
            return value
        self.conversions.append(Conversion(".".join(path), json_text(value), json_text(meant[0])))
        return meant[0]

    def _branches(self, schema: Any, depth: int) -> list[Schema]:
        """Return the schemas that a value may have: one for each type."""
        schema = resolved(schema, self._root)
        inner = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
        if inner:
            return (
                [each for one in inner for each in self._branches(one, depth + 1)] if depth < _DEEPEST else []
            )
        kinds = schema.get("type", _TYPES.get(type(schema.get("const"))))
        return [{**schema, "type": kind} for kind in (kinds if isinstance(kinds, list) else [kinds])]

    def _inside(self, value: Any, schema: Schema, path: _Path, depth: int) -> Any:
        """Convert the items of a list or the fields of an object that has the right type."""
        if isinstance(value, list):
            items, first = schema.get("items"), schema.get("prefixItems", ())
            return [
                self._value(
                    item, first[place] if place < len(first) else items, (*path, str(place)), depth + 1
                )
                for place, item in enumerate(value)
            ]
        properties = schema.get("properties")
        if not isinstance(value, Mapping) or not properties:
            return value
        tells_apart = schema.get("discriminator", {}).get("propertyName")
        return {
            name: item
            if name not in properties or name == tells_apart
            else self._value(item, properties[name], (*path, name), depth + 1)
            for name, item in self._known(value, schema, path).items()
        }

    def _meant(self, value: Any, schema: Schema, path: _Path, depth: int) -> Any:
        """Return a value converted to the schema's type; ``_NOTHING`` if that is ambiguous."""
        if "const" in schema:
            # the only allowed value, if it is written in another type
            constant = schema["const"]
            if isinstance(constant, str):
                return _spelled(value, [constant])
            rest = {key: given for key, given in schema.items() if key != "const"}
            meant = self._meant(value, rest, path, depth)
            return meant if type(meant) is type(constant) and meant == constant else _NOTHING
        match schema.get("type"):
            case "integer":
                return _integer(value)
            case "number":
                return _number(value) if isinstance(value, str) else _NOTHING
            case "boolean":
                return _BOOLEANS.get(value, _NOTHING) if isinstance(value, str) else _NOTHING
            case "string" if "enum" in schema:
                return _spelled(value, schema["enum"])
            case "string":
                return str(value) if type(value) is int and _is_identifier(path) else _NOTHING
            case "array":
                return self._list_of_one(value, schema, path, depth)
        return _NOTHING

    def _list_of_one(self, value: Any, schema: Schema, path: _Path, depth: int) -> Any:
        # Nested deeper, it could have more than one meaning, and the documents say that it is rejected.
        is_plain = isinstance(value, str | int | float) and not (
            isinstance(value, str) and _SEVERAL.search(value)
        )
        if not is_plain or depth:
            return _NOTHING
        branches = self._branches(schema.get("items"), depth)
        if any(_fits(value, branch) for branch in branches):
            return [value]
        meant = [
            self._meant(value, branch, path, depth + 1)
            for branch in branches
            if branch.get("type") != "array"
        ]
        meant = [each for each in meant if each is not _NOTHING]
        return meant if len(meant) == 1 else _NOTHING

    def _known(self, given: JsonMap, schema: Schema, path: _Path) -> JsonMap:
        """Return an object's fields without the unknown ones that don't misspell a known one."""
        if takes_others(schema):
            return given
        known = field_names(schema, self._root)
        unknown = {name: _left_out(name, given[name], known, path) for name in given if name not in known}
        self.left_out.extend(filter(None, unknown.values()))
        return {name: value for name, value in given.items() if not unknown.get(name)}


_NOTHING = object()
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}
"""The types of constants, for schemas without a type."""


def _fits(value: Any, schema: Schema) -> bool:
    """Return whether a value has a schema's type; an object must also match the schema's constants."""
    match schema.get("type"):
        case "string":
            return isinstance(value, str) and not (
                value in _BOOLEANS and value not in schema.get("enum", (value,))
            )
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, Mapping) and all(
                value[name] == field["const"]
                for name, field in schema.get("properties", {}).items()
                if isinstance(field, Mapping) and "const" in field and name in value
            )
    return True


def _integer(value: Any) -> Any:
    number = _number(value) if isinstance(value, str) else value
    if isinstance(number, float) and number.is_integer() and abs(number) <= _EXACT:
        return int(number)
    return number if isinstance(value, str) and isinstance(number, int) else _NOTHING


def _number(text: str) -> Any:
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return _NOTHING
    number = from_json(text)
    return number if math.isfinite(number) else _NOTHING


def _spelled(value: Any, allowed: Sequence[Any]) -> Any:
    """Return the only allowed text that spells a number or a boolean, as JSON or as Python writes it."""
    said = _BOOLEANS.get(value) if isinstance(value, str) else value
    if type(said) not in {int, bool}:
        return _NOTHING
    found = [text for text in allowed if isinstance(text, str) and text in {json_text(said), str(said)}]
    return found[0] if len(found) == 1 else _NOTHING


def _left_out(name: str, value: Any, known: tuple[str, ...], path: _Path) -> FieldError | None:
    """Return the note on an omitted unknown field; None if it may be meant for another one, or holds the action back."""
    expected = expected_without(name, value, known)
    if not expected:
        return None
    return FieldError(Reason.UNKNOWN_FIELD, ".".join((*path, name)), json_text(value), expected)


def is_decided_by_name(name: str) -> bool:
    """Return whether an unknown field is handled by its name alone, whatever its value."""
    return len(name) <= _LONGEST_KEPT and not _may_hold_back(name)


def expected_without(name: str, value: Any, known: tuple[str, ...]) -> str:
    """Return what is expected instead of an omitted unknown field; empty if it can't simply be omitted."""
    if name in _PACKED and isinstance(value, Mapping) and not value.keys().isdisjoint(known):
        return ""
    expected, may_hold_back = _unknown(name[:_LONGEST_KEPT], known)
    if may_hold_back or len(name) > _LONGEST_KEPT:
        return "" if _holds_back(name, value) else expected
    return expected


@lru_cache(maxsize=1024)
def _unknown(name: str, known: tuple[str, ...]) -> tuple[str, bool]:
    """Return what is expected instead of an unknown field, and whether it may hold the action back.

    The first is empty if the field may be meant for a known one.
    """
    return "" if near_names(name, known) else one_of(name, known, "field"), _may_hold_back(name)


def _may_hold_back(name: str) -> bool:
    return _letters(name) in _HELD_BACK | _MODES


def _holds_back(name: str, value: Any) -> bool:
    if _letters(name) in _MODES:
        return isinstance(value, str) and _letters(value[:_LONGEST_KEPT]) in _HELD_BACK
    return value not in (False, None) and _may_hold_back(name)


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text.lower()))


def _is_identifier(path: Sequence[str]) -> bool:
    name = next((step for step in reversed(path) if not step.isdecimal()), "")
    return _IDENTIFIER.search(name) is not None
