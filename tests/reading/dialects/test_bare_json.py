"""Bare JSON: what makes a call of it, and what it is left alone for."""

import pytest

from actionledger.core.vocabulary import BlockStatus, Outcome, Reason
from actionledger.reading.parsers import parser_for
from actionledger.reading.stream import StreamParser

LLAMA, JSON = parser_for(("llama3_json",)), parser_for(("json",))
BOTH = parser_for(("llama3_json", "json"))
OFFERED = frozenset({"get_weather", "get_time"})


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "get_time"}',
        '{"name": "get_time", "parameters": "now"}',
        '{"name": "get_time", "parameters": {}, "score": 1}',
        '{"name": "get_time", "parameters": {"type": "object", "properties": {}}}',
        '{"parameters": {}}',
        '{"name": 3, "parameters": {}}',
    ],
)
def test_without_offered_tools_a_call_has_a_name_and_arguments_and_nothing_else(text):
    """Anything less is data with a name in it."""
    for parser in (LLAMA, JSON):
        reading = parser.read(text)
        assert reading.outcome is Outcome.NO_ACTION
        assert reading.blocks[0].reason is Reason.NOT_AN_ACTION


@pytest.mark.parametrize("parser", [LLAMA, JSON])
def test_with_offered_tools_only_they_make_a_call(parser):
    """A name that nobody offered is passed over with an issue, never without a word."""
    text = '{"name": "fly", "parameters": {}}'
    reading = parser.read(text, OFFERED)
    assert reading.outcome is Outcome.NO_ACTION
    assert [issue.code for issue in reading.issues] == [Reason.UNKNOWN_ACTION]
    assert [action.name for action in parser.read(text).actions] == ["fly"]


def test_behind_the_token_any_name_is_a_call():
    """The token says that a call is meant; whether the tool exists is the catalogue's question."""
    text = '<|python_tag|>{"name": "fly", "parameters": {}}'
    assert [action.name for action in LLAMA.read(text, OFFERED).actions] == ["fly"]


def test_each_tool_of_a_map_has_its_own_place():
    """A map of two tools is two calls."""
    text = '{"get_weather": {"city": "Rome"}, "get_time": {}}'
    first, second = JSON.read(text, OFFERED).actions
    assert (first.name, first.span.of(text)) == ("get_weather", '{"city": "Rome"}')
    assert (second.name, second.span.of(text)) == ("get_time", "{}")


def test_a_map_with_a_name_that_was_not_offered_is_data():
    """All of its keys have to be tools."""
    assert JSON.read('{"get_time": {}, "note": {}}', OFFERED).outcome is Outcome.NO_ACTION


def test_data_beside_calls_is_named():
    """The call is read, what stands beside it is not passed over in silence."""
    reading = JSON.read('[{"name": "get_time", "arguments": {}}, {"x": 1}]')
    assert [action.name for action in reading.actions] == ["get_time"]
    assert [issue.code for issue in reading.issues] == [Reason.NOT_AN_ACTION]


@pytest.mark.parametrize("text", ["[1, 2]", "{}", "{ x }", "[x](y)", "{'a'}", '["a"]', "[[1]]"])
def test_brackets_at_the_start_of_a_line_are_not_looked_at_unless_an_object_with_keys_begins(text):
    """Lists of numbers, links and code are no business of the bare dialects."""
    assert not BOTH.read(text).blocks


def test_a_broken_object_is_left_alone_unless_it_was_meant_as_a_call():
    """Code that begins like an object is no malformed call."""
    assert not JSON.read('{"use strict"; let x = 1}').blocks
    assert not JSON.read('{"name": Ann Lee, "age": }').blocks
    (block,) = JSON.read('{"name": "f", "arguments": {"a": }}\n\nEnd.').blocks
    assert (block.status, block.reason) == (BlockStatus.MALFORMED, Reason.MISSING_VALUE)


def test_a_call_cut_off_right_behind_its_name_is_noticed_where_the_tool_was_offered():
    """An offered name is evidence enough that somebody was about to call."""
    text = '{"name": "get_weather", "'
    assert not LLAMA.read(text).issues
    assert [issue.code for issue in LLAMA.read(text, OFFERED).issues] == [Reason.TRUNCATED]


def test_no_line_of_unfinished_data_is_taken_for_a_call_while_it_comes_in():
    """What looks like a call may turn out to be part of something larger."""
    text = '{\n"steps": [\n{"name": "get_time", "arguments": {}}\n],\n"done": true\n}\nThat is the plan, all of it.'
    stream = StreamParser(JSON)
    given = [block for start in range(0, len(text), 7) for block in stream.feed(text[start : start + 7])]
    assert not any(actions for _, actions in given)
    assert stream.finish().outcome is Outcome.NO_ACTION


def test_a_fence_with_other_text_behind_the_call_is_malformed_and_behind_data_it_is_data():
    """Only what was meant as a call can be lost."""
    call = JSON.read('```json\n{"name": "f", "arguments": {}}\nor so\n```')
    assert call.blocks[0].reason is Reason.TEXT_AFTER_VALUE
    data = JSON.read('```json\n{"a": 1}\nor so\n```')
    assert data.blocks[0].reason is Reason.NOT_AN_ACTION


def test_semicolons_join_calls_and_a_new_line_alone_does_not():
    """Llama separates parallel calls with semicolons; what stands on lines of its own are blocks of their own."""
    call = '{"name": "f", "parameters": {}}'
    assert len(LLAMA.read(f"{call};\n{call}").blocks) == 1
    assert len(LLAMA.read(f"{call}\n{call}").blocks) == 2
