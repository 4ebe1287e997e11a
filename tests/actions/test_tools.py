"""Tools given as JSON Schema."""

import copy
from types import MappingProxyType

import pytest
from hypothesis import given, strategies as st

from actionledger import parse
from actionledger.actions.tools import ToolCatalogue
from actionledger.actions.validation import check_action
from actionledger.core.errors import UsageError
from actionledger.core.values import RawAction, Span
from actionledger.core.vocabulary import ActionStatus, Reason

WEATHER = {
    "type": "object",
    "properties": {
        "zip": {"type": "string", "minLength": 5},
        "days": {"type": "integer", "minimum": 1, "maximum": 14},
        "units": {"enum": ["metric", "imperial"]},
        "alerts": {"type": "boolean"},
        "places": {"type": "array", "items": {"$ref": "#/$defs/place"}},
        "when": {"anyOf": [{"type": "string", "minLength": 3}, {"type": "integer"}, {"type": "null"}]},
        "area": {"oneOf": [{"$ref": "#/definitions/box"}, {"$ref": "#/definitions/disc"}]},
        "level": {"type": ["integer", "null"]},
    },
    "required": ["zip"],
    "additionalProperties": False,
    "$defs": {"place": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
    "definitions": {
        "box": {"type": "object", "properties": {"kind": {"const": "box"}, "side": {"type": "number"}}},
        "disc": {"type": "object", "properties": {"kind": {"const": "disc"}, "radius": {"type": "number"}}},
    },
}
TOOLS = ToolCatalogue.of([{"type": "function", "function": {"name": "weather", "parameters": WEATHER}}])


def call(name="weather", *, strings_only=False, **arguments):
    raw = RawAction(name, arguments, Span(0, 1), "test", 0, strings_only=strings_only)
    return check_action(raw, TOOLS)


@pytest.mark.parametrize(
    "definition",
    [
        {"type": "function", "function": {"name": "weather", "parameters": WEATHER}},
        {"type": "function", "name": "weather", "parameters": WEATHER},
        {"name": "weather", "input_schema": WEATHER},
        {"name": "weather", "parameters": WEATHER},
        {"name": "weather", "inputSchema": WEATHER},
        {"functionDeclarations": [{"name": "weather", "parameters": WEATHER}]},
        {"function_declarations": [{"name": "weather", "parametersJsonSchema": WEATHER}]},
        {"tools": [{"name": "weather", "inputSchema": WEATHER}]},
        {"toolSpec": {"name": "weather", "inputSchema": {"json": WEATHER}}},
    ],
)
def test_each_provider_s_spelling_is_read(definition):
    """OpenAI's two interfaces and Anthropic's define the same tool."""
    assert ToolCatalogue.of([definition]).tools == TOOLS.tools


def test_a_tool_without_parameters_takes_anything():
    """A definition without a schema allows every argument."""
    catalogue = ToolCatalogue.of([{"name": "ping"}])
    raw = RawAction("ping", {"x": 1}, Span(0, 1), "test", 0)
    assert check_action(raw, catalogue).status is ActionStatus.VALID


def test_the_same_definitions_are_read_once():
    """To check a schema takes milliseconds, and a loop hands in the same tools with every response."""
    definitions = [{"name": "kept", "parameters": WEATHER}]
    assert ToolCatalogue.of(definitions) is ToolCatalogue.of(copy.deepcopy(definitions))


def test_a_definition_that_changes_is_read_anew():
    """A catalogue is kept by what the definitions say, not by which objects they are."""
    definition = {"name": "ping", "parameters": {"type": "object", "properties": {}}}
    first = ToolCatalogue.of([definition])
    definition["parameters"]["required"] = ["x"]
    second = ToolCatalogue.of([definition])
    raw = RawAction("ping", {}, Span(0, 1), "test", 0)
    assert check_action(raw, first).status is ActionStatus.VALID
    assert check_action(raw, second).status is ActionStatus.INVALID


def test_definitions_that_are_no_plain_json_are_read_as_well():
    """A mapping of any kind will do."""
    catalogue = ToolCatalogue.of([MappingProxyType({"name": "ping"})])
    assert catalogue.names == ("ping",)


@pytest.mark.parametrize(
    ("definitions", "said"),
    [
        ([{"function": {}}], "Tool 0 has no name"),
        ([{"name": ""}], "Tool 0 has no name"),
        ([{"name": "a"}, {"name": "a"}], "Two tools are named 'a'"),
    ],
)
def test_a_definition_that_is_none_is_refused(definitions, said):
    """The developer hears which tool is wrong."""
    with pytest.raises(UsageError, match=said):
        ToolCatalogue.of(definitions)


@pytest.mark.parametrize(
    ("arguments", "code", "path", "value", "expected"),
    [
        ({}, Reason.MISSING_FIELD, "zip", "", "string of at least 5 characters"),
        (
            {"zip": "03106", "dyas": 1},
            Reason.UNKNOWN_FIELD,
            "dyas",
            "1",
            "a known field (did you mean 'days'?)",
        ),
        ({"zip": 3106}, Reason.WRONG_TYPE, "zip", "3106", "string of at least 5 characters"),
        ({"zip": "031"}, Reason.BAD_LENGTH, "zip", '"031"', "string of at least 5 characters"),
        ({"zip": "03106", "days": 99}, Reason.OUT_OF_RANGE, "days", "99", "integer from 1 to 14"),
        (
            {"zip": "03106", "units": "si"},
            Reason.VALUE_NOT_ALLOWED,
            "units",
            '"si"',
            "one of: metric, imperial",
        ),
        ({"zip": "03106", "places": [{}]}, Reason.MISSING_FIELD, "places.0.name", "", "string"),
        (
            {"zip": "03106", "units": "metrics"},
            Reason.VALUE_NOT_ALLOWED,
            "units",
            '"metrics"',
            "one of: metric, imperial (did you mean 'metric'?)",
        ),
        ({"zip": "03106", "level": "x"}, Reason.WRONG_TYPE, "level", '"x"', "integer or null"),
        (
            {"zip": "03106", "when": "x"},
            Reason.BAD_LENGTH,
            "when",
            '"x"',
            "string of at least 3 characters",
        ),
        (
            {"zip": "03106", "when": 1.5},
            Reason.WRONG_TYPE,
            "when",
            "1.5",
            "string of at least 3 characters or integer or null",
        ),
        (
            {"zip": "03106", "area": {"kind": "disc", "radius": "wide"}},
            Reason.WRONG_TYPE,
            "area.radius",
            '"wide"',
            "number",
        ),
        (
            {"zip": "03106", "area": {"kind": "ring"}},
            Reason.VALUE_NOT_ALLOWED,
            "area",
            '{"kind":"ring"}',
            "object with kind, side or object with kind, radius",
        ),
    ],
)
def test_what_the_schema_refuses_has_a_code_and_a_path(arguments, code, path, value, expected):
    """Each error says what is wrong where, with which value, and what is allowed."""
    found = call(**arguments)
    assert found.status is ActionStatus.INVALID
    error = found.errors[0]
    assert (error.code, error.path, error.value, error.expected) == (code, path, value, expected)


def test_a_tool_is_described_like_an_action():
    """Its fields in words, and an example made up from its schema."""
    described = TOOLS.description("weather")
    assert (described.name, described.example) == ("weather", {"zip": "the zip"})
    assert [field.name for field in described.fields if field.required] == ["zip"]
    assert {field.name: field.type for field in described.fields}["level"] == "integer or null"
    assert TOOLS.describe() == (described,)
    assert TOOLS.description("wether") is None


def test_a_thousand_unknown_fields_are_a_hundred_errors():
    """A model's slip is told field by field, a flood is not."""
    found = call(zip="03106", **{f"days{number}": 1 for number in range(1000)})
    assert len(found.errors) == 100


def test_an_unknown_tool_is_unknown():
    """A name that was not offered is unknown, with the near ones."""
    found = call("wether")
    assert (found.status, found.reason) == (ActionStatus.UNKNOWN, Reason.UNKNOWN_ACTION)
    assert "weather" in found.errors[0].expected


def test_json_arguments_that_are_right_stay_as_they_are():
    """Only what was refused is converted."""
    found = call(zip="03106", days=3)
    assert (found.status, found.arguments, found.conversions) == (
        ActionStatus.VALID,
        {"zip": "03106", "days": 3},
        (),
    )


@pytest.mark.parametrize(
    ("kinds", "text", "typed"),
    [
        (["string", "null"], "null", None),
        (["string", "null"], "None", "None"),
        (["string", "null"], "nullable", "nullable"),
        (["string", "object"], '{"a": 1}', {"a": 1}),
        (["string", "object"], '["a"]', '["a"]'),
        (["string", "array"], '["a"]', ["a"]),
        (["string", "number"], "2 dollars", "2 dollars"),
        (["string", "integer"], "007", "007"),
        (["string", "integer"], "1.5", "1.5"),
        (["string", "boolean"], "true", True),
        ("string", "null", "null"),
    ],
)
def test_a_text_that_may_be_of_another_type_is_what_it_says(kinds, text, typed):
    """Of a string and another type the other one is meant where the text is a value of it: servers take it so."""
    parameters = {"type": "object", "properties": {"x": {"type": kinds}}}
    tools = ToolCatalogue.of([{"name": "f", "parameters": parameters}])
    raw = RawAction("f", {"x": text}, Span(0, 1), "test", 0, strings_only=True)
    assert check_action(raw, tools).arguments == {"x": typed}


@pytest.mark.parametrize(
    ("schema", "typed"),
    [
        ({"$ref": "#/$defs/days"}, 3),
        ({"allOf": [{"$ref": "#/$defs/days"}], "description": "as pydantic writes it"}, 3),
        ({"anyOf": [{"$ref": "#/$defs/days"}, {"type": "null"}]}, 3),
        ({"anyOf": [{"$ref": "#/$defs/days"}, {"type": "string"}]}, 3),
        ({"type": ["string", "integer"]}, 3),
        ({"type": ["string", "object"]}, "3"),
        ({"anyOf": [{"type": "string"}, {"type": "boolean"}]}, "3"),
        ({"const": 3}, 3),
        ({"enum": ["3", 3]}, "3"),
        ({"$ref": "#/$defs/round"}, "3"),
        ({}, "3"),
    ],
)
def test_the_type_of_a_field_is_found_behind_references(schema, typed):
    """Schemas made of models keep their types in definitions; one that goes round in circles says nothing."""
    definitions = {"days": {"type": "integer"}, "round": {"anyOf": [{"$ref": "#/$defs/round"}]}}
    parameters = {"type": "object", "properties": {"x": schema}, "$defs": definitions}
    tools = ToolCatalogue.of([{"name": "f", "parameters": parameters}])
    raw = RawAction("f", {"x": "3"}, Span(0, 1), "test", 0, strings_only=True)
    assert check_action(raw, tools).arguments == {"x": typed}


@pytest.mark.parametrize("text", ["true", "1.0", "[1]", '{"a": 1}'])
def test_a_text_that_is_none_of_a_lists_numbers_stays(text):
    """Beside values that are numbers a field may be a text: what is another type's is one."""
    parameters = {"type": "object", "properties": {"x": {"anyOf": [{"enum": [1, 2]}, {"type": "string"}]}}}
    tools = ToolCatalogue.of([{"name": "f", "parameters": parameters}])
    found = check_action(RawAction("f", {"x": text}, Span(0, 1), "test", 0, strings_only=True), tools)
    assert (found.status, found.arguments) == (ActionStatus.VALID, {"x": text})


def test_a_number_that_no_division_takes_is_refused():
    """The validator divides by a fraction, for which an integer may be too large."""
    parameters = {"type": "object", "properties": {"x": {"type": "number", "multipleOf": 0.5}}}
    tools = ToolCatalogue.of([{"name": "f", "parameters": parameters}])
    found = check_action(RawAction("f", {"x": 10**400}, Span(0, 1), "test", 0), tools)
    assert (found.status, found.reason) == (ActionStatus.INVALID, Reason.TOO_DEEP)


def test_strings_are_typed_by_their_schema():
    """Where a dialect writes nothing but strings, only those that the schema wants otherwise are read as something else."""
    found = call(strings_only=True, zip="03106", days="3", alerts="True", places='[{"name": "Ulm"}]')
    assert found.status is ActionStatus.COERCED
    assert found.arguments == {"zip": "03106", "days": 3, "alerts": True, "places": [{"name": "Ulm"}]}


def test_a_string_that_is_no_number_stays_and_is_refused():
    """A wrong value is reported as it was written."""
    found = call(strings_only=True, zip="03106", days="many")
    assert (found.status, found.errors[0].value) == (ActionStatus.INVALID, '"many"')


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(["zip", "days", "units", "places", "x"]), values), st.booleans())
def test_no_content_raises(arguments, strings_only):
    """Whatever a model writes as arguments, the check says something."""
    assert call(strings_only=strings_only, **arguments).status in ActionStatus


