"""An action's arguments as JSON Schema: as tools take them, in words, and with examples made up from it."""

import json
from typing import ClassVar, Literal

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from actionledger.actions.catalogue import Action, Arguments, Catalogue
from actionledger.actions.schemas import allowed_values, child, field_names, in_words, made_example
from actionledger.actions.tools import ToolCatalogue
from actionledger.actions.validation import check_action
from actionledger.core.vocabulary import ActionStatus
from actionledger.profiles.assistant.actions import CATALOGUE as ASSISTANT
from actionledger.profiles.coder.actions import CATALOGUE as CODER
from actionledger.profiles.mint import CATALOGUE as MINT
from actionledger.profiles.orchestrator.actions import CATALOGUE as ORCHESTRATOR
from actionledger.profiles.reasoner.actions import CATALOGUE as REASONER

CATALOGUES = (ASSISTANT, CODER, MINT, ORCHESTRATOR, REASONER)


class Page(BaseModel):
    title: str = Field(default="Untitled", description="What stands above.")


class Publish(Action):
    """Publish pages."""

    example: ClassVar[Arguments] = {"pages": [{"title": "Hello"}]}
    type: Literal["publish"]
    pages: list[Page] = Field(examples=[[{"title": "Hello"}]])
    title: str = ""


PUBLISH = Catalogue("pages", (Publish,))


def test_the_field_that_names_the_action_is_left_out(catalogue):
    """It is neither a property nor required: a tool's name stands elsewhere."""
    schema = catalogue.argument_schema("note")
    assert "type" not in schema["properties"]
    assert schema["required"] == ["text", "number"]
    assert schema["additionalProperties"] is False


def test_titles_are_left_out_and_fields_named_title_are_not():
    """What pydantic makes of names is noise for a model; a field, a default or an example called so is none."""
    schema = PUBLISH.argument_schema("publish")
    assert set(schema["properties"]) == {"pages", "title"}
    assert schema["properties"]["pages"]["examples"] == [[{"title": "Hello"}]]
    page = schema["$defs"]["Page"]
    assert page["properties"]["title"] == {
        "default": "Untitled",
        "description": "What stands above.",
        "type": "string",
    }
    assert "title" not in page
    assert "title" not in schema["properties"]["title"]


def test_a_tool_says_what_the_action_does_once():
    """The description stands beside the name, not in the parameters as well."""
    (tool,) = PUBLISH.tools()
    assert (tool["type"], tool["function"]["name"]) == ("function", "publish")
    assert tool["function"]["description"] == "Publish pages."
    assert "description" not in tool["function"]["parameters"]


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda catalogue: catalogue.name)
def test_the_tools_of_a_catalogue_take_its_examples(catalogue, raw):
    """A model that is offered the tools and one that is told the actions write the same arguments."""
    tools = ToolCatalogue.of(json.loads(json.dumps(catalogue.tools())))
    assert tools.names == catalogue.names
    for action in catalogue.describe():
        assert check_action(raw(action.name, action.example), tools).status is ActionStatus.VALID


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda catalogue: catalogue.name)
def test_the_tools_of_a_catalogue_are_described_alike(catalogue):
    """Names, words, defaults and closed lists are the same; only the examples are made up."""
    for tool, action in zip(
        ToolCatalogue.of(catalogue.tools()).describe(), catalogue.describe(), strict=True
    ):
        assert (tool.name, tool.description, tool.fields) == (action.name, action.description, action.fields)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"text": "x"},
        {"text": 5, "number": 1},
        {"text": "", "number": 0},
        {"text": "abcdef", "number": "5"},
        {"text": "x", "number": 1, "txt": "y"},
        {"text": "x", "number": 1, "numbr": [1]},
        {"text": "x", "number": 1, "limit": 101},
        {"text": "x", "number": 1, "share": "half"},
        {"text": "x", "number": 1, "colour": "rde"},
        {"text": "x", "number": 1, "code": "a1"},
        {"text": "x", "number": 1, "parts": [{"title": "x"}]},
        {"text": "x", "number": 1, "parts": [{"title": "x", "labels": ["a", 2]}]},
        {"text": "x", "number": 1, "parts": [{"title": "x", "labels": []}] * 4},
        {"text": "x", "number": 1, "figure": {"shape": "circle"}},
        {"text": "x", "number": 1, "figure": {"shape": "circle", "radius": "wide"}},
    ],
)
def test_a_model_and_its_schema_refuse_alike(catalogue, raw, arguments):
    """Whether actions are given as models or as tools, the same is wrong at the same place, in the same words."""
    tools = ToolCatalogue.of(catalogue.tools())
    by_model = check_action(raw("note", arguments), catalogue)
    by_schema = check_action(raw("note", arguments), tools)
    assert by_model.status is by_schema.status is ActionStatus.INVALID
    assert set(by_model.errors) == set(by_schema.errors)


