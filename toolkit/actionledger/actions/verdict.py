"""The verdict on one action, and a fast path for usual actions, which are valid as written except for unknown fields."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import ValidationError

from actionledger.actions.catalogue import Action, Validator, Validators
from actionledger.actions.converting import expected_without, is_decided_by_name
from actionledger.actions.references import may_be_spelled_out, may_refer
from actionledger.core.canonical import JsonDict
from actionledger.core.values import (
    ActionCall,
    Conversion,
    FieldError,
    Issue,
    RawAction,
    Reference,
    Span,
    row_maker,
)
from actionledger.core.vocabulary import ActionStatus, Reason


class Verdict(NamedTuple):
    """The result of checking one action."""

    status: ActionStatus
    action: Action | None = None  # the validated model; None if there is none
    errors: tuple[FieldError, ...] = ()
    reason: Reason | None = None  # the first error's code, or why it is an illustration; None if it is valid
    arguments: JsonDict | None = None  # the arguments in the schema's types; None for as written
    references: tuple[Reference, ...] = ()  # the arguments that are taken from other actions' results
    conversions: tuple[Conversion, ...] = ()  # the values that were written in another type
    left_out: tuple[FieldError, ...] = ()  # the omitted unknown fields


def refused(status: ActionStatus, *errors: FieldError, arguments: JsonDict | None = None) -> Verdict:
    """Return the verdict on a rejected action; the first error is the reason."""
    return Verdict(status, errors=errors, reason=errors[0].code, arguments=arguments)


# Looking a member up in its enum takes a tenth of a microsecond under Python 3.11.
_VALID, _COERCED, _UNKNOWN_FIELD = ActionStatus.VALID, ActionStatus.COERCED, Reason.UNKNOWN_FIELD
_NOT_CHECKED = ActionStatus.NOT_CHECKED

call_from = row_maker(ActionCall)
_MOST = 100
"""The most unknown fields of an action on the fast path."""


def usual_calls(
    actions: Sequence[RawAction], validators: Validators, discriminator: str, *, may_have_references: bool
) -> list[ActionCall | None]:
    """Return each usual action as a call without repairs that may run, and None for one that needs the full check."""
    calls: list[ActionCall | None] = []
    told: dict[tuple[str, str], str] = {}
    for raw in actions:
        name, written, span, dialect, block, strings_only, illustration, call_id, evidence, doubt = raw
        call = None
        if illustration is None and doubt is None and name in validators:
            validate, fields, _ = validators[name]
            # The name chooses the model; an argument named like the discriminator is compared with it and can't replace it.
            arguments = {discriminator: name, **written}
            if may_have_references and may_refer(arguments):
                pass
            elif not fields.issuperset(arguments):
                if not (strings_only or (may_have_references and may_be_spelled_out(arguments))):
                    call = _without_strangers(raw, arguments, validators[name], told)
            else:
                try:
                    call = call_from((
                        name, written, _VALID, span, dialect, block, validate(arguments), (), (), None,
                        call_id, (), (), (), strings_only, evidence,
                    ))  # fmt: skip
                except ValidationError:
                    call = None
        calls.append(call)
    return calls


def unchecked_call(raw: RawAction) -> ActionCall | None:
    """Return an action as an unchecked call that may run, if no tools are known; None if it needs the full check."""
    name, written, span, dialect, block, strings_only, illustration, call_id, evidence, doubt = raw
    if not name or illustration is not None or doubt is not None:
        return None
    return call_from((
        name, written, _NOT_CHECKED, span, dialect, block, None, (), (), None,
        call_id, (), (), (), strings_only, evidence,
    ))  # fmt: skip


def note_of(name: str, span: Span, field: str, expected: str) -> Issue:
    """Return the issue that notes an omitted field."""
    return Issue(_UNKNOWN_FIELD, span, _left_out(name, field[:80], expected))


@lru_cache(maxsize=1024)
def _left_out(name: str, field: str, expected: str) -> str:
    """Return the sentence that notes an omitted field."""
    return f"The field {field!r} of {name!r} was left out; expected {expected}."


def _without_strangers(
    raw: RawAction, arguments: JsonDict, validator: Validator, told: dict[tuple[str, str], str]
) -> ActionCall | None:
    """Return an action that is valid without its unknown fields; None if it needs the full check."""
    validate, fields, names = validator
    strangers = [field for field in arguments if field not in fields]
    if names is None or len(strangers) > _MOST:
        return None
    name, written, span, dialect, block, _, _, call_id, evidence, _ = raw
    kept = written.copy()
    notes = []
    for field in strangers:
        said = told.get((name, field)) or _noted(name, field, arguments[field], names, told)
        if not said:
            return None
        notes.append(Issue(_UNKNOWN_FIELD, span, said))
        del arguments[field], kept[field]
    try:
        model = validate(arguments)
    except ValidationError:
        return None
    return call_from((
        name, kept, _COERCED, span, dialect, block, model, (), (), None,
        call_id, (), (), tuple(notes), False, evidence,
    ))  # fmt: skip


def _noted(
    name: str, field: str, value: Any, names: tuple[str, ...], told: dict[tuple[str, str], str]
) -> str:
    """Return the note on an omitted field, and cache it; empty if the action needs the full check."""
    expected = expected_without(field, value, names)
    said = _left_out(name, field[:80], expected) if expected else ""
    if is_decided_by_name(field):
        told[name, field] = said
    return said
