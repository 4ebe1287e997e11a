"""Correct an unparsed response or a rejected action, from what the model attempted. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from html import unescape
from typing import Any

from rapidfuzz import fuzz

from actionledger.actions.catalogue import Catalogue
from actionledger.actions.guidance import OPEN, RIGHT, left_to_fill
from actionledger.actions.refusals import one_of
from actionledger.actions.schemas import FieldDescription
from actionledger.actions.validation import check_action
from actionledger.core.canonical import JsonDict, JsonMap
from actionledger.core.errors import RenderError, UsageError
from actionledger.core.names import near_names
from actionledger.core.patterns import regex
from actionledger.core.values import ActionCall, FieldError, ParseResult, RawAction, Span
from actionledger.core.vocabulary import Outcome, Reason, RepairKind
from actionledger.reading.dialects import dialect_named
from actionledger.reading.dialects.base import Dialect
from actionledger.reading.dialects.parts.writing import PlainCall
from actionledger.reading.parsers import DialectParser
from actionledger.reading.tolerant_json import decode
from actionledger.runtime.execution.attempted import (
    ARGUMENT_KEYS,
    TriedCall,
    attempts,
    elements,
    headed,
    named_in,
    nearest,
    reader_for,
    told,
)
from actionledger.runtime.execution.profile import Profile, dialect_of

HOW = "Write it so:"
"""Introduces an example made from the model's attempt."""

_LONGEST = 400
"""The maximum length of a field's value in an example, in characters; longer values are left to the model."""

_CALL = regex(r"\s*+(?P<name>[A-Za-z_]\w*+)\((?P<arguments>.*)\)\s*+", re.DOTALL)
_LONGEST_NUMBER = 16
_NUMBER = regex(r"\s*+[+-]?+[\d.,_]++\s*+")

_ALIKE = 55
"""The minimum similarity, 0 to 100, for a field's name to be taken for another one."""

Mend = Callable[[ParseResult], str]
"""Returns the correct form of a response's unparsed parts; empty if nothing is unparsed or its meaning is unclear."""


def mender(profile: Profile) -> Mend:
    """Return a function that corrects unparsed responses under a profile."""

    @cache
    def reader(parser: DialectParser) -> DialectParser:
        return reader_for(parser, profile.catalogue)

    def mend(result: ParseResult) -> str:
        parser = profile.parser
        if not isinstance(parser, DialectParser) or not _is_unread(result):
            return ""
        dialect, catalogue = dialect_of(profile), profile.catalogue
        known = {(call.name, repr(call.arguments)) for call in result.actions if call.status.is_runnable}
        tried = attempts(result.text, catalogue, reader(parser))
        made = [(attempt, call) for attempt in tried if (call := mended_call(attempt, catalogue))]
        lost = [(attempt, call) for attempt, call in made if (call.name, repr(call.arguments)) not in known]
        if not made:
            if tried:
                return _unknown(tried[0], catalogue, dialect)
            return _right(catalogue, dialect, result.text) if result.outcome is Outcome.FAILED else ""
        example = written([call for _, call in lost], dialect)
        if not example:
            return ""
        shown = [_SHOWN] if is_only_shown(result) else []
        why = " ".join([*shown, *_why(*lost[0], dialect, catalogue)])
        return f"{why} {dialect.rules[0]}{_left_open(example)} {HOW}\n{example}".strip()

    return mend


def _unknown(attempt: TriedCall, catalogue: Catalogue, dialect: Dialect) -> str:
    """Return the known names and the format, with placeholders: a small model does what it is shown."""
    expected = one_of(attempt.name, catalogue.names, "action")
    return (
        f"There is no action {attempt.name[:80]!r}; expected {expected}. {_right(catalogue, dialect)}".strip()
    )


_FINAL = regex(r"[\"']?(?:is_?)?final[\"']?\s*+:\s*+[\"']?(?:true|1)\b", re.IGNORECASE)


def _right(catalogue: Catalogue, dialect: Dialect, text: str = "") -> str:
    """Return the format with an action in it that has placeholders, or with the last step if a text says that it is that."""
    if dialect.name == "iteration" and _FINAL.search(text):
        return f'{dialect.rules[0]} {RIGHT}\n```iteration\n{{"next_actions": [], "is_final": true}}\n```'
    first = catalogue.describe()[:1]
    example = written([PlainCall(each.name, left_to_fill(each)) for each in first], dialect)
    shown = f"{_left_open(example)} {RIGHT}\n{example}" if example else ""
    return f"{dialect.rules[0]}{shown}"