def with_field(field, *, required=True, **more):
    return {"type": "object", "properties": {"a_field": field}, "required": ["a_field"] * required} | more


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ({"type": "string"}, "the a field"),
        ({"type": "string", "minLength": 13}, "the a field.."),
        ({"type": "string", "maxLength": 5}, "the a"),
        ({"type": "string", "format": "date"}, "2026-05-04"),
        ({"type": "integer"}, 1),
        ({"type": "integer", "minimum": 7}, 7),
        ({"type": "integer", "exclusiveMinimum": 7}, 8),
        ({"type": "integer", "minimum": 7, "multipleOf": 5}, 10),
        ({"type": "integer", "maximum": -3}, -3),
        ({"type": "number", "minimum": 0.5}, 1),
        ({"type": "boolean"}, True),
        ({"type": "null"}, None),
        ({"type": ["integer", "null"]}, 1),
        ({"type": "array", "items": {"type": "integer"}}, [1]),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [1, 1]),
        ({"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}, {"x": 1}),
        ({"enum": ["red", "green"]}, "red"),
        ({"const": 4}, 4),
        ({"type": "string", "examples": ["Ada"]}, "Ada"),
        ({"type": "integer", "default": 50}, 50),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 1),
        ({"$ref": "#/$defs/colour"}, "red"),
        ({}, "the a field"),
        (True, "the a field"),
    ],
)
def test_each_kind_of_field_has_an_example(field, value):
    """It is what the schema allows: an example of its own, a default, or something of the right type and size."""
    schema = with_field(field, **{"$defs": {"colour": {"enum": ["red"]}}})
    assert made_example(schema) == {"a_field": value}
    assert Draft202012Validator(schema).is_valid({"a_field": value})


def test_what_need_not_be_given_is_left_out_unless_it_has_an_example():
    """An example shows what matters."""
    assert made_example(with_field({"type": "string"}, required=False)) == {}
    assert made_example(with_field({"examples": ["Ada"]}, required=False)) == {"a_field": "Ada"}
    assert made_example({"required": ["b"]}) == {"b": "the b"}


@pytest.mark.parametrize(
    "field",
    [
        {"$ref": "#"},
        {"type": "array", "items": {"$ref": "#"}},
        {"type": "string", "minLength": 10**9},
        {"type": "array", "minItems": 10**9},
    ],
)
def test_what_has_no_end_has_no_example(field):
    """A schema that contains itself, or wants a gigabyte, gets none; it costs nothing to find out."""
    assert made_example(with_field(field)) is None


def test_an_example_that_the_schema_refuses_is_not_shown():
    """A pattern can't be made up; a wrong example would be worse than none."""
    field = {"type": "string", "pattern": "^[0-9]{5}$"}
    (described,) = ToolCatalogue.of([{"name": "t", "parameters": with_field(field)}]).describe()
    assert described.example is None
    (described,) = ToolCatalogue.of(
        [{"name": "t", "parameters": with_field(field | {"examples": ["03106"]})}]
    ).describe()
    assert described.example == {"a_field": "03106"}


bounds = st.integers(-50, 50)


