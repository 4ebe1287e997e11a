"""Converts the errors of pydantic and JSON Schema into field errors: a closed code, a path into the arguments, the value, what is allowed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from actionledger.actions.schemas import Schema, allowed_values, child, field_names, in_words
from actionledger.core.canonical import JsonMap
from actionledger.core.names import did_you_mean
from actionledger.core.text import escaped_halves
from actionledger.core.values import FieldError
from actionledger.core.vocabulary import Reason

if TYPE_CHECKING:
    from jsonschema import ValidationError as SchemaViolation

_LONGEST_VALUE = 200
"""The number of characters of a value in a field error; the action's record has the whole value."""

_MOST_ERRORS = 100
"""The number of reported errors in one action; its record has all of its arguments."""

_MOST_NAMES = 50
"""The number of known names in an error; the prompt and the catalogue have all of them."""

_TYPES = {
    Reason.MISSING_FIELD: (
        "missing",
        "missing_argument",
        "missing_keyword_only_argument",
        "missing_positional_only_argument",
        "union_tag_not_found",
    ),
    Reason.UNKNOWN_FIELD: ("extra_forbidden", "unexpected_keyword_argument"),
    Reason.WRONG_TYPE: (
        "bool_parsing",
        "float_parsing",
        "int_from_float",
        "int_parsing",
        "is_instance_of",
        "is_subclass_of",
        "none_required",
    ),
    Reason.VALUE_NOT_ALLOWED: ("enum", "literal_error", "multiple_of", "union_tag_invalid"),
    Reason.OUT_OF_RANGE: (
        "date_future",
        "date_past",
        "datetime_future",
        "datetime_past",
        "finite_number",
        "greater_than",
        "greater_than_equal",
        "int_parsing_size",
        "less_than",
        "less_than_equal",
    ),
    Reason.BAD_LENGTH: (
        "bytes_too_long",
        "bytes_too_short",
        "string_too_long",
        "string_too_short",
        "too_long",
        "too_short",
        "url_too_long",
    ),
    Reason.TOO_DEEP: ("recursion_depth_exceeded", "recursion_loop"),
}
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_CODES = {kind: code for code, kinds in _TYPES.items() for kind in kinds}


def code_of(error_type: str) -> Reason:
    """Return the closed code for one of pydantic's error types; an unknown one is a bad format."""
    is_about_type = error_type.endswith("_type")
    return _CODES.get(error_type, Reason.WRONG_TYPE if is_about_type else Reason.BAD_FORMAT)


def field_errors(error: ValidationError, arguments: JsonMap, schema: Schema) -> tuple[FieldError, ...]:
    """Return field errors for the first hundred of pydantic's errors, in its order."""
    first = error.errors(include_url=False)[:_MOST_ERRORS]
    return tuple(_field_error(details, arguments, schema) for details in first)


def one_of(word: str, known: Sequence[str], noun: str) -> str:
    """Return which name is expected instead of a wrong one: the similar ones if there are any, else all of them."""
    if hint := did_you_mean(word, known):
        return f"a known {noun} ({hint})"
    more = f", … ({len(known)} in all)" if len(known) > _MOST_NAMES else ""
    return f"one of: {', '.join(known[:_MOST_NAMES])}{more}" if known else f"no {noun}"


def json_text(value: Any) -> str:
    """Return a value as compact JSON text of at most 200 characters, or as Python's ``repr`` if JSON can't express it."""
    try:
        text = _start_of_json(value)
    except (TypeError, ValueError):
        text = _start_of_repr(value)
    text = escaped_halves(text)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def _field_error(details: ErrorDetails, arguments: JsonMap, schema: Schema) -> FieldError:
    code = code_of(details["type"])
    missing = code is Reason.MISSING_FIELD
    path = _path(details["loc"], arguments, with_last=missing)
    return FieldError(
        code=code,
        path=".".join(map(str, path)),
        value="" if missing else json_text(details["input"]),
        expected=_expected(details, code, path, schema),
    )


def _path(loc: Sequence[str | int], arguments: Any, *, with_last: bool) -> tuple[str | int, ...]:
    """Return an error's path, without pydantic's additions to a location: the branch of a union, a mark for a key."""
    path: list[str | int] = []
    here = arguments
    for number, step in enumerate(loc, start=1):
        leads_on = _has(here, step)
        if leads_on:
            here = here[step]
        if leads_on or (with_last and number == len(loc)):
            path.append(step)
    return tuple(path)


def _has(value: Any, step: str | int) -> bool:
    if isinstance(value, list):
        return isinstance(step, int) and step < len(value)
    return isinstance(value, dict) and step in value


