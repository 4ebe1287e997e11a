"""Objects as calls: which keys count, what may be missing, and what makes an object no call."""

import pytest

from actionledger.reading.dialects.parts.json_calls import Keys, arguments_of, call_of

ANY = Keys(("name", "function", "tool"), ("arguments", "parameters", "args"))


@pytest.mark.parametrize(
    ("item", "name", "arguments"),
    [
        ({"name": "f", "arguments": {"a": 1}}, "f", {"a": 1}),
        ({"name": "f", "parameters": {"a": 1}}, "f", {"a": 1}),
        ({"name": "f", "arguments": '{"a": 1}'}, "f", {"a": 1}),
        ({"name": "f", "arguments": ""}, "f", {}),
        ({"name": "f", "arguments": None}, "f", {}),
        ({"name": "f"}, "f", {}),
        ({"id": "c1", "type": "function", "name": "f"}, "f", {}),
        ({"type": "function", "function": {"name": "f", "arguments": "{}"}}, "f", {}),
    ],
)
def test_an_object_that_names_a_tool_and_its_arguments_is_a_call(item, name, arguments):
    """Arguments may be JSON text, as OpenAI's interface writes them, or missing where nothing else stands there."""
    call = call_of(item)
    assert call is not None
    assert (call.name, call.arguments) == (name, arguments)


@pytest.mark.parametrize(
    "item",
    [
        "f",
        ["f"],
        None,
        {},
        {"arguments": {}},
        {"name": ""},
        {"name": 7, "arguments": {}},
        {"name": "f", "arguments": ["a"]},
        {"name": "f", "arguments": 5},
        {"name": "f", "arguments": "a = 1"},
        {"name": "f", "arguments": '{"a": 1} {"b": 2}'},
        {"name": "f", "arguments": '{"a": 1,}'},
        {"name": "f", "arguments": {}, "parameters": {}},
        {"name": "f", "city": "Paris"},
        {"name": "f", "args": {"a": 1}},
        {"function": {"name": "f"}, "reason": "x"},
    ],
)
def test_what_is_no_call_in_one_plain_way_is_none(item):
    """A missing name, arguments without names, two holders of arguments, or keys that may be arguments."""
    assert call_of(item) is None


@pytest.mark.parametrize("item", [{"tool": "f", "args": {}}, {"function": "f", "parameters": {}}])
def test_the_keys_are_the_dialects(item):
    """What one format writes is nothing in another."""
    assert call_of(item, ANY) is not None
    assert call_of(item) is None


def test_two_names_are_no_name():
    """Which of them is the tool's can't be known."""
    assert call_of({"name": "f", "tool": "g", "args": {}}, ANY) is None


def test_the_identifier_stands_in_the_call_or_in_its_wrapper():
    """Whoever answers a call names it by its identifier."""
    assert call_of({"name": "f", "id": "a"}).call_id == "a"
    assert call_of({"id": "b", "type": "function", "function": {"name": "f"}}).call_id == "b"
    assert call_of({"name": "f", "id": 7}).call_id is None


def test_keys_that_mean_nothing_are_kept_by_name():
    """They don't change the call, and they don't go by in silence."""
    assert call_of({"name": "f", "arguments": {}, "thought": "x"}).strange == ("thought",)


def test_arguments_as_text_are_read_strictly():
    """A repair inside of an escaped text has no place in the response that could be named."""
    assert arguments_of('{"a": 1}') == {"a": 1}
    assert arguments_of("{'a': 1}") is None
