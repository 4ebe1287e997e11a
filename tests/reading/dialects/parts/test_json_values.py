"""Where a value ends: valid ones where they say, broken ones never behind the next call."""

import json

import pytest

from actionledger.core.values import Issue
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.parts.json_values import Reach, arguments_at, json_ahead, value_at
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

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
    """It closes nothing."""
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
