"""A list of repairs is a recipe: whoever follows it has the JSON that was read."""

import json
import math
from itertools import pairwise

import pytest
from effort import examples
from hypothesis import example, given, settings, strategies as st

from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import (
    LENIENT,
    DecodeOptions,
    decode,
    decode_all,
    decode_nested,
    find_value,
)

PIECES = [
    *"{}[]():,;=+-./#\\\"'`“”„‘’«» \n\t\r", *("a", "b c", "key", "say", "1", "0x1F", "1_0", ".5", "007", "1e5"),
    *("true", "None", "tru", "NaN", "-Infinity", "...", "…", "//", "/*", "*/", "```", '"""', "'''", "r'", 'r"'),
    *('{"a": ', '"b": 1', '", "', '"}', "': '", "\\n", "\\u00e9", "\\d", "\ufeff", "\xa0", "\u200b", "\x00", "😀"),
    *("{'a': ", "'x' + ", '"y" + ', "(1, ", "}, ", "], ", '"say "hi"\n now', "'it's', ", "b: red", "1, 2, "),
]  # fmt: skip

TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
BEGINNINGS = st.sampled_from(["", "[", '{"a": ', "{'a': ", '["x", ', '{"a": "', "['", '[{"k": '])


def mended(text, decoded):
    """Return the text with every repair made, from the last to the first, up to the end of the value."""
    places = [repair.span for repair in decoded.repairs]
    assert all(one.end <= other.start for one, other in pairwise(places)), text
    assert all(repair.before == repair.span.of(text) for repair in decoded.repairs), text
    changes = [repair for repair in decoded.repairs if repair.kind is not RepairKind.NON_FINITE_NUMBER]
    assert all(repair.before != repair.after for repair in changes), text
    text = text[: max([decoded.end, *(place.end for place in places)])]
    for repair in reversed(decoded.repairs):
        text = text[: repair.span.start] + repair.after + text[repair.span.end :]
    return text


def check(text, decoded, start=0):
    """Check that the text, mended, is JSON of the same value."""
    if decoded.ok:
        written = mended(text, decoded)[start:]
        assert json.dumps(json.loads(written)) == json.dumps(decoded.value), (text, written)


def test_every_kind_of_fault_is_mended_by_its_repairs(fault, broken_texts):
    """Whatever was broken, and wherever the text is said to end."""
    for _, text in broken_texts(fault, seed=17, count=80):
        check(text, decode(text))
        check(text, decode(text, end=len(text)))


@settings(max_examples=examples(600))
@example(beginning="[", text="], 1]", is_whole=False)
@example(beginning="{", text='}, "a": 1}', is_whole=False)
@example(beginning="[", text="5:", is_whole=True)
@example(beginning="", text="„\"'“#", is_whole=False)
@example(beginning="{", text='"""r":', is_whole=False)
@example(beginning="['", text="\\''''':'}", is_whole=False)
@example(beginning="{", text='"a"""a:\'\'+\']', is_whole=False)
@example(beginning='{"a": ', text="'1', 'b': '2', 'a': 'x' + 'y'}", is_whole=False)
@example(beginning="['", text="'+'x'+\"\"", is_whole=False)
@example(beginning="", text='""\u200b:"":', is_whole=False)
@given(beginning=BEGINNINGS, text=TEXTS, is_whole=st.booleans())
def test_any_text_that_is_read_is_mended_by_its_repairs(beginning, text, is_whole):
    """Faults of all kinds in all places, one inside another."""
    text = beginning + text
    check(text, decode(text, end=len(text) if is_whole else None))


@settings(max_examples=examples(200))
@given(before=TEXTS, text=TEXTS)
def test_repairs_count_in_the_text_that_was_handed_in(before, text):
    """Wherever the value begins in it."""
    decoded = decode(before + text, len(before))
    check(before + text, decoded, len(before))
    alone = decode(text).repairs
    assert [(repair.kind, repair.after) for repair in decoded.repairs] == [(r.kind, r.after) for r in alone]
    assert [repair.span.start - len(before) for repair in decoded.repairs] == [r.span.start for r in alone]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('["a "b\n" c"]', r'["a \"b\n\" c"]'),
        ("['it's']", '["it\'s"]'),
        ('["a\n\\n\tb"]', r'["a\n\n\tb"]'),
        ('["a\n"\\d"\n"]', r'["a\n\"\\d\"\n"]'),
        ('["x \\\n y"]', r'["x \\\n y"]'),
        ("['it's \"so\"']", '["it\'s \\"so\\""]'),
        ("{'a': 'x, 'b': 1}", '{"a": "x", "b": 1}'),
        ('[r"a\\d"]', r'["a\\d"]'),
        ("[r'it's \\d']", '["it\'s \\\\d"]'),
        ("['a' + \"b\" + '''c''']", '["abc"]'),
        ('["a" ..., "b"]', '["a" , "b"]'),
        ("[1, 2, ...]", "[1, 2 ]"),
        ("[1;]", "[1]"),
        ("[(1,), ()]", "[[1], []]"),
        ("[(1, 2], [3]]", "[[1, 2], [3]]"),
        ("[1, [2, 3", "[1, [2, 3]]"),
        ('{"a": 1, "b": {"c', '{"a": 1, "b": {}}'),
        ("[+1e999]", "[Infinity]"),
        ("{'a': nan, b: -inf}", '{"a": NaN, "b": -Infinity}'),
        ('{"a": say \\"hi\\"", "b": 1}', r'{"a": "say \"hi\"", "b": 1}'),
    ],
)
def test_the_mended_text_is_what_a_person_would_write(text, written):
    """One repair takes up where the other ends, also within one string."""
    assert mended(text, decode(text)) == written


def test_numbers_that_are_none_have_a_kind_of_their_own():
    """Who acts on values can do without them and read all other literals."""
    text = "[True, NaN, inf, -Infinity]"
    assert [repair.kind for repair in decode(text).repairs] == [
        RepairKind.LITERAL,
        *[RepairKind.NON_FINITE_NUMBER] * 3,
    ]
    assert math.isnan(decode(text).value[1])
    without = DecodeOptions(repairs=LENIENT.repairs - {RepairKind.NON_FINITE_NUMBER})
    refused = decode(text, options=without)
    assert (refused.ok, refused.issues[0].code) == (False, Reason.NON_FINITE_NUMBER)
    assert refused.issues[0].span.of(text) == "NaN"
    assert decode("[True]", options=without).ok


def test_a_word_without_quotes_has_a_kind_of_its_own():
    """It may be the name of something; a bare key never is."""
    without = DecodeOptions(repairs=LENIENT.repairs - {RepairKind.UNQUOTED_VALUE})
    assert decode("{a: 'x'}", options=without).ok
    assert decode("{a: x}", options=without).issues[0].code is Reason.UNQUOTED_VALUE


def test_values_in_a_row_and_inside_a_text_are_mended_too():
    """Each value's own repairs mend its own stretch."""
    text = "[1,] {'a': 'it's'}"
    for decoded in decode_all(text):
        check(text, decoded, decoded.start)
    text = "see {'a': [1,2,],}."
    check(text, find_value(text).decoded, text.index("{"))
    check("{'a': 1", decode_nested("{'a': 1"))
