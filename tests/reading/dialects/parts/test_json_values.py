"""JSON in a call: where a value ends, which keys count, and what is not to be acted on."""

import json

import pytest
from hypothesis import given, settings, strategies as st

from actionledger.core.values import Issue
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.parts import value_faults
from actionledger.reading.dialects.parts.json_calls import Keys, arguments_of, call_of
from actionledger.reading.dialects.parts.json_values import (
    Reach,
    _json_ahead,
    arguments_at,
    json_ahead,
    value_at,
)
from actionledger.reading.dialects.parts.value_faults import OpenBrackets, unless_doubtful
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json import decode
from actionledger.reading.tolerant_json.faults import LENIENT, DecodeOptions

ALL = DecodeOptions(repairs=frozenset(RepairKind))


def read(text, closer="</t>", bound=None):
    at = text.find(closer)
    end = len(text)
    return value_at(Source(text), 0, Reach(at if at >= 0 else None, bound or end, end), ALL)


def test_a_valid_value_ends_where_it_says():
    """A marker in a string is text."""
    decoded = read('{"a": "x </t> y"}</t>')
    assert decoded.ok
    assert decoded.value == {"a": "x </t> y"}
    assert not decoded.repairs


def test_brackets_that_are_left_open_before_the_closing_marker_were_forgotten():
    """The marker shows that the value is over."""
    decoded = read('{"a": {"b": 1}</t> {"c": 2}')
    assert decoded.value == {"a": {"b": 1}}
    assert [repair.kind for repair in decoded.repairs] == [RepairKind.MISSING_CLOSER]


def test_a_bracket_too_many_before_the_closing_marker_is_dropped():
    decoded = read('{"a": 1}}</t>')
    assert decoded.value == {"a": 1}
    assert decoded.end == len('{"a": 1}}')


def test_a_broken_value_may_hold_the_closing_marker_in_a_string():
    """What is read up to the marker would be half a value, so it is read beyond."""
    decoded = read("""{"a": 'x </t> y',}</t>""")
    assert decoded.value == {"a": "x </t> y"}


def test_a_string_is_never_ended_by_a_closing_marker():
    """Half a string is no value."""
    decoded = read('{"a": "x</t> and so on')
    assert not decoded.ok or decoded.cut


def test_a_broken_value_never_reaches_behind_its_bound():
    """The next call is not swallowed by a quote that is missing in this one."""
    text = '{"a": "x, "b": 1} <t>{"a": "y"}'
    decoded = read(text, closer="none", bound=text.index("<t>"))
    assert not decoded.ok or decoded.end <= text.index("<t>")


def test_where_nothing_bounds_a_value_no_guess_decides_where_a_string_ends():
    """A quote somewhere behind it may belong to another sentence."""
    decoded = read('{"a": "Lyon"<b> and {"c": "x"}', closer="none")
    assert not decoded.ok


@pytest.mark.parametrize("size", [10, 4_095, 4_096, 4_097, 40_000])
def test_valid_json_of_any_size_is_seen_ahead(size):
    """It is looked at in pieces, and no cut between them shows."""
    text = '{"a": ["' + "x" * size + '", true, 12345]}'
    assert json_ahead(Source(text + " tail"), 0, len(text) + 5, ALL).whole.end == len(text)
    assert json_ahead(Source(text), 0, len(text) - 1, ALL).is_cut
    assert not json_ahead(Source(text[:-2] + "!" * 20), 0, len(text) + 18, ALL).is_cut


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1', Reason.TRUNCATED),
        ("[1]", Reason.WRONG_SHAPE),
        ('"no object"', Reason.WRONG_SHAPE),
        ('{"a": }', Reason.MISSING_VALUE),
    ],
)
def test_arguments_that_are_no_whole_object_are_refused(text, reason):
    """Half an object is never executed, and arguments have names."""
    refused = arguments_at(Source(text), 0, Reach(None, len(text), len(text)), ALL)
    assert isinstance(refused, Issue)
    assert refused.code is reason


def test_a_string_with_two_ends_is_refused_with_both():
    """Up to the marker a quote is missing; beyond it the value is whole."""
    decoded = read('{"a": "x}</t>\ny"}</t>')
    assert not decoded.ok
    (issue,) = decoded.issues
    assert issue.code is Reason.AMBIGUOUS
    assert "9" in issue.detail
    assert "17" in issue.detail


def test_a_string_that_ends_before_the_marker_or_nowhere_ends_before_it():
    """There is one reading."""
    decoded = read('{"a": "x}</t>y')
    assert decoded.value == {"a": "x"}
    assert [repair.kind for repair in decoded.repairs] == [RepairKind.UNCLOSED_STRING]