def test_each_field_that_is_missing_is_named_once():
    """The validator has an error for each, at every level, and each of them names all."""
    inner = {"type": "object", "properties": {}, "required": ["x", "y"]}
    schema = {"type": "object", "properties": {"c": inner}, "required": ["a", "b"]}
    text = '<tool_call>{"name": "f", "arguments": {"c": {}}}</tool_call>'
    result = parse(text, dialects=["hermes"], tools=[{"name": "f", "parameters": schema}])
    assert sorted(error.path for error in result.actions[0].errors) == ["a", "b", "c.x", "c.y"]


@pytest.mark.parametrize(
    ("searched", "status"),
    [("ToolSearch", "not_checked"), ("tool_search_tool_regex", "not_checked"), ("search", "unknown")],
)
def test_of_a_tool_that_a_search_has_found_no_schema_is_known(searched, status):
    """A recorded call of one is not an unknown one; a runtime of one's own has those that it offers, and no others."""
    definitions = [{"type": "function", "function": {"name": searched, "parameters": {"type": "object"}}}]
    catalogue = ToolCatalogue.of(definitions)
    raw = RawAction("TaskCreate", {}, Span(0, 1), "test", 0)
    assert (str(catalogue.strict.judge(raw).status), str(catalogue.judge(raw).status)) == (status, "unknown")
