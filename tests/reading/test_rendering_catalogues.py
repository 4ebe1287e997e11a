"""Every action of every profile, written in each dialect that can say it, is the same action again."""

import json
import re
from collections.abc import Iterable
from typing import Any

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

from actionledger.actions.catalogue import Catalogue
from actionledger.actions.schemas import Schema, resolved
from actionledger.actions.tools import ToolCatalogue
from actionledger.core.errors import RenderError
from actionledger.core.values import ActionCall
from actionledger.core.vocabulary import ActionStatus, Outcome
from actionledger.profiles import PROFILES
from actionledger.reading.dialects import DIALECTS, Dialect, dialect_named
from actionledger.reading.dialects.parts.writing import PlainCall, raw_text
from actionledger.reading.parsers import parser_for
from actionledger.runtime.parse_result import read_response

OF_PROFILES = {
    "actions",
    "iteration",
    "json_action",
    "plan",
    "xml_tags",
    "mint",
    "search_replace",
    "bash_fence",
    "command_tags",
    "apply_patch",
}
NATIVE = [dialect for dialect in DIALECTS if dialect.name not in OF_PROFILES]
OWN = [
    (profile, dialect.name)
    for profile in PROFILES.values()
    if profile.parser.type == "dialects"
    for dialect in profile.parser.dialects
    if dialect.name != "search_replace"  # it writes one action alone; test_rendering has it
]
STRIPS = {"beam"}
"""Whose values have no blanks around them."""

CATALOGUES = list({profile.catalogue.name: profile.catalogue for profile in PROFILES.values()}.values())

BLOCKS = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"
SHAPED = {"edits": st.just(BLOCKS)}
"""Fields whose models ask for more than a schema can say."""

generously = settings(max_examples=examples(30))


def values(schema: Schema, root: Schema) -> st.SearchStrategy[Any]:
    """Return what a schema allows; of the words that JSON Schema has, those that pydantic writes for our models."""
    schema = resolved(schema, root)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of([values(branch, root) for branch in schema["anyOf"]])
    match schema["type"]:
        case "string":
            return st.text(min_size=schema.get("minLength", 0))
        case "integer":
            low = schema["exclusiveMinimum"] + 1 if "exclusiveMinimum" in schema else schema.get("minimum")
            return st.integers(low, schema.get("maximum"))
        case "array":
            return st.lists(values(schema["items"], root), min_size=schema.get("minItems", 0), max_size=3)
        case "object":
            return objects(schema, root)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case other:
            raise AssertionError(f"{other!r}: teach the strategy this word")


def objects(schema: Schema, root: Schema) -> st.SearchStrategy[dict[str, Any]]:
    fields = {
        name: SHAPED[name] if name in SHAPED else values(field, root)
        for name, field in schema["properties"].items()
    }
    required = {name: field for name, field in fields.items() if name in schema.get("required", ())}
    optional = {name: field for name, field in fields.items() if name not in required}
    return st.fixed_dictionaries(required, optional=optional)


def calls_of(catalogue: Catalogue) -> st.SearchStrategy[list[PlainCall]]:
    """Return up to three actions of a catalogue, with any arguments that their schemas allow."""
    each = [
        objects(catalogue.argument_schema(name), catalogue.argument_schema(name)).map(
            lambda arguments, name=name: PlainCall(name, arguments)
        )
        for name in catalogue.names
    ]
    return st.lists(st.one_of(each), min_size=1, max_size=3)


def as_tools(catalogue: Catalogue) -> ToolCatalogue:
    """Return a catalogue's actions as tools of the OpenAI interface."""
    definitions = []
    for name in catalogue.names:
        schema = catalogue.argument_schema(name)
        required = [field for field in schema["required"] if field != catalogue.discriminator]
        parameters = {**schema, "required": required}
        definitions.append({"type": "function", "function": {"name": name, "parameters": parameters}})
    return ToolCatalogue.of(definitions)


CALLS = {catalogue.name: calls_of(catalogue) for catalogue in CATALOGUES}
TOOLS = {catalogue.name: as_tools(catalogue) for catalogue in CATALOGUES}


def exactly(calls: Iterable[PlainCall | ActionCall]) -> list[tuple[str, str]]:
    """Return names and arguments such that 1, 1.0 and True are not the same."""
    return [(call.name, json.dumps(call.arguments, sort_keys=True)) for call in calls]


