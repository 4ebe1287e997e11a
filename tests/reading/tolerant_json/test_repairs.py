"""Repairs: a recipe to the JSON that was read, packed notes, and doubts that are said."""

import json
import math
from itertools import pairwise

import pytest
from effort import examples
from hypothesis import example, given, settings, strategies as st

import actionledger as al
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import (
    LENIENT,
    DecodeOptions,
    decode,
    decode_all,
    decode_nested,
    find_value,
)
from actionledger.reading.tolerant_json.decoded import Places
from actionledger.reading.tolerant_json.notes import Columns, Notes
from actionledger.reading.tolerant_json.rewriting import read_usual

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


FORMS = ((RepairKind.MISSING_COMMA, ","), (RepairKind.COMMENT, ""), (RepairKind.QUOTES, '"a"'))


def some(count, start=0):
    """Return that many notes of three forms."""
    numbers = range(start, start + count)
    return [(FORMS[at % 3][0], at, at + 1, FORMS[at % 3][1]) for at in numbers]


def noted(notes):
    """Return such notes, kept."""
    made = Notes()
    for note in notes:
        made.recent.append(note)
        made.pack()
    return made


def test_few_notes_are_left_as_they_are():
    """Packing them costs more than it saves."""
    notes = noted(some(100))
    assert notes.packed is None
    assert (list(notes), len(notes)) == (some(100), 100)


@pytest.mark.parametrize("first", [0, 1, 900, 999, 1_000])
def test_many_notes_come_out_as_they_were_made(first):
    """From whatever number on they are asked for, packed or not."""
    notes = noted(some(1_000))
    assert notes.packed is not None
    assert len(notes.recent) < 300
    assert (list(notes), len(notes)) == (some(1_000), 1_000)
    assert list(notes.since(first)) == some(1_000)[first:]
    assert notes.kinds() == {kind for kind, _ in FORMS}


@pytest.mark.parametrize("first", [0, 10, 990])
@pytest.mark.parametrize("count", [50, 1_000])
def test_only_notes_from_a_number_on_are_dropped(first, count):
    """Those before it are not asked."""
    notes = noted(some(count))
    notes.keep(lambda note: note[0] is not RepairKind.COMMENT, first)
    kept = [note for at, note in enumerate(some(count)) if at < first or note[0] is not RepairKind.COMMENT]
    assert list(notes) == kept


@pytest.mark.parametrize("own", [0, 5, 1_000])
@pytest.mark.parametrize("others", [0, 5, 1_000])
def test_notes_of_another_stretch_are_added_behind(own, others):
    """However many there are of either."""
    notes = noted(some(own))
    notes.take(noted(some(others, own)))
    assert list(notes) == some(own + others)


def test_columns_take_forms_that_are_known_beforehand_and_others():
    """A form has one number, whenever it was met first."""
    columns = Columns({FORMS[2]: 0})
    columns.extend(some(6))
    assert list(columns.since(0)) == some(6)
    assert list(columns.forms) == [1, 2, 0, 1, 2, 0]
    columns.cut(2)
    assert list(columns.since(1)) == some(2)[1:]


def test_places_come_out_as_they_were_kept():
    """In their order, without the one that was dropped."""
    places = Places()
    first, second, third = {}, {}, {}
    places.add(first, 0, 5)
    places.add(second, 6, 8)
    places.drop_last()
    places.add(third, 7, 9)
    assert list(places) == [(first, 0, 5), (third, 7, 9)]
    assert [value for value, *_ in places][1] is third


def test_keys_that_are_there_twice_very_often_are_named_together():
    """A hundred issues at most: the last says how many more there are, and covers them all."""
    member = '"a": 1, '
    text = "{" + member * 500 + "}"
    issues = decode(text).issues
    assert {issue.code for issue in issues} == {Reason.DUPLICATE_KEY}
    assert len(issues) == 100
    assert issues[98].detail == "The key is 'a'; its values are 1 and 1."
    assert "400 times" in issues[99].detail
    assert issues[99].span == (text.index(member) + len(member) * 100, text.rindex('"a"') + 3)