def example_for(call: ActionCall, text: str, catalogue: Catalogue, dialect: Dialect) -> str:
    """Return a response's rejected action in its correct form, as far as it can be determined; empty if it can't."""
    tried = TriedCall(call.name, call.arguments) if call.name else _named_within(call, text, catalogue)
    made = mended_call(tried, catalogue) if tried else None
    return written([made], dialect) if made else ""


def _named_within(call: ActionCall, text: str, catalogue: Catalogue) -> TriedCall | None:
    """Return the action named by an unnamed call under another key, deeper within, or as its only key."""
    if isinstance(value := call.arguments.get("value"), str):
        if called := _CALL.fullmatch(value):
            return TriedCall(called["name"], told(called["arguments"]))
        for found in (*elements(value), *headed(value, catalogue.offer)):
            return found
    held = next(iter(call.arguments.values()), None)
    if len(call.arguments) == 1 and isinstance(held, dict):
        return TriedCall(catalogue.known_name(next(iter(call.arguments))), held)
    return named_in(decode(call.span.of(text)).value, frozenset(catalogue.names)) or named_in(
        call.arguments, frozenset(catalogue.names)
    )


def _unpacked(arguments: JsonMap) -> JsonMap:
    """Unpack arguments that are JSON text, a list of values or of pairs, or each beside its type."""
    key = next(iter(arguments), "")
    if len(arguments) == 1 and key in ("", *ARGUMENT_KEYS):
        held = arguments[key]
        held = decode(held).value if isinstance(held, str) and held.lstrip().startswith(("{", "[")) else held
        pairs = [each for each in held if isinstance(each, dict)] if isinstance(held, list) else []
        if pairs and all("value" in each and len(each) == 2 for each in pairs):
            held = {str(next(each[key] for key in each if key != "value")): each["value"] for each in pairs}
        arguments = held if isinstance(held, dict) else {"": held}
    return {key: _bare(value) for key, value in arguments.items()}


def _bare(value: object) -> object:
    """Return a value without the type beside it, as in ``{"type": "string", "value": "Oslo"}``."""
    is_typed = isinstance(value, dict) and value.keys() <= {"type", "description", "value"}
    return value["value"] if isinstance(value, dict) and is_typed and "value" in value else value


def written(calls: Sequence[PlainCall], dialect: Dialect) -> str:
    """Return calls in a dialect; empty if there are none, or the dialect can't write them."""
    with suppress(RenderError, UsageError):
        return dialect.render(calls) if calls else ""
    return ""


def mended_call(attempt: TriedCall, catalogue: Catalogue) -> PlainCall | None:
    """Return an attempt under the nearest action name, with its values in the fields they are clearly meant for.

    Missing required fields and forbidden values become placeholders.
    """
    name = nearest(attempt, catalogue)
    described = catalogue.description(name) if name else None
    if name is None or described is None:
        return None
    arguments = _in_fields(_unpacked(attempt.arguments), described.fields)
    arguments = {key: OPEN if _is_long(value) else value for key, value in arguments.items()}
    for field in described.fields:
        if field.required and field.name not in arguments:
            is_text = field.type.startswith(("string", "one of"))
            is_key = field.name.endswith("_id")  # an example's number would be another thing's
            if is_key and re.fullmatch(r"[0-9]{1,9}", str(arguments.get("id"))):
                arguments[field.name] = int(arguments.pop("id"))
                continue
            arguments[field.name] = (
                OPEN if is_text or is_key else (described.example or {}).get(field.name, OPEN)
            )
    in_order = {field.name: arguments[field.name] for field in described.fields if field.name in arguments}
    return PlainCall(name, _without_faults(name, in_order, catalogue, described.fields))


def _is_long(value: object) -> bool:
    return isinstance(value, str) and len(value) > _LONGEST


