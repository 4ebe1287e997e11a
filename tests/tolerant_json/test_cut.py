"""What a text that ends too early still gives: what was complete, and the name of what was not."""

import json

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

from actionledger.tolerant_json import decode
from actionledger.vocabulary import Reason, RepairKind


@pytest.mark.parametrize(
    ("text", "value", "dropped", "closers"),
    [
        ("[", [], "", "]"),
        ("{", {}, "", "}"),
        ("[1, 2", [1], ", 2", "]"),
        ("[5, 1", [5], ", 1", "]"),
        ("[5, 0", [5], ", 0", "]"),
        ("[5, 1.", [5], ", 1.", "]"),
        ("[5, -", [5], ", -", "]"),
        ("[5, 1e-", [5], ", 1e-", "]"),
        ("[1, 2 ", [1, 2], "", "]"),
        ("[1,", [1], ",", "]"),
        ("[true", [True], "", "]"),
        ("[tru", [], "tru", "]"),
        ("[null, nul", [None], ", nul", "]"),
        ('["a"', ["a"], "", "]"),
        ('["a', [], '"a', "]"),
        ('["a\\', [], '"a\\', "]"),
        ('["a\\u00', [], '"a\\u00', "]"),
        ('{"a', {}, '"a', "}"),
        ('{"a"', {}, '"a"', "}"),
        ('{"a":', {}, '"a":', "}"),
        ('{"a": 12', {}, '"a": 12', "}"),
        ('{"a": "x', {}, '"a": "x', "}"),
        ('{"a": 1, "b": // c', {"a": 1}, ', "b": // c', "}"),
        ('{"a": 1,', {"a": 1}, ",", "}"),
        ('{"a": 1, "a": 2', {"a": 1}, ', "a": 2', "}"),
        ('{"a": [1, {"b": tr', {"a": [1, {}]}, '"b": tr', "}]}"),
        ('[[[[{"a": 1}, {"b"', [[[[{"a": 1}, {}]]]], '"b"', "}]]]]"),
        ('{"a\nb"', {}, '"a\nb"', "}"),
    ],
)
def test_a_cut_text_keeps_what_is_complete(text, value, dropped, closers):
    """The tail that the end cuts through is dropped, with its key and the comma before it; open brackets are closed."""
    found = decode(text)
    assert (found.ok, found.value, found.end) == (True, value, len(text))
    tails = [repair.before for repair in found.repairs if repair.kind is RepairKind.DROPPED_TAIL]
    assert tails == ([dropped] if dropped else [])
    closer = found.repairs[-1]
    assert (closer.kind, closer.span, closer.before, closer.after) == (
        RepairKind.MISSING_CLOSER,
        (len(text), len(text)),
        "",
        closers,
    )
    assert [issue.code for issue in found.issues] == [Reason.TRUNCATED]
    assert found.issues[0].span.of(text) == dropped


@pytest.mark.parametrize("text", ["tru", '"a', "-", "nu"])
def test_a_lone_scalar_that_is_cut_gives_nothing(text):
    """Without a container nothing is complete."""
    found = decode(text)
    assert (found.ok, found.issues[0].code) == (False, Reason.TRUNCATED)


def test_the_containers_that_were_open_are_known():
    """Whether more was meant to be in them can't be known, so a reader may refuse to act on them."""
    found = decode('{"actions": [{"t": "a"}, {"t": "b"')
    whole, cut = found.value["actions"]
    assert not found.is_cut(whole)
    assert found.is_cut(cut)
    assert found.is_cut(found.value)
    assert list(found.cut) == [found.value, found.value["actions"], cut]


def test_repairs_inside_a_dropped_tail_are_not_counted():
    """A raw line break in a key that is dropped anyway changed nothing."""
    text = '[1,], {"a": 1'
    assert [repair.kind for repair in decode(text).repairs] == [RepairKind.TRAILING_COMMA]
    kinds = [repair.kind for repair in decode('{"x": "a\nb", "c\nd": 1').repairs]
    assert kinds == [RepairKind.CONTROL_CHARACTER, RepairKind.DROPPED_TAIL, RepairKind.MISSING_CLOSER]


@settings(max_examples=examples(200))
@given(data=st.data())
def test_a_prefix_never_holds_more_than_the_whole(data):
    """Wherever a list is cut, what is read are its first elements; only the last of them may be incomplete."""
    value = data.draw(
        st.lists(st.integers() | st.text() | st.booleans() | st.lists(st.integers()), min_size=1)
    )
    text = json.dumps(value)
    end = data.draw(st.integers(min_value=1, max_value=len(text) - 1))
    found = decode(text[:end])
    assert found.ok
    assert found.issues[-1].code is Reason.TRUNCATED
    *complete, last = found.value or [None]
    assert complete == value[: len(complete)]
    if found.value:
        expected = value[len(complete)]
        assert last == expected or (found.is_cut(last) and last == expected[: len(last)])
