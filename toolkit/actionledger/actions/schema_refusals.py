"""What a JSON Schema refuses, as field errors: the same codes, paths and words as for an action's own model."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from actionledger.actions.refusals import json_text, one_of
from actionledger.actions.wording import Schema, allowed_values, child, field_names, in_words
from actionledger.core.nearness import did_you_mean
from actionledger.core.values import FieldError
from actionledger.core.vocabulary import Reason

if TYPE_CHECKING:
    from jsonschema import ValidationError

_CODES = {
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


def schema_errors(error: "ValidationError", root: Schema) -> Iterator[FieldError]:
    """Yield what a JSON Schema refuses."""
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
        code = _CODES.get(str(error.validator), Reason.BAD_FORMAT)
        yield _refusal(error, code, root)


def _refusal(error: "ValidationError", code: Reason, root: Schema) -> FieldError:
    schema: Schema = error.schema if isinstance(error.schema, Mapping) else {}
    value: Any = error.instance
    expected = in_words(schema, root)
    if code is Reason.VALUE_NOT_ALLOWED and isinstance(value, str):
        hint = did_you_mean(value, allowed_values(schema, root))
        expected = f"{expected} ({hint})" if hint else expected
    return FieldError(code, ".".join(map(str, error.absolute_path)), json_text(value), expected)


def _union_errors(error: "ValidationError", root: Schema) -> Iterator[FieldError]:
    """Yield what the only branch refuses that the value can have been meant for, else that the value fits none."""
    branches = [list(errors) for _, errors in groupby(error.context or (), lambda each: each.schema_path[0])]
    meant = [errors for errors in branches if not _is_another_kind(errors, len(error.absolute_path))]
    if len(meant) == 1:
        for each in meant[0]:
            yield from schema_errors(each, root)
        return
    validators = {each.validator for errors in (meant or branches) for each in errors}
    codes = {_CODES.get(str(validator), Reason.BAD_FORMAT) for validator in validators}
    yield _refusal(error, codes.pop() if len(codes) == 1 and not meant else Reason.BAD_FORMAT, root)


def _is_another_kind(errors: Sequence["ValidationError"], depth: int) -> bool:
    """Return whether a branch is for values of another type, or for objects that a constant tells from this one."""
    return any(
        (each.validator == "type" and len(each.absolute_path) == depth)
        or (each.validator == "const" and len(each.absolute_path) == depth + 1)
        for each in errors
    )
