"""What is checked in one step, or without the validator: never where the long way says something else."""

import json
from typing import Any
from unittest import mock

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

from actionledger.actions.plain_schemas import plain
from actionledger.actions.tools import Tool, ToolCatalogue, _typed
from actionledger.actions.validation import check, check_action
from actionledger.actions.verdict import usual_calls
from actionledger.core.values import ActionCall
from actionledger.profiles import profile_named
from actionledger.reading.parsers import PARSERS

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


CATALOGUE = profile_named("assistant").catalogue
EXAMPLES = [{**each.example, "type": each.name} for each in CATALOGUE.describe() if each.example is not None]


def read(*actions, trailing=""):
    body = ", ".join(json.dumps(action) for action in actions)
    return PARSERS["assistant"].read(f'```actions\n{{"actions": [{body}{trailing}]}}\n```')


def usual(reading):
    return list(
        usual_calls(reading.actions, CATALOGUE.validators, CATALOGUE.discriminator, may_have_references=True)
    )


def test_each_example_is_usual_and_checked_as_the_long_way_does():
    reading = read(*EXAMPLES)
    calls = usual(reading)
    assert [len(call) for call in calls] == [len(ActionCall._fields)] * len(EXAMPLES)
    assert calls == [check_action(raw, CATALOGUE, ids=frozenset()) for raw in reading.actions]


def test_fields_that_nobody_knows_are_left_out_as_the_long_way_does():
    reading = read(*({**example, "mood": "calm", "n": [1]} for example in EXAMPLES))
    calls = usual(reading)
    assert {str(call.status) for call in calls} == {"coerced"}
    assert {len(call.notes) for call in calls} == {2}
    assert calls == [check_action(raw, CATALOGUE, ids=frozenset()) for raw in reading.actions]


@pytest.mark.parametrize(
    "action",
    [
        {"type": "delete_task", "task_id": "1"},
        {"type": "delete_task", "task_id": 1, "mood_from": "calm"},
        {"type": "delete_task", "task_id": 1, "dry_run": True},
        {"type": "delete_task", "task_id": 1, "task": "calm"},
        {"type": "delete_task", "task_id": "${action_1.task_id}"},
        {"type": "create_task", "content": "Read ${action_1.task_id}"},
        {"type": "delete_task", "task_id_from": "action_1.task_id"},
        {"type": "Delete_Task", "task_id": 1},
        {"type": "erase", "task_id": 1},
        {"task_id": 1},
    ],
    ids=str,
)
def test_whatever_is_otherwise_is_looked_at(action):
    reading = read(EXAMPLES[0], action)
    first, second = usual(reading)
    assert (first is not None, second) == (True, None)
    assert check(reading, CATALOGUE)[1] == check_action(reading.actions[1], CATALOGUE, ids=frozenset({""}))


def test_an_action_that_is_shown_is_no_usual_one():
    text = "For example:\n```actions\n" + json.dumps({"actions": [EXAMPLES[0]]}) + "\n```"
    reading = PARSERS["assistant"].read(text)
    assert [action.illustration is not None for action in reading.actions] == [True]
    assert usual(reading) == [None]


def test_a_usual_action_has_the_repairs_within_it():
    reading = read(EXAMPLES[0], EXAMPLES[1], trailing=",")
    broken = PARSERS["assistant"].read(reading.text.replace('"type": "', '"type" "', 1))
    assert check(broken, CATALOGUE) == tuple(
        check_action(raw, CATALOGUE, broken.blocks[0].repairs, frozenset()) for raw in broken.actions
    )
    assert [len(call.repairs) for call in check(broken, CATALOGUE)] == [1, 0]


def test_more_fields_than_are_told_one_by_one_are_left_out_as_the_long_way_does():
    reading = read({**EXAMPLES[0], **{f"mood_{number}": "calm" for number in range(150)}})
    [call] = check(reading, CATALOGUE)
    assert (str(call.status), len(call.notes)) == ("coerced", 100)
    assert call == check_action(reading.actions[0], CATALOGUE, ids=frozenset())


@pytest.mark.parametrize(("value", "status"), [(True, "invalid"), (False, "coerced"), (None, "coerced")])
@pytest.mark.parametrize("name", ["dry_run", "dry" + "_" * 300 + "run"], ids=["short", "long"])
def test_a_field_that_holds_an_action_back_is_no_stranger_however_long_its_name(name, value, status):
    reading = read({**EXAMPLES[0], name: value})
    [call] = check(reading, CATALOGUE)
    assert str(call.status) == status
    assert call == check_action(reading.actions[0], CATALOGUE, ids=frozenset())