def test_a_valid_value_is_read_once_whoever_asks():
    """Several dialects look at the same fence; the value that they see is one and the same."""
    source = Source('{"a": [1]}')
    first, second = (value_at(source, 0, Reach(None, 10, 10), ALL) for _ in range(2))
    assert first.value is second.value
    assert first.span_of(first.value) == (0, 10)


@pytest.mark.parametrize("before", [0, 65_536, 65_537, 200_000])
@pytest.mark.parametrize("size", [10, 70_000])
def test_the_objects_of_a_list_are_found_wherever_it_stands(before, size):
    """Neither a long text before it nor a long value moves a span."""
    text = "-" * before + ' {"actions": [{"a": "' + "x" * size + '"}, {"b": {"c": 1}}]} tail'
    whole = json_ahead(Source(text), before + 1, len(text), ALL).whole
    for item in whole.value["actions"]:
        assert json.loads(whole.span_of(item).of(text)) == item
    inner = whole.value["actions"][1]["b"]
    assert whole.span_of(inner).of(text) == '{"c": 1}'
    assert whole.span_of(whole.value) == (before + 1, len(text) - len(" tail"))


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


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('[]{}",\\ab\n漢🙂', max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("ab[{", max_size=2), inner, max_size=3)
    ),
    max_leaves=30,
)


@settings(max_examples=100)
@given(VALUES, st.data())
def test_each_bracket_is_answered_as_if_it_were_the_only_one(value, data):
    text = "x " + json.dumps(value, ensure_ascii=False, indent=data.draw(st.sampled_from([None, 1])))
    end = data.draw(st.integers(2, len(text)))
    behind = data.draw(st.sampled_from(["", "}", '"', "] [{"]))
    source = Source(text[:end] + behind)
    for at in range(2, len(source.text)):
        if source.text[at] in "[{":
            told = json_ahead(source, at, len(source.text), LENIENT)
            alone = _json_ahead(source.text, at, len(source.text), LENIENT.max_depth)
            assert told == alone


@pytest.mark.parametrize("behind", ["", " !", '"', "\\"])
def test_beyond_the_levels_of_the_scanner_only_valid_text_is_known_to_be_open(behind, monkeypatch):
    monkeypatch.setattr(value_faults, "_LEVELS", 3)
    text = '[{"a": ' * 10 + behind
    brackets = OpenBrackets()
    brackets.note(text, 0, len(text))
    is_valid = behind in {"", '"'}
    assert [brackets.hold(at, len(text)) for at in (0, 1, 7, 2)] == [False, is_valid, is_valid, False]


def judged(text):
    return unless_doubtful(text, decode(text))


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ('{"a": 1, "a": 2}', "its values are 1 and 2."),
        ('{"a": 1, "a": true}', "its values are 1 and True."),
        ('{"a": 1, "a": 1.0}', "its values are 1 and 1.0."),
        ('[{"b": {"a": [1], "a": [2]}}]', "its values are a list and a list."),
        ('{"a": 1, "a": 1, "a": null}', "its values are 1 and None."),
    ],
)
def test_a_key_with_two_values_is_refused_with_both(text, detail):
    """Whichever counts, the other one may have been meant."""
    found = judged(text)
    assert (found.ok, found.value) == (False, None)
    (issue,) = found.issues
    assert (issue.code, issue.span.of(text)) == (Reason.DUPLICATE_KEY, '"a"')
    assert issue.detail == f"The key is 'a'; {detail}"


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', '{"a": {"x": 1, "y": 2}, "a": {"y": 2, "x": 1}}'])
def test_a_key_that_says_the_same_twice_is_read(text):
    found = judged(text)
    assert found.ok
    assert [issue.code for issue in found.issues] == [Reason.DUPLICATE_KEY]


def test_a_key_twice_in_a_text_that_is_broken_as_well_is_refused():
    """Two faults at once: what was meant is not looked for."""
    assert judged("{'a': 1, 'a': 1}").issues[0].code is Reason.DUPLICATE_KEY


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_is_none_is_refused_at_its_place(number):
    """The decoder reads it as Python does."""
    text = f'{{"a": [{number}]}}'
    (issue,) = judged(text).issues
    assert (issue.code, issue.span.of(text)) == (Reason.NON_FINITE_NUMBER, number)


def test_what_is_plain_stays_as_it_is():
    """The value itself is handed on."""
    found = decode('{"a": 1,}')
    assert unless_doubtful('{"a": 1,}', found) is found
