"""What a text that ends too early still gives: what was complete, and the name of what was not."""

import json

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import DecodeOptions, decode

CAREFUL = DecodeOptions()


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
    found = decode(text, options=CAREFUL)
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
    found = decode(text, options=CAREFUL)
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
    kinds = [repair.kind for repair in decode('{"x": "a\nb", "c\nd": 1', options=CAREFUL).repairs]
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
    found = decode(text[:end], options=CAREFUL)
    assert found.ok
    assert found.issues[-1].code is Reason.TRUNCATED
    *complete, last = found.value or [None]
    assert complete == value[: len(complete)]
    if found.value:
        expected = value[len(complete)]
        assert last == expected or (found.is_cut(last) and last == expected[: len(last)])


@pytest.mark.parametrize(
    ("text", "value", "cut"),
    [
        ('["road to', ["road to"], '"road to'),
        ("{'to': 'Bon", {"to": "Bon"}, "'Bon"),
        ('{"to": "caf\\u00e', {"to": "caf"}, '"caf\\u00e'),
        ('{"to": "a\\\\', {"to": "a\\"}, '"a\\\\'),
        ('{"to": "a\\', {"to": "a"}, '"a\\'),
        ('{"to": "ok \\ud83d', {"to": "ok "}, '"ok \\ud83d'),
        ('{"to": "ok \\ud83d\\ude', {"to": "ok "}, '"ok \\ud83d\\ude'),
        ('{"to": "ok \\ud83d\\ude00', {"to": "ok 😀"}, '"ok \\ud83d\\ude00'),
        ('{"rows": [7, 18', {"rows": [7, 18]}, "18"),
        ("[7, 1.", [7, 1.0], "1."),
        ("[7, 2.5e-", [7, 2.5], "2.5e-"),
        ("[fal", [False], "fal"),
        ('{"x": No', {"x": None}, "No"),
        ("{x: blu", {"x": "blu"}, "blu"),
        ('"road to', "road to", '"road to'),
    ],
)
def test_the_likelier_reading_takes_what_is_cut_as_far_as_it_goes(text, value, cut):
    """And says so: the issue has the place of what may go on."""
    found = decode(text)
    assert (found.ok, found.value, found.end) == (True, value, len(text))
    assert [(issue.code, issue.span.of(text)) for issue in found.issues] == [(Reason.TRUNCATED, cut)]
    assert decode(text, options=CAREFUL).value != value


@pytest.mark.parametrize(
    "text", ['{"a": 1, "b', '{"a": 1, "b"', '{"a": 1, "b":', '{"a": 1, "b": -', '{"a": 1, "b": "x "y" z']
)
def test_what_has_no_value_yet_is_dropped_by_every_reading(text):
    """A key alone says nothing, nor does a sign; and a text with quotes inside it may have ended before."""
    assert decode(text).value == decode(text, options=CAREFUL).value == {"a": 1}


@pytest.mark.parametrize(
    ("text", "value"),
    [('{"a": ["up and down]}', {"a": ["up and down"]}), ('{"a": "up and down }', {"a": "up and down"})],
)
def test_a_string_without_its_last_quote_ends_before_the_brackets_of_all_that_is_open(text, value):
    """It may have been cut off within it all the same, which is said; who acts on a value drops it."""
    found = decode(text)
    assert found.value == value
    assert [issue.code for issue in found.issues] == [Reason.AMBIGUOUS]
    assert decode(text, options=CAREFUL).value in ({"a": []}, {})