@given(bounds, st.integers(0, 20), st.integers(1, 7), st.booleans())
def test_a_number_keeps_its_bounds(low, width, step, exclusive):
    """Wherever a multiple lies between two bounds, an example is one."""
    field = {"type": "integer", "maximum": low + width + step, "multipleOf": step}
    field["exclusiveMinimum" if exclusive else "minimum"] = low
    schema = with_field(field)
    assert Draft202012Validator(schema).is_valid(made_example(schema))


ROOT = {
    "$defs": {
        "Part": {"type": "object", "properties": {"title": {"type": "string"}, "size": {"type": "integer"}}},
        "Chain": {"type": "array", "items": {"$ref": "#/$defs/Chain"}},
        "Itself": {"$ref": "#/$defs/Itself"},
    },
    "definitions": {"Old": {"type": "integer"}},
}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "minLength": 1}, "string of at least 1 character"),
        ({"type": "string", "minLength": 2}, "string of at least 2 characters"),
        ({"type": "string", "maxLength": 9}, "string of at most 9 characters"),
        ({"type": "string", "minLength": 1, "maxLength": 9}, "string of 1 to 9 characters"),
        ({"type": "string", "pattern": "^a"}, "string matching ^a"),
        ({"type": "string", "format": "date"}, "string (date)"),
        ({"type": "integer", "exclusiveMinimum": 0}, "integer greater than 0"),
        ({"type": "integer", "minimum": 1, "maximum": 9}, "integer from 1 to 9"),
        ({"type": "number", "minimum": 0, "exclusiveMaximum": 1}, "number at least 0 and less than 1"),
        ({"type": "integer", "multipleOf": 5}, "integer a multiple of 5"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "array"}, "array"),
        ({"type": "array", "items": {"type": "string"}}, "array (each: string)"),
        (
            {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Part"}},
            "array of at least 1 item (each: object with title, size)",
        ),
        ({"$ref": "#/$defs/Chain"}, "array (each: array)"),
        ({"type": "object"}, "object"),
        ({"enum": ["a", "b"]}, "one of: a, b"),
        ({"const": "a"}, "one of: a"),
        ({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, "one of: a or null"),
        ({"type": ["string", "null"], "minLength": 1}, "string of at least 1 character or null"),
        ({"type": ["string", "null"], "enum": ["a", None]}, "one of: a, null"),
        ({"enum": ["", " b", True, 2]}, 'one of: "", " b", true, 2'),
        ({"type": "array", "uniqueItems": True, "items": True}, "array of different items (each: any value)"),
        ({"$ref": "#/$defs/Part"}, "object with title, size"),
        ({"$ref": "#/definitions/Old"}, "integer"),
        ({"$ref": "#/$defs/Nowhere"}, "any value"),
        ({"$ref": "#/$defs/Itself"}, "any value"),
        ({}, "any value"),
    ],
)
def test_a_schema_is_put_into_words(schema, words):
    """Each kind of schema has its few words."""
    assert in_words(schema, ROOT) == words


def test_child_leads_through_references_unions_and_arrays():
    """The schema at a path is found wherever pydantic may have put it."""
    schema = {"properties": {"parts": {"anyOf": [{"type": "null"}, {"items": {"$ref": "#/$defs/Part"}}]}}}
    parts = child(schema, "parts", ROOT)
    assert child(child(parts, 0, ROOT), "size", ROOT) == {"type": "integer"}
    assert child(schema, "nope", ROOT) is None
    assert child({"additionalProperties": {"type": "string"}}, "any", ROOT) == {"type": "string"}
    assert child({"additionalProperties": False}, "any", ROOT) is None
    assert child({"prefixItems": [{"type": "string"}, {"type": "null"}]}, 1, ROOT) == {"type": "null"}


def test_fields_and_values_are_gathered_from_every_branch():
    """A union offers what any of its branches offers."""
    schema = {"anyOf": [{"$ref": "#/$defs/Part"}, {"properties": {"size": {}, "name": {}}}]}
    assert field_names(schema, ROOT) == ("title", "size", "name")
    assert allowed_values({"anyOf": [{"enum": ["a", "b"]}, {"const": "c"}]}, ROOT) == ("a", "b", "c")