def typed(catalogue: Catalogue, calls: Iterable[PlainCall | ActionCall]) -> list[Any]:
    """Return the models of calls, with what was given."""
    models = [
        getattr(call, "action", None)
        or catalogue.model(call.name).model_validate({catalogue.discriminator: call.name, **call.arguments})
        for call in calls
    ]
    return [model.model_dump(exclude_unset=True) for model in models]


def without_null(calls: list[PlainCall]) -> list[PlainCall]:
    """Return calls without what tags can't tell from a text."""
    return [
        PlainCall(call.name, {key: value for key, value in call.arguments.items() if value is not None})
        for call in calls
    ]


def is_tame(call: PlainCall) -> bool:
    """Return whether no value has markup in it or blanks around it, once it is text; nor a carriage return, however deep."""
    tame = re.compile(r"[^\s<>]([^<>\r]*[^\s<>])?")
    texts = map(raw_text, call.arguments.values())
    return all(tame.fullmatch(text) and "\\r" not in text for text in texts)


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda catalogue: catalogue.name)
@generously
@given(data=st.data())
def test_the_strategy_makes_valid_actions(catalogue, data):
    """What the tests below write is what the models allow."""
    for call in data.draw(CALLS[catalogue.name]):
        model = catalogue.model(call.name)
        assert model.model_validate({catalogue.discriminator: call.name, **call.arguments})


@pytest.mark.parametrize(("profile", "dialect"), OWN, ids=lambda value: getattr(value, "name", value))
@generously
@given(data=st.data())
def test_a_profile_reads_what_its_dialects_write(profile, dialect, data):
    """Its actions come back as they were; tags write text alone, which their models type, and refuse what they can't hold."""
    calls = data.draw(CALLS[profile.catalogue.name])
    strings_only = dialect_named(dialect).strings_only
    if strings_only:
        calls = without_null(calls)
    writer = next(each for each in profile.parser.dialects if each.name == dialect)
    try:
        text = writer.render(calls)
    except RenderError:
        assert strings_only
        assert not all(map(is_tame, calls))
        return
    result = read_response(text, profile.parser, profile.catalogue)
    assert (result.outcome, result.narrative) == (Outcome.CLEAN, "")
    assert {call.status for call in result.actions} <= {ActionStatus.VALID, ActionStatus.COERCED}
    assert typed(profile.catalogue, result.actions) == typed(profile.catalogue, calls)
    if not strings_only:
        assert exactly(result.actions) == exactly(calls)


@pytest.mark.parametrize("dialect", NATIVE, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda catalogue: catalogue.name)
def test_every_example_is_the_same_call_in_any_dialect(catalogue, dialect):
    """The examples that a model is shown come back valid, with the same arguments, typed by the tools' schemas."""
    for action in catalogue.describe():
        example = action.example
        if dialect.name in STRIPS:
            example = {
                key: value.strip() if isinstance(value, str) else value for key, value in example.items()
            }
        assert_valid(dialect, catalogue, [PlainCall(action.name, example)])


@pytest.mark.parametrize("dialect", NATIVE, ids=lambda dialect: dialect.name)
@generously
@given(data=st.data())
def test_any_dialect_can_write_the_actions_as_calls_of_tools(dialect, data):
    """They come back valid, with equal arguments of the same types; only null can't be told from a text in tags."""
    catalogue = data.draw(st.sampled_from(CATALOGUES))
    calls = data.draw(CALLS[catalogue.name])
    if dialect.strings_only:
        calls = without_null(calls)
    try:
        assert_valid(dialect, catalogue, calls)
    except RenderError:
        assert dialect.strings_only or "\r" in str(calls).replace("\\r", "\r")
        assert dialect.name in STRIPS or not all(map(is_tame, calls))


def assert_valid(dialect: Dialect, catalogue: Catalogue, calls: list[PlainCall]) -> None:
    """What the dialect writes for these calls is read as these calls, of the catalogue's actions as tools."""
    result = read_response(dialect.render(calls), parser_for((dialect.name,)), TOOLS[catalogue.name])
    assert (result.outcome, result.narrative) == (Outcome.CLEAN, "")
    assert exactly(result.actions) == exactly(calls)
    assert len(result.valid_actions) == len(calls)
