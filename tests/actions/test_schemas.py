"""An action's arguments as JSON Schema, as tools take them."""

import json
from typing import ClassVar, Literal

import pytest
from pydantic import BaseModel, Field

from actionledger.actions.catalogue import Action, Arguments, Catalogue
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
