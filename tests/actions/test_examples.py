"""Arguments that a schema allows, made up from it."""

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator

from actionledger.actions.schemas import made_example
from actionledger.actions.tools import ToolCatalogue


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
