"""Values whose place is not known."""

import pytest

from actionledger.core.values import Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.tolerant_json import STRICT, DecodeOptions, decode_all, decode_nested, find_value


@pytest.mark.parametrize(
    ("text", "values", "repairs"),
    [
        ('{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}], []),
        ('{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}], []),
        (
            "{'a': 1}, {'b': 2}; [3]",
            [{"a": 1}, {"b": 2}, [3]],
            ["quotes", "separator", "quotes", "separator"],
        ),
        ('1 "two" true', [1, "two", True], []),
        ("", [], []),
        ("no value", [], []),
        ('{"a": 1} and {"b": 2}', [{"a": 1}], []),
    ],
)
def test_values_in_a_row_are_read_one_by_one(text, values, repairs):
    """Blanks, commas and semicolons may stand between them; other text ends the row."""
    found = decode_all(text)
    assert [decoded.value for decoded in found] == values
    assert [repair.kind for decoded in found for repair in decoded.repairs] == repairs
    assert all(repair.before == repair.span.of(text) for decoded in found for repair in decoded.repairs)


def test_a_row_ends_with_what_cannot_be_read():
    """The value that is refused or cut is the last one, so that nothing is lost in silence."""
    *whole, last = decode_all('{"a": 1} {b c: 2} {"d": 3}')
    assert [decoded.value for decoded in whole] == [{"a": 1}]
    assert last.issues[0].code is Reason.AMBIGUOUS
    assert decode_all('{"a": 1} {"b": ')[-1].cut
    assert decode_all("[1], [2]", options=STRICT)[-1].issues[0].code is Reason.SEPARATOR


def test_a_row_ends_at_the_end():
    """What stands beyond the end is not looked at."""
    text = "[1] [2 ``` [3]"
    assert [decoded.value for decoded in decode_all(text, end=text.index("```"))] == [[1], [2]]


def test_a_row_of_thousands_of_broken_lines_is_read():
    """A value larger than any window, then many small ones."""
    text = "{'a': '" + "x" * 100_000 + "'}\n" + "{'a': 1}\n" * 3_000
    found = decode_all(text)
    assert len(found) == 3_001
    assert found[-1].repairs[0].span.of(text) == "'a'"
    assert found[-1].span_of(found[-1].value) == Span(len(text) - 9, len(text) - 1)


@pytest.mark.parametrize(
    ("text", "value", "before", "after"),
    [
        ('{"a": 1}', {"a": 1}, "", ""),
        ('Here: {"a": 1}. Done.', {"a": 1}, "Here: ", ". Done."),
        ("I'll call {'a': 'it's'} now", {"a": "it's"}, "I'll call ", " now"),
        ('See [1] and {x}: {"a": 1}', {"a": 1}, "See [1] and {x}: ", ""),
        ('Not {"b": 2} but\n```json\n{"a": 1\n```\n', {"a": 1}, 'Not {"b": 2} but\n```json\n', "```\n"),
        ('```\n[{"a": 1},]\n```', [{"a": 1}], "```\n", "\n```"),
        ("The list is [1, 2].", [1, 2], "The list is ", "."),
        ("12", 12, "", ""),
        ("True", True, "", ""),
        ('  "text"\n', "text", "  ", "\n"),
        ('{"a": {"b": 1}}}', {"a": {"b": 1}}, "", ""),
        ("{}", {}, "", ""),
    ],
)
def test_a_value_somewhere_in_a_text_is_found(text, value, before, after):
    """The text before and behind it is told; a footnote is no value where there is an object."""
    found = find_value(text)
    assert (found.decoded.ok, found.decoded.value) == (True, value)
    assert (found.before, found.after) == (before, after)


@pytest.mark.parametrize("text", ["", "nothing here", "a {b} c", "f(x) [y]", "{{name}}"])
def test_a_text_without_a_value_has_none(text):
    """Brackets in prose are no value."""
    found = find_value(text)
    assert not found.decoded.ok
    assert (found.before, found.after) == (text, "")


def test_nothing_is_taken_in_place_of_an_object_that_cannot_be_read():
    """The arguments of a broken call are no call."""
    found = find_value('Do {"name": "f", x y: 1, "arguments": {"a": 1}} now')
    assert found.decoded.value == {"name": "f", "x y": 1, "arguments": {"a": 1}}
    assert found.decoded.issues
    careful = find_value(found.text, options=DecodeOptions())
    assert not careful.decoded.ok


def test_another_value_behind_the_first_is_an_issue():
    """The first one is taken, and the second one is not lost in silence."""
    text = '{"a": 1} or {"b": 2}'
    found = find_value(text)
    assert found.decoded.value == {"a": 1}
    assert [(issue.code, issue.span.of(text)) for issue in found.decoded.issues] == [
        (Reason.SEVERAL_VALUES, '{"b": 2}')
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [('{"a": 1}', {"a": 1}), (" [1, 2] ", [1, 2]), ("{'a': None}", {"a": None}), ('{"a": [1', {"a": [1]})],
)
def test_json_in_a_string_is_read(text, value):
    """Arguments as a string hold an object or a list and nothing else."""
    decoded = decode_nested(text)
    assert (decoded.ok, decoded.value, decoded.cut) == (True, value, ())


@pytest.mark.parametrize("text", ["", "12", "true", '"a"', "text", '{"a": 1} x', "{x}"])
def test_a_string_that_is_no_object_or_list_stays_a_string(text):
    """What looks like a number was written as a string."""
    assert not decode_nested(text).ok
