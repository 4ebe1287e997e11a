"""Checks raw actions against a catalogue: each becomes a call that may run, or has the reason why not."""

from bisect import bisect_left
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import TypeAlias

from pydantic import ValidationError
from pydantic_core import from_json

from actionledger.actions.catalogue import Action, Catalogue
from actionledger.actions.converting import Converted, Packed, converted, unpacked, without_unknown
from actionledger.actions.references import references_in, spelled_out
from actionledger.actions.refusals import code_of, field_errors, json_text, one_of
from actionledger.actions.schemas import Schema
from actionledger.actions.tools import ToolCatalogue
from actionledger.actions.verdict import Verdict, call_from, note_of, refused, unchecked_call, usual_calls
from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.values import ActionCall, FieldError, RawAction, Reading, Reference, Repair, Span
from actionledger.core.vocabulary import ActionStatus, Reason

AnyCatalogue: TypeAlias = Catalogue | ToolCatalogue
"""The catalogues to check actions against: models, or tools given as JSON Schema."""


def check(reading: Reading, catalogue: AnyCatalogue | None) -> tuple[ActionCall, ...]:
    """Check every action that a parser found, in its order; never raises on what a model wrote. Without a catalogue every named action may run."""
    repairs = {block.index: block.repairs for block in reading.blocks if block.repairs}
    if catalogue is None and not repairs:
        return tuple([unchecked_call(raw) or check_action(raw, None) for raw in reading.actions])
    if not isinstance(catalogue, Catalogue):
        return tuple(check_action(raw, catalogue, repairs.get(raw.block, ())) for raw in reading.actions)
    usual = usual_calls(
        reading.actions,
        catalogue.validators,
        catalogue.discriminator,
        may_have_references=catalogue.references,
    )
    if not repairs and None not in usual:
        return tuple(usual)  # type: ignore[arg-type]
    ids = frozenset(map(id_of, filter(_is_meant, reading.actions))) if catalogue.references else None
    return tuple(
        [
            call._replace(repairs=_within(call.span, repairs[raw.block]))
            if call and raw.block in repairs
            else call or check_action(raw, catalogue, repairs.get(raw.block, ()), ids)
            for raw, call in zip(reading.actions, usual, strict=True)
        ]
    )


def id_of(action: RawAction | ActionCall) -> str:
    """Return the id that an action gives itself, a number as its text; empty if it has none."""
    given = action.arguments.get("id")
    return str(given) if type(given) in {int, str} else ""


def written_out(name: str, arguments: JsonDict, catalogue: Catalogue) -> JsonDict:
    """Return an action's arguments with each ``<field>_from`` as a reference in ``<field>``."""
    return spelled_out(arguments, catalogue.argument_schema(name)["properties"].keys())


def check_action(
    raw: RawAction,  # the action as written
    # the actions that exist; None to check none, so that every named action may run
    catalogue: AnyCatalogue | None,
    repairs: Sequence[Repair] = (),  # the repairs of the action's block, in text order
    # the ids of the response's actions, to whose results it may refer; None if it may refer to none
    ids: Collection[str] | None = None,
) -> ActionCall:
    """Check one action; never raises on what a model wrote."""
    verdict = _verdict(raw, catalogue, ids)
    if raw.doubt is not None and verdict.status.is_runnable:
        verdict = verdict._replace(status=ActionStatus.NEEDS_APPROVAL, reason=raw.doubt)
    status, action, errors, reason, arguments, references, conversions, left_out = verdict
    name, written, span, dialect, block, strings_only, _, call_id, evidence, _ = raw
    within = _within(span, repairs) if repairs else ()
    notes = tuple([note_of(name, span, error.path, error.expected) for error in left_out]) if left_out else ()
    return call_from((
        name, written if arguments is None else arguments, status, span, dialect, block, action, within, errors, reason,
        call_id, references, conversions, notes, strings_only, evidence,
    ))  # fmt: skip


def as_known(call: ActionCall, catalogue: Catalogue) -> ActionCall:
    """Return a call with its catalogue's name for the action, which handlers, policies and statistics use."""
    name = catalogue.known_name(call.name)
    return call if name == call.name else call._replace(name=name)


def _is_meant(raw: RawAction) -> bool:
    return raw.illustration is None