def _in_fields(given: JsonMap, fields: Sequence[FieldDescription]) -> JsonDict:
    """Assign values to fields: by the same name, then a near one, then a similar one, at last to free required fields."""
    names = [field.name for field in fields]
    found = {name: value for name, value in given.items() if name in names}
    strangers = {name: value for name, value in given.items() if name not in names}
    for match in (_near, _alike):
        for stranger in list(strangers):
            free = [
                each.name for each in fields if each.name not in found and _may_hold(each, given[stranger])
            ]
            if field := match(stranger, free):
                found[field] = strangers.pop(stranger)
    open_fields = [field.name for field in fields if field.required and field.name not in found]
    if isinstance(strangers.get(""), list):
        own = [field.name for field in fields if field.name not in {*found, "id", "depends_on"}]
        found.update(zip(own, strangers.pop(""), strict=False))
    words = str(strangers.get("", "")).split()
    values = words if len(words) == len(open_fields) > 1 else list(strangers.values())
    found.update(zip(open_fields, values, strict=False))
    return found


def _may_hold(field: FieldDescription, value: object) -> bool:
    """Return whether a value may be meant for a field; text that is not a number can't be meant for a number."""
    is_number = field.type.startswith(("integer", "number"))
    return not (is_number and isinstance(value, str) and not _NUMBER.fullmatch(value))


def _near(stranger: str, free: Sequence[str]) -> str | None:
    near = near_names(stranger, free)
    return near[0] if near else None


def _alike(stranger: str, free: Sequence[str]) -> str | None:
    likeness = {name: fuzz.ratio(stranger.lower(), name) for name in free if name not in {"id", "depends_on"}}
    best = max(likeness, key=lambda name: likeness[name], default=None)
    return best if best is not None and likeness[best] >= _ALIKE else None


def _without_faults(
    name: str, arguments: JsonDict, catalogue: Catalogue, fields: Sequence[FieldDescription]
) -> JsonDict:
    """Return arguments with rejected values corrected; else left open if the field is required or has a choice, or left out."""
    described, kept = {field.name: field for field in fields}, dict(arguments)
    for _ in range(2):  # a text that is now a number may be one that is not allowed
        call = check_action(RawAction(name, kept, Span(0, 0), "", 0), catalogue, (), frozenset())
        kept = dict(kept if not call.conversions else call.arguments)
        for error in call.errors:
            field, _, within = error.path.partition(".")
            if field not in kept:
                continue
            if within:
                kept[field] = _changed_within(kept[field], within.split("."), error)
            elif error.code is Reason.UNKNOWN_FIELD:
                del kept[field]
            else:
                near = near_names(str(kept[field]), described[field].allowed or ())
                kept[field] = near[0] if near else _of_type(kept[field], error.expected)
                if kept[field] == OPEN and not (described[field].required or described[field].allowed):
                    del kept[field]  # a small model copies the placeholder
    return kept


def _changed_within(value: Any, path: Sequence[str], error: FieldError) -> Any:
    """Return a value with the rejected one at a path inside it corrected."""
    if isinstance(value, list) and path[0].isdigit() and int(path[0]) < len(value):
        at = int(path[0])
        return [*value[:at], _changed_at(value[at], path[1:], error), *value[at + 1 :]]
    if not isinstance(value, dict):
        return OPEN
    if len(path) == 1 and error.code is Reason.UNKNOWN_FIELD:
        return {name: held for name, held in value.items() if name != path[0]}
    return {**value, path[0]: _changed_at(value.get(path[0]), path[1:], error)}


def _changed_at(value: Any, path: Sequence[str], error: FieldError) -> Any:
    return _changed_within(value, path, error) if path else _of_type(value, error.expected)


def _of_type(value: object, expected: str) -> object:
    """Return a value in the expected type, as far as one follows from it; otherwise a placeholder."""
    if expected.startswith("array (each: string"):
        parts = value.replace("\n", ",").split(",") if isinstance(value, str) else []
        return [part.strip() for part in parts if part.strip()] or [OPEN]
    if not expected.startswith("string"):
        return _number_in(value, expected)
    if isinstance(value, dict):
        value = [f"{name}: {held}" for name, held in value.items() if not isinstance(held, (dict, list))]
    is_lines = isinstance(value, list) and value and not any(isinstance(each, (dict, list)) for each in value)
    return "\n".join(map(str, value)) if isinstance(value, list) and is_lines else OPEN


def _number_in(value: object, expected: str) -> object:
    """Return the number in a text such as ``t3``, if one is expected; otherwise a placeholder."""
    digits = re.findall(r"\d+", value) if isinstance(value, str) and expected.startswith("integer") else ()
    return int(digits[0]) if len(digits) == 1 and len(digits[0]) < _LONGEST_NUMBER else OPEN


