"""Texts for the model: the actions and how to write them, and how to correct a rejected one. Pure.

Actions know no dialect, so the caller passes a function that writes one action in the model's own.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, groupby
from typing import Any, NamedTuple, TypeAlias

from actionledger.actions.catalogue import Catalogue
from actionledger.actions.schemas import ActionDescription, FieldDescription, shared_fields
from actionledger.actions.validation import AnyCatalogue
from actionledger.core.canonical import JsonDict
from actionledger.core.errors import RenderError
from actionledger.core.names import names_to_suggest
from actionledger.core.text import counted, printable_json
from actionledger.core.values import ActionCall, FieldError
from actionledger.core.vocabulary import Reason

Render: TypeAlias = Callable[[str, Mapping[str, Any]], str]
"""Writes one action, given its name and its arguments, as a response must; raises ``RenderError`` if it can't."""

OPEN = "…"
"""A placeholder that the model has to fill in."""

_MOST_ERRORS = 10
"""A model that made more errors in one action should write it anew."""

_LONGEST_NAME = 80

_FAULTS = {
    Reason.WRONG_TYPE: "has the wrong type",
    Reason.VALUE_NOT_ALLOWED: "has a value that is not allowed",
    Reason.OUT_OF_RANGE: "is out of range",
    Reason.BAD_LENGTH: "is too short or too long",
    Reason.BAD_FORMAT: "has the wrong form",
    Reason.TOO_DEEP: "is nested too deep",
}


REFERENCE_RULES = (
    'An action may wait for others: give those an "id" and list it in "depends_on". If one of them fails, it is not run.',
    (
        "A value may come from another action's result: write ${ID.FIELD}. Without an id, an action goes by its number "
        "in the response: ${action_1.FIELD} is a field of the first one's result."
    ),
)
"""The rules for models whose actions may refer to each other's results."""


def instructions(
    catalogue: AnyCatalogue, render: Render, rules: Sequence[str] = (), *, short: bool = False
) -> str:
    """Return the instructions for writing actions: the rules of their form, then each action."""
    forms = _SHORT if short else _WHOLE
    texts = (_instructions(catalogue, render, rules, form) for form in forms)
    most = MOST_SHORT if short else MOST
    last = ""
    for text in texts:
        last = text
        if len(text) <= most:
            break
    return last


MOST, MOST_SHORT = 6_000, 2_000
"""The limits of instructions, in characters, if the actions can be described within them."""


class _Form(NamedTuple):
    """The level of detail."""

    is_short: bool
    examples: int | None = None
    references: bool = True
    meanings: bool = True


_WHOLE = (
    *(_Form(is_short=False, examples=number) for number in (None, 9, 6, 3, 0)),
    _Form(is_short=True, examples=0),
)
_SHORT = (
    _Form(is_short=True),
    _Form(is_short=True, meanings=False),
    _Form(is_short=True, meanings=False, references=False),
)


def _instructions(catalogue: AnyCatalogue, render: Render, rules: Sequence[str], form: _Form) -> str:
    actions = catalogue.describe()
    if isinstance(catalogue, Catalogue) and catalogue.references and form.references:
        rules = (*rules, *REFERENCE_RULES)
    parts = ["# Actions", "What you want done you write into your response as actions."]
    if rules:
        parts += ["## How to write them", "\n".join(f"- {rule}" for rule in rules)]
    shown = _shown(actions, form.examples)
    if form.is_short and form.examples is None:
        parts += _example(actions[0], render, "For example:")
    parts.append("## The actions")
    shared = shared_fields(actions)
    for group, members in groupby(actions, lambda action: action.group):
        listed = list(members)
        if group:
            parts.append(f"### {group}")
        if form.is_short:
            sign = signature if form.meanings else _bare_signature
            parts.append("\n".join(f"- {sign(action, shared)}" for action in listed))
            if form.examples is not None:
                parts += _example(listed[0], render, "For example:")
        else:
            parts += [
                part
                for action in listed
                for part in _in_full(action, shared, render if action.name in shown else None)
            ]
    if shared and form.references:
        parts.append("\n".join(["Every action may have as well:", *_lines(shared)]))
    return "\n\n".join(parts) + "\n"


def _shown(actions: Sequence[ActionDescription], most: int | None) -> set[str]:
    """Return the actions to show with an example: the first of each group, and those with the longest ones."""
    names = [action.name for action in sorted(actions, key=lambda each: -len(_json(each.example or {})))]
    firsts = {next(members).name for _, members in groupby(actions, lambda action: action.group)}
    return {*names[:most], *firsts}


def correction(
    call: ActionCall,
    catalogue: AnyCatalogue,
    render: Render,
    *,
    with_format: bool = True,
    example: str = "",
) -> str:
    """Return a line on what is wrong with a rejected action (untrusted text is quoted), then its format and an example; empty if it was not rejected."""
    if not call.status.is_refused:
        return ""
    parts = [_all_that_is_wrong(call)]
    if with_format:
        parts += _format(_meant(call, catalogue), catalogue, render, example)
    elif example:
        parts += [RIGHT, example]
    return "\n".join(parts)