def _verdict(raw: RawAction, catalogue: AnyCatalogue | None, ids: Collection[str] | None) -> Verdict:
    if raw.illustration is not None:
        return Verdict(ActionStatus.ILLUSTRATION, reason=raw.illustration)
    if not raw.name:
        expected = one_of("", catalogue.names, "action") if catalogue else "the name of an action"
        return refused(ActionStatus.INVALID, FieldError(Reason.MISSING_NAME, "", "", expected))
    if catalogue is None:
        return Verdict(ActionStatus.NOT_CHECKED)
    if isinstance(catalogue, ToolCatalogue):
        return catalogue.judge(raw)
    name = catalogue.known_name(raw.name)
    model = catalogue.model(name)
    if model is None:
        expected = one_of(raw.name, catalogue.names, "action")
        error = FieldError(Reason.UNKNOWN_ACTION, "", json_text(raw.name), expected)
        return refused(ActionStatus.UNKNOWN, error)
    if name == raw.name:
        return _judged(raw, catalogue, model, ids)
    verdict = _judged(raw._replace(name=name), catalogue, model, ids)
    return verdict._replace(status=ActionStatus.COERCED) if verdict.status.is_runnable else verdict


def _judged(
    raw: RawAction, catalogue: Catalogue, model: type[Action], ids: Collection[str] | None
) -> Verdict:
    # The name chooses the model; an argument named like the discriminator is compared with it and can't replace it.
    arguments = {catalogue.discriminator: raw.name, **raw.arguments}
    knows_all = arguments.keys() <= catalogue.fields(raw.name)
    if not knows_all and (packed := unpacked(arguments, catalogue.fields(raw.name))):
        return _unpacked(raw, catalogue, model, ids, packed)
    if ids is not None:
        written = arguments if knows_all else written_out(raw.name, arguments, catalogue)
        if references := references_in(written, ids):
            return _validated_around(references, raw, catalogue, model, written)
    if not (knows_all or raw.strings_only) and (
        rest := without_unknown(arguments, catalogue.fields(raw.name), catalogue.argument_schema(raw.name))
    ):
        # An action that is only wrong in such fields is valid without them; tried first, it is validated once.
        action = _attempt(model, rest.arguments)
        if not isinstance(action, ValidationError):
            return _coerced(action, rest, raw, catalogue)
    return _validated(raw, catalogue, model, arguments)


def _unpacked(
    raw: RawAction, catalogue: Catalogue, model: type[Action], ids: Collection[str] | None, packed: Packed
) -> Verdict:
    """Check an action with nested fields as if they were next to its name."""
    given = {key: value for key, value in packed.arguments.items() if key != catalogue.discriminator}
    verdict = _judged(raw._replace(arguments=given), catalogue, model, ids)
    if not verdict.status.is_runnable:
        return verdict
    arguments = given if verdict.arguments is None else verdict.arguments
    conversions = (packed.conversion, *verdict.conversions)
    return verdict._replace(status=ActionStatus.COERCED, arguments=arguments, conversions=conversions)


def _validated_around(
    references: tuple[Reference, ...],
    raw: RawAction,
    catalogue: Catalogue,
    model: type[Action],
    arguments: JsonDict,
) -> Verdict:
    """Check everything but the referenced values, which are checked when they are known."""
    strict = False if raw.strings_only else None
    found = _attempt(model, arguments, strict=strict)
    open_fields = {reference.field for reference in references}
    open_roots = {field.partition(".")[0] for field in open_fields}
    if raw.strings_only and isinstance(found, ValidationError):
        decoded = _decoded_containers(found)
        arguments = arguments | {name: decoded[name] for name in decoded.keys() - open_roots}
        found = _attempt(model, arguments, strict=strict)
    schema = catalogue.argument_schema(raw.name)
    errors = _closed_errors(found, arguments, schema, open_fields)
    status = ActionStatus.COERCED if raw.strings_only else ActionStatus.VALID
    if not errors:
        return Verdict(status, references=references)
    mended = _in_its_types(raw, catalogue, arguments, _refused_fields(found) - open_roots)
    if mended is None:
        return refused(ActionStatus.INVALID, *errors)
    again = _attempt(model, mended.arguments, strict=strict)
    if _closed_errors(again, mended.arguments, schema, open_fields):
        return refused(ActionStatus.INVALID, *errors)
    return _coerced(None, mended, raw, catalogue, references)