def _is_unread(result: ParseResult) -> bool:
    """Return whether a response contains an unparsed part that may have been meant as a call."""
    issues = [
        issue for issue in result.unread if not issue.code.is_note and issue.code is not Reason.REASONING
    ]
    return bool(issues) or is_only_shown(result)


def is_only_shown(result: ParseResult) -> bool:
    """Return whether all actions in a response are only shown as examples."""
    shown = [block for block in result.blocks if block.reason is Reason.EXAMPLE]
    return bool(shown) and not any(
        call.status.is_plannable or call.status.is_refused for call in result.actions
    )


_SHOWN = "Your actions look like an example: in a fence, within a sentence, or in another form. Nothing was done. If they are meant:"

_FORMS = {
    "xml_tags": "tags",
    "actions": "a block labelled actions",
    "iteration": "a block labelled iteration",
    "json_action": "a block of JSON",
    "plan": "a plan in JSON",
    "json": "JSON without this format's marks",
    "pythonic": "a call in Python",
    "python_fence": "a call in Python",
    "llama4_pythonic": "a call in Python",
    "bash_fence": "a shell command",
    "react": "'Action:' and 'Action Input:'",
}


def _why(attempt: TriedCall, call: PlainCall, dialect: Dialect, catalogue: Catalogue) -> Iterator[str]:
    """Yield the faults of an attempt: its format, its name, its fields."""
    if attempt.dialect not in {"", "evidence", dialect.name}:
        form = _FORMS.get(attempt.dialect, f"the format {attempt.dialect!r}")
        yield f"You wrote {call.name} as {form}."
    if attempt.name != call.name and catalogue.known_name(attempt.name) != call.name:
        yield f"There is no action {attempt.name[:80]!r}; the nearest is {call.name!r}."
    known = set(catalogue.parameters[call.name])
    strangers = [name for name in attempt.arguments if name and name not in known]
    if strangers:
        yield f"{call.name} has no field {', '.join(map(repr, strangers[:5]))}; it has {', '.join(sorted(known - {'id', 'depends_on'}))}."


def _left_open(example: str) -> str:
    return f" Put your own value where {OPEN} stands." if OPEN in example else ""


_ENTITY = regex(r"&(?:lt|gt|quot|#39|#x27);")
_IN_FENCE = regex(
    r"\s*+(?:[A-Z][^\n`#<>=(){};*/]*+\n\s*+)?(?:```|~~~)[\w+-]*+[ \t]*+\n(?P<text>.*?)\n?(?:```|~~~)\s*+",
    re.DOTALL,
)
"""A text that is all in a fence, with a sentence before it at most."""

_WITH_FENCES = (".md", ".markdown", ".mdx", ".rst", ".txt")


def notice(call: ActionCall) -> str:
    """Return a notice about suspicious text in an action of tags, with the correct form if it was not meant."""
    if not call.strings_only:
        return ""
    texts = {name: value for name, value in call.arguments.items() if isinstance(value, str)}
    escaped = [name for name, text in texts.items() if _ENTITY.search(text) and not re.search("[<>]", text)]
    is_prose = str(texts.get("path", "")).lower().endswith(_WITH_FENCES)
    fenced = {
        name: found["text"] + "\n" for name, text in texts.items() if (found := _IN_FENCE.fullmatch(text))
    }
    broken = [name for name, text in texts.items() if "\\n" in text and "\n" not in text]
    if broken and any(repair.kind is RepairKind.TAG_ATTRIBUTES for repair in call.repairs):
        name, meant = broken[0], {name: texts[name].replace("\\n", "\n") for name in broken}
        odd = f"The field {name!r} holds \\n and no line break"
    elif escaped:
        name, meant = escaped[0], {name: unescape(texts[name]) for name in escaped}
        odd = f"The field {name!r} holds {_ENTITY.search(texts[name])[0]} and no sign in its place"  # type: ignore[index]
    elif fenced and not is_prose:
        name, meant = next(iter(fenced)), fenced
        odd = f"The field {name!r} stands in a markdown fence, and the fence is in it now"
    else:
        return ""
    arguments = {
        key: OPEN if _is_long(value) else value for key, value in {**call.arguments, **meant}.items()
    }
    example = written([PlainCall(call.name, arguments)], dialect_named(call.dialect))
    how = f"{_left_open(example)} {HOW}\n{example}" if example else ""
    return f"Note: {odd}: fields are taken as they are. If that is not what you meant, do it again.{how}"