def signature(action: ActionDescription, leaving_out: Sequence[FieldDescription] = ()) -> str:
    """Return an action on one line: ``create_goal(content, notes = ""): Create a goal.``"""
    fields = ", ".join(_in_signature(field) for field in action.fields if field not in leaving_out)
    return f"{action.name}({fields}): {_on_one_line(action.description)}"


def field_lines(field: FieldDescription) -> Iterator[str]:
    """Yield a field as an item of a list, with the fields inside it indented.

    Each line has the field's type, whether it is required, and its meaning.
    """
    meaning = f": {_on_one_line(field.description)}" if field.description else ""
    yield f"- {field.name} ({field.type}; {field.need}){meaning}"
    for inner in field.fields:
        yield from (f"  {line}" for line in field_lines(inner))


def _lines(fields: Iterable[FieldDescription]) -> Iterator[str]:
    return chain.from_iterable(map(field_lines, fields))


def _bare_signature(action: ActionDescription, leaving_out: Sequence[FieldDescription] = ()) -> str:
    """Return an action's name and fields, without descriptions: ``create_goal(content, notes?, status?)``."""
    fields = (
        f"{field.name}{'' if field.required else '?'}" for field in action.fields if field not in leaving_out
    )
    return f"{action.name}({', '.join(fields)})"


def _in_full(
    action: ActionDescription, shared: Sequence[FieldDescription], render: Render | None
) -> list[str]:
    own = [field for field in action.fields if field not in shared]
    return [
        "\n".join([f"**{action.name}**: {_on_one_line(action.description)}", *_lines(own)]),
        *(_example(action, render) if render else ()),
    ]


def _example(action: ActionDescription, render: Render, *before: str) -> list[str]:
    return [] if action.example is None else [*before, render(action.name, action.example)]


def _in_signature(field: FieldDescription) -> str:
    takes = f": {'|'.join(field.allowed)}" if field.allowed else ""
    if field.required:
        return f"{field.name}{takes}"
    return (
        f"{field.name}{takes} = {_json(field.default)}"
        if field.default is not None
        else f"{field.name}?{takes}"
    )


def _all_that_is_wrong(call: ActionCall) -> str:
    said = [_what_is_wrong(error) for error in call.errors[:_MOST_ERRORS]]
    if (more := len(call.errors) - _MOST_ERRORS) > 0:
        said.append(f"Beside these: {counted(more, 'more error')}.")
    return " ".join(said)


def _what_is_wrong(error: FieldError) -> str:
    expected = printable_json(error.expected)
    match error.code:
        case Reason.MISSING_NAME:
            return f"It doesn't say which action it is; expected {expected}."
        case Reason.UNKNOWN_ACTION:
            return f"There is no action {printable_json(error.value)}; expected {expected}."
        case Reason.MISSING_FIELD:
            return f"The required field {_quoted(error.path)} is missing; expected {expected}."
        case Reason.UNKNOWN_FIELD:
            return f"There is no field {_quoted(error.path)}; expected {expected}."
    where = f"The field {_quoted(error.path)}" if error.path else "The action"
    got = f", got {printable_json(error.value)}" if error.value else ""
    return f"{where} {_FAULTS.get(error.code, 'is not right')}; expected {expected}{got}."


def _meant(call: ActionCall, catalogue: AnyCatalogue) -> ActionDescription | None:
    """Return the call's action, or the one with the most similar name; None if none is similar."""
    named = catalogue.description(call.name)
    nearest = names_to_suggest(call.name, catalogue.names)[:1]
    return named or (catalogue.description(nearest[0]) if nearest else None)


RIGHT = "A right one, for example:"
"""Introduces an example of an action that was not attempted."""


def _format(
    action: ActionDescription | None, catalogue: AnyCatalogue, render: Render, example: str
) -> Iterable[str]:
    if action is not None:
        yield f"{action.name} takes:" if action.fields else f"{action.name} takes no fields."
        yield from _lines(action.fields)
    shown = action or next(iter(catalogue.describe()), None)
    if example:
        yield from (RIGHT, example)
    elif shown is not None:
        with suppress(RenderError):  # the text above is enough without an example
            if action is None:  # a small model does what it is shown, so the values are placeholders
                shown = replace(shown, example=left_to_fill(shown))
            yield from _example(shown, render, RIGHT)


def left_to_fill(action: ActionDescription) -> JsonDict:
    """Return an action's required fields in the shape of its example, with a placeholder for each text."""
    given = action.example or {}
    return {field.name: _filled(given.get(field.name, OPEN)) for field in action.fields if field.required}


def _filled(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _filled(held) for name, held in value.items()}
    return [*map(_filled, value[:1])] or [OPEN] if isinstance(value, list) else OPEN


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _quoted(name: str) -> str:
    return repr(name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…")


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