BEFORE = "né 𝕏: "


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": ""x y""}', '"x y"'),
        ('{"a": 1]}', "]"),
        ('{"a": [[1, 2], "b": 3}', ","),
    ],
)
def test_a_doubt_stands_where_its_text_does(text, where):
    """Alone, and as a part of a longer text whose end is told."""
    for before in ("", BEFORE):
        whole = f"{before}{text} and more"
        decoded = al.decode(whole, len(before), end=len(before) + len(text))
        (issue,) = decoded.issues
        assert issue.code is Reason.AMBIGUOUS
        assert whole[issue.span.start : issue.span.end] == where


@pytest.mark.parametrize("text", ['{"a": "x"}', "[1]]", '{"a": "say "x" now"}'])
def test_the_usual_way_alone_is_no_doubt(text):
    """A closing bracket too many at the end, and quotes within a text, are read in one way."""
    assert al.decode(text).issues == ()


USUAL = {
    "{a: 1}": {"a": 1},
    "{'a': 'b'}": {"a": "b"},
    "{“a”: 1}": {"a": 1},
    '{"a": True, "b": [None,]}': {"a": True, "b": [None]},
    '["a",\xa0"b"]': ["a", "b"],
    '["a", # note\n "b"]': ["a", "b"],
    '["a",, "b"; "c"]': ["a", "b", "c"],
    '{"a" = 1, "b" => 2}': {"a": 1, "b": 2},
}


@pytest.mark.parametrize("text", USUAL)
def test_usual_faults_are_mended_in_one_run(text):
    """The value, and its end in the text as it was."""
    mended, notes, _ = read_usual(text, 0, 10)
    assert mended is not None
    assert (mended.value, mended.end) == (USUAL[text], len(text))
    assert len(notes) > 0


def test_what_stands_behind_the_container_is_not_mended():
    """The run goes past its end, and forgets what it has noted there."""
    mended, notes, _ = read_usual("{a: 1} {b: 2}", 0, 10)
    assert mended is not None
    assert (mended.text, mended.end) == ('{"a": 1}', 6)
    assert [note[1] for note in notes] == [1]


def test_places_are_those_of_the_text_as_it_was():
    text = "x " + "[" + "{a: 1}, " * 1_000 + "{a: 1}]"
    mended, notes, _ = read_usual(text, 2, 10)
    assert mended is not None
    assert mended.end == len(text)
    assert text[mended.original(mended.text.rindex("{")) :] == "{a: 1}]"
    assert [kind for kind, *_ in notes] == [RepairKind.UNQUOTED_KEY] * 1_001


@pytest.mark.parametrize(
    "text", ['{a: "x "y" z"}', "{a: [1}", "{a: 1, a: 2}", "{a: [[1]]}", "{a: 1", "{a: b c}", "[a: 1]"]
)
def test_other_faults_are_left_alone(text):
    """Quotes inside, wrong brackets, keys that are there twice, too many levels, no end, texts, a member in a list."""
    mended, _, _ = read_usual(text, 0, 2)
    assert mended is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"low": - 5, "high": + 5}', {"low": -5, "high": 5}),
        ("[12, -\t.5, - 2.5e3]", [12, -0.5, -2500.0]),
        ('{"low": - 5 degrees}', {"low": "- 5 degrees"}),
        ('{"range": - 5 - 10}', {"range": "- 5 - 10"}),
    ],
)
def test_a_number_may_have_blanks_behind_its_sign(text, value):
    """It was taken for a text. A text that begins so is one."""
    decoded = al.decode(text)
    assert decoded.ok
    assert decoded.value == value


@pytest.mark.parametrize(
    "text", ["[1 - 4]", "[3 - 4, 5]", '{"a": 1 - 4}', "- 5", '{"list":\n  - 5\n  - 6\n}']
)
def test_a_minus_that_subtracts_or_lists_is_no_sign(text):
    assert not al.decode(text).ok
