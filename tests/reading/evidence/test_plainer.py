"""A text with one sign for another: every place stays where it is."""

import pytest

from actionledger.reading.evidence.names import Mention
from actionledger.reading.evidence.stretches import FILLER, with_keywords, with_plain_names, without_filler


def test_signs_that_python_has_not_are_replaced_and_said():
    text = "f(a: 1, b='x: 1', **{'c': 2}) and more"
    made, repairs, end = with_keywords(text, 0, len(text))
    assert made == "f(a= 1, b='x: 1',   {'c': 2}) and more"
    assert [(str(each.kind), each.span.of(text), each.after) for each in repairs] == [
        ("colon", ":", "="),
        ("arguments_unpacked", "**", ""),
    ]
    assert text[:end] == "f(a: 1, b='x: 1', **{'c': 2})"


def test_a_call_that_python_can_read_is_left_alone():
    assert with_keywords("f(a={'b': 1}) g(c: 1)", 0, 21) == ("", [], 13)
    assert with_keywords("f(a=[1, b: 1])", 0, 14) == ("", [], 14), "what stands deeper is no argument"


@pytest.mark.parametrize(
    ("spelt", "plain"),
    [("clock.get-time", f"clock{FILLER}get{FILLER}time"), ("clock.get_time", "clock.get_time")],
)
def test_a_name_becomes_one_in_python_of_the_same_length(spelt, plain):
    assert with_plain_names(f"{spelt}(1)", [Mention(spelt, "call", 0, len(spelt))]) == f"{plain}(1)"


def test_the_filler_is_taken_out_of_all_values():
    assert without_filler({f"a{FILLER}": [f"b{FILLER}", 1]}) == {"a": ["b", 1]}