def _closed_errors(
    found: Action | ValidationError,
    arguments: JsonMap,
    schema: Schema,
    open_fields: Collection[str],
) -> list[FieldError]:
    """Return the errors of all fields but those whose values are not known yet."""
    errors = field_errors(found, arguments, schema) if isinstance(found, ValidationError) else ()
    return [error for error in errors if error.path not in open_fields]


def _validated(raw: RawAction, catalogue: Catalogue, model: type[Action], arguments: JsonDict) -> Verdict:
    found = _attempt(model, arguments)
    if not isinstance(found, ValidationError):
        return Verdict(ActionStatus.VALID, found)
    if raw.strings_only:
        found = _attempt(model, arguments, strict=False)
        if isinstance(found, ValidationError) and (decoded := _decoded_containers(found)):
            arguments |= decoded
            found = _attempt(model, arguments, strict=False)
        if not isinstance(found, ValidationError):
            return Verdict(ActionStatus.COERCED, found)
    mended = _in_its_types(raw, catalogue, arguments, _refused_fields(found))
    if mended is not None:
        action = _attempt(model, mended.arguments, strict=False if raw.strings_only else None)
        if not isinstance(action, ValidationError):
            return _coerced(action, mended, raw, catalogue)
    errors = field_errors(found, arguments, catalogue.argument_schema(raw.name))
    return refused(ActionStatus.INVALID, *errors)


def _refused_fields(found: Action | ValidationError) -> set[str]:
    if not isinstance(found, ValidationError):
        return set()
    errors = found.errors(include_url=False, include_context=False, include_input=False)
    return {str(each["loc"][0]) for each in errors if each["loc"]}


def _in_its_types(
    raw: RawAction, catalogue: Catalogue, arguments: JsonMap, fields: Collection[str]
) -> Converted | None:
    """Return rejected arguments in the types of their schema, with the action's name unchanged; None if nothing changes."""
    named = {key: value for key, value in arguments.items() if key == catalogue.discriminator}
    rest = {key: value for key, value in arguments.items() if key != catalogue.discriminator}
    found = converted(rest, catalogue.argument_schema(raw.name), fields)
    return found._replace(arguments=named | found.arguments) if found else None


def _coerced(
    action: Action | None,
    mended: Converted,
    raw: RawAction,
    catalogue: Catalogue,
    references: tuple[Reference, ...] = (),
) -> Verdict:
    """Return the verdict on an action that is valid in the types of its model."""
    name = catalogue.discriminator
    kept = {key: value for key, value in mended.arguments.items() if key != name or name in raw.arguments}
    return Verdict(
        ActionStatus.COERCED, action, (), None, kept, references, mended.conversions, mended.left_out
    )


def _attempt(
    model: type[Action], arguments: JsonDict, *, strict: bool | None = None
) -> Action | ValidationError:
    try:
        return model.model_validate(arguments, strict=strict)
    except ValidationError as error:
        return error


def _decoded_containers(refusal: ValidationError) -> JsonDict:
    """Return the rejected arguments that are a tag's JSON text of an array or object, decoded."""
    decoded: JsonDict = {}
    for details in refusal.errors(include_url=False, include_context=False):
        text = details["input"]
        is_mistyped = code_of(details["type"]) is Reason.WRONG_TYPE and isinstance(text, str)
        if is_mistyped and text.lstrip().startswith(("[", "{")):
            with suppress(ValueError, TypeError):  # a lone surrogate is a TypeError
                decoded[str(details["loc"][0])] = from_json(text, allow_inf_nan=False)
    return decoded


def _within(span: Span, repairs: Sequence[Repair]) -> tuple[Repair, ...]:
    # Repairs are sorted; a search for the first one keeps a block of many actions and repairs linear.
    first = bisect_left(repairs, span.start, key=lambda repair: repair.span.start)
    from_here = (repairs[index] for index in range(first, len(repairs)))
    started = takewhile(lambda repair: repair.span.start <= span.end, from_here)
    return tuple(repair for repair in started if repair.span.end <= span.end)
