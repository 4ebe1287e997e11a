"""What surely fits a plain schema is seen without the validator: never where that one would refuse it."""

from typing import Any
from unittest import mock

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

from actionledger.actions.plain_schemas import plain
from actionledger.actions.tools import Tool, ToolCatalogue, _typed

KINDS = ["string", "integer", "number", "boolean", "null", "array", "object"]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False)
    | st.sampled_from(["", "a", "b", "3"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
SCHEMAS = st.recursive(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(KINDS)
            | st.lists(st.sampled_from(KINDS), min_size=1, max_size=2, unique=True)
        },
        optional={"enum": st.just(["a", "b"]), "description": st.just("It is one."), "minimum": st.just(2)},
    )
    | st.just({}),
    lambda inner: st.fixed_dictionaries(
        {"type": st.sampled_from(["object", "array"])},
        optional={
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            "items": inner,
            "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
            "additionalProperties": st.booleans(),
        },
    ),
    max_leaves=5,
)


@settings(max_examples=examples(500))
@given(SCHEMAS, VALUES)
def test_what_surely_fits_is_what_the_validator_allows(schema: dict[str, Any], value: Any) -> None:
    found = plain(schema)
    if found is not None and found.holds(value):
        assert Tool("f", "", schema).validator.is_valid(value)


@pytest.mark.parametrize(
    ("schema", "value", "is_held"),
    [
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {"a": "x"}, True),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {}, False),
        ({"type": "object", "additionalProperties": False}, {"a": 1}, False),
        ({"type": "object", "properties": {"a": {"enum": ["x"]}}}, {"b": 1}, True),
        ({"type": ["string", "null"], "enum": ["x"]}, "x", True),
        ({"type": "integer"}, True, False),
        ({"type": "integer"}, 1.0, False),
        ({"type": "array", "items": {"type": "integer"}}, [1, 2], True),
        ({"type": "array", "items": {"type": "integer"}}, [1, "2"], False),
    ],
)
def test_what_is_held(schema: dict[str, Any], value: Any, is_held: bool) -> None:
    found = plain(schema)
    assert found is not None
    assert found.holds(value) is is_held


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"type": "string", "pattern": "a"},
        {"$ref": "#/$defs/x"},
        {"type": "text"},
        {"type": "integer", "enum": [1]},
        {"type": "object", "additionalProperties": {"type": "string"}},
    ],
)
def test_what_says_more_is_not_plain(schema: Any) -> None:
    assert plain(schema) is None


def test_the_validator_is_not_asked_about_what_surely_fits() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    tool = ToolCatalogue.of([{"name": "f", "parameters": schema}]).tools[0]
    with mock.patch.object(Tool, "validator", property(lambda _: pytest.fail("It was asked."))):
        assert tool.errors({"city": "Paris"}) == []
    assert tool.errors({"city": 3})


@settings(max_examples=examples(300))
@given(
    SCHEMAS,
    st.dictionaries(
        st.sampled_from("abcd"), st.sampled_from(["3", "true", "a", "[1]", "x y"]) | st.integers()
    ),
)
def test_texts_are_typed_as_without_a_look_at_plain_fields(
    schema: dict[str, Any], arguments: dict[str, Any]
) -> None:
    assert Tool("f", "", schema).typed(arguments) == _typed(arguments, schema)