def _expected(details: ErrorDetails, code: Reason, path: tuple[str | int, ...], schema: Schema) -> str:
    context = details.get("ctx", {})
    match details["type"]:
        case "value_error" | "assertion_error":
            return str(context["error"]) or details["msg"]
        case "union_tag_invalid":
            return f"one of: {context['expected_tags']}"
        case "union_tag_not_found":
            return f"a field {context['discriminator']}"
        case "string_unicode":
            return "text without lone surrogates"
        case "recursion_depth_exceeded" | "recursion_loop":
            return "a value of fewer levels"
    if code is Reason.UNKNOWN_FIELD:
        parent = _schema_at(path[:-1], schema)
        return one_of(str(details["loc"][-1]), field_names(parent or {}, schema), "field")
    found = _schema_at(path, schema)
    if found is None or (code is Reason.BAD_FORMAT and details["type"] != "string_pattern_mismatch"):
        return details["msg"].removeprefix("Input should be ")
    hint = (
        did_you_mean(details["input"], allowed_values(found, schema))
        if (code is Reason.VALUE_NOT_ALLOWED and isinstance(details["input"], str))
        else ""
    )
    return f"{in_words(found, schema)} ({hint})" if hint else in_words(found, schema)


def _schema_at(path: Sequence[str | int], schema: Schema) -> Schema | None:
    found: Schema | None = schema
    for step in path:
        found = child(found, step, schema) if found is not None else None
    return found


def _start_of_json(value: Any) -> str:
    if not isinstance(value, dict | list):
        return _JSON.encode(value)
    # The encoder yields pieces, so a deep or large value costs no more than its shown part.
    pieces: list[str] = []
    length = 0
    for piece in _JSON.iterencode(value):
        pieces.append(piece)
        length += len(piece)
        if length > _LONGEST_VALUE:
            break
    return "".join(pieces)


def _start_of_repr(value: Any) -> str:
    try:
        return repr(value)
    except (ValueError, RecursionError):
        return f"<{type(value).__name__}>"


_SCHEMA_REFUSALS_CODES = {
    "required": Reason.MISSING_FIELD,
    "additionalProperties": Reason.UNKNOWN_FIELD,
    "type": Reason.WRONG_TYPE,
    "enum": Reason.VALUE_NOT_ALLOWED,
    "const": Reason.VALUE_NOT_ALLOWED,
    "multipleOf": Reason.VALUE_NOT_ALLOWED,
    "minimum": Reason.OUT_OF_RANGE,
    "maximum": Reason.OUT_OF_RANGE,
    "exclusiveMinimum": Reason.OUT_OF_RANGE,
    "exclusiveMaximum": Reason.OUT_OF_RANGE,
    "minLength": Reason.BAD_LENGTH,
    "maxLength": Reason.BAD_LENGTH,
    "minItems": Reason.BAD_LENGTH,
    "maxItems": Reason.BAD_LENGTH,
}
_UNIONS = ("anyOf", "oneOf")


def schema_errors(error: "SchemaViolation", root: Schema) -> Iterator[FieldError]:
    """Yield field errors for a JSON Schema's error."""
    if error.validator in _UNIONS:
        yield from _union_errors(error, root)
        return
    instance: Any = error.instance
    schema: Schema = error.schema if isinstance(error.schema, Mapping) else {}
    path = [str(step) for step in error.absolute_path]
    if error.validator == "required":
        wanted: Any = error.validator_value
        for name in wanted:
            if name not in instance:
                found = child(schema, name, root)
                expected = in_words(found, root) if found else "a value"
                yield FieldError(Reason.MISSING_FIELD, ".".join([*path, name]), "", expected)
    elif error.validator == "additionalProperties" and error.validator_value is False:
        known = field_names(schema, root)
        for name in sorted(set(instance) - set(known)):
            expected = one_of(name, known, "field")
            yield FieldError(
                Reason.UNKNOWN_FIELD, ".".join([*path, name]), json_text(instance[name]), expected
            )
    else:
        code = _SCHEMA_REFUSALS_CODES.get(str(error.validator), Reason.BAD_FORMAT)
        yield _refusal(error, code, root)


def _refusal(error: "SchemaViolation", code: Reason, root: Schema) -> FieldError:
    schema: Schema = error.schema if isinstance(error.schema, Mapping) else {}
    value: Any = error.instance
    expected = in_words(schema, root)
    if code is Reason.VALUE_NOT_ALLOWED and isinstance(value, str):
        hint = did_you_mean(value, allowed_values(schema, root))
        expected = f"{expected} ({hint})" if hint else expected
    return FieldError(code, ".".join(map(str, error.absolute_path)), json_text(value), expected)


def _union_errors(error: "SchemaViolation", root: Schema) -> Iterator[FieldError]:
    """Yield the errors of the only branch that the value can be meant for, or one error that the value fits none."""
    branches = [list(errors) for _, errors in groupby(error.context or (), lambda each: each.schema_path[0])]
    meant = [errors for errors in branches if not _is_another_kind(errors, len(error.absolute_path))]
    if len(meant) == 1:
        for each in meant[0]:
            yield from schema_errors(each, root)
        return
    validators = {each.validator for errors in (meant or branches) for each in errors}
    codes = {_SCHEMA_REFUSALS_CODES.get(str(validator), Reason.BAD_FORMAT) for validator in validators}
    yield _refusal(error, codes.pop() if len(codes) == 1 and not meant else Reason.BAD_FORMAT, root)


def _is_another_kind(errors: Sequence["SchemaViolation"], depth: int) -> bool:
    """Return whether a branch is for values of another type, or for objects with another constant."""
    return any(
        (each.validator == "type" and len(each.absolute_path) == depth)
        or (each.validator == "const" and len(each.absolute_path) == depth + 1)
        for each in errors
    )
