"""Valid JSON as it stands, and the places of its actions."""

import json

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import decode
from actionledger.reading.tolerant_json.faults import STRICT, DecodeOptions
from actionledger.reading.tolerant_json.valid import outlined, read_valid


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "-0",
        "1E5",
        "0.10",
        '""',
        '"\\u00e9\\n\\/"',
        "[]",
        "{}",
        "[[[[[1]]]]]",
        ' \r\n\t{"a" : [ 1 , {"b":null} ] , "c":true}',
        '{"a":{"b":{"c":{"d":[{"e":"f"}]}}}}',
        '{"": 0}',
        '"\x7f\u2028\ufeff"',
    ],
)
def test_valid_json_reads_as_the_standard_library_reads_it(text):
    """What the grammar allows is read strictly, to its end."""
    found = decode(text)
    assert (found.ok, found.value, found.end) == (True, json.loads(text), len(text))
    assert (found.repairs, found.issues, found.cut) == ((), (), ())


def test_reading_begins_where_it_is_told_and_leaves_the_rest_alone():
    """Start and end count code points of the whole text, and what stands behind the value is nobody's matter."""
    text = '🍅 x = {"a": 1} and {"b": 2}'
    found = decode(text, text.index("{"))
    assert (found.value, text[found.start : found.end]) == ({"a": 1}, '{"a": 1}')
    assert found.issues == ()


@pytest.mark.parametrize(
    ("text", "value", "repair"),
    [
        ("[1, 2,]", [1, 2], Repair(RepairKind.TRAILING_COMMA, Span(5, 6), ",", "")),
        ('{"a": 1 , }', {"a": 1}, Repair(RepairKind.TRAILING_COMMA, Span(8, 9), ",", "")),
        ("[[[[1,]]]]", [[[[1]]]], Repair(RepairKind.TRAILING_COMMA, Span(5, 6), ",", "")),
        ("[1 // one\n]", [1], Repair(RepairKind.COMMENT, Span(3, 9), "// one", "")),
        ("# first\n[1]", [1], Repair(RepairKind.COMMENT, Span(0, 7), "# first", "")),
        ("[/* a\n b */ 1]", [1], Repair(RepairKind.COMMENT, Span(1, 11), "/* a\n b */", "")),
        ('{"a"/**/:1}', {"a": 1}, Repair(RepairKind.COMMENT, Span(4, 8), "/**/", "")),
        ('{"a":/***/1}', {"a": 1}, Repair(RepairKind.COMMENT, Span(5, 10), "/***/", "")),
        ('["a\nb"]', ["a\nb"], Repair(RepairKind.CONTROL_CHARACTER, Span(3, 4), "\n", "\\n")),
        ('{"k\t": 0}', {"k\t": 0}, Repair(RepairKind.CONTROL_CHARACTER, Span(3, 4), "\t", "\\t")),
        ('"\x00"', "\x00", Repair(RepairKind.CONTROL_CHARACTER, Span(1, 2), "\x00", "\\u0000")),
        (
            '[[[["\r\n"]]]]',
            [[[["\r\n"]]]],
            Repair(RepairKind.CONTROL_CHARACTER, Span(5, 7), "\r\n", "\\r\\n"),
        ),
    ],
)
def test_a_repair_says_what_it_changed_and_where(text, value, repair):
    """The value is the one that was meant; the repair has kind, place, the text before and the text after."""
    found = decode(text)
    assert (found.ok, found.value, found.end, found.issues) == (True, value, len(text), ())
    assert found.repairs == (repair,)


def test_repairs_come_in_text_order():
    """A comma shows itself as trailing only behind the comment, yet it stands before it."""
    text = '{"a": [1, /* x */ ], // y\n "b": "c\td", }'
    found = decode(text)
    assert found.value == {"a": [1], "b": "c\td"}
    assert [repair.kind for repair in found.repairs] == [
        RepairKind.TRAILING_COMMA,
        RepairKind.COMMENT,
        RepairKind.COMMENT,
        RepairKind.CONTROL_CHARACTER,
        RepairKind.TRAILING_COMMA,
    ]
    assert [repair.span for repair in found.repairs] == sorted(repair.span for repair in found.repairs)


def test_a_string_is_repaired_once_however_many_control_characters_it_has():
    """One record a string, from the first to the last, keeps long contents readable."""
    text = json.dumps(["x\n" * 1000]).replace("\\n", "\n")
    (repair,) = decode(text).repairs
    assert (repair.kind, repair.before) == (RepairKind.CONTROL_CHARACTER, ("x\n" * 1000)[1:])


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("[1,]", Reason.TRAILING_COMMA, Span(2, 3)),
        ("[1 // x\n]", Reason.COMMENT, Span(3, 7)),
        ('["a\nb"]', Reason.CONTROL_CHARACTER, Span(3, 4)),
        ("[1", Reason.TRUNCATED, Span(1, 2)),
        ("[true", Reason.TRUNCATED, Span(5, 5)),
        ('{"a": ', Reason.TRUNCATED, Span(1, 6)),
    ],
)
def test_strict_options_refuse_by_the_repairs_own_code(text, code, place):
    """Where a repair isn't allowed, the reason is what would have been repaired."""
    found = decode(text, options=STRICT)
    assert (found.ok, found.value) == (False, None)
    assert [(issue.code, issue.span) for issue in found.issues] == [(code, place)]


def test_each_repair_is_allowed_by_itself():
    """A parser may take comments and still refuse a trailing comma."""
    options = DecodeOptions(repairs=frozenset({RepairKind.COMMENT}))
    assert decode("[1 /* x */]", options=options).value == [1]
    assert decode("[1,]", options=options).issues[0].code is Reason.TRAILING_COMMA


@pytest.mark.parametrize("text", ["", "   ", "\n", "// only a comment", "/* x */ "])
def test_no_value_at_all_is_said(text):
    """Blanks and comments alone are no value."""
    found = decode(text)
    assert (found.ok, found.issues[0].code) == (False, Reason.MALFORMED_JSON)
    assert found.issues[0].span == Span(len(text), len(text))


def test_a_comment_never_reaches_past_a_fence():
    """The closing fence of a block ends a comment that nobody closed, so the next block isn't swallowed."""
    assert not decode("[1 /* x\n```\n*/]").ok
    assert decode("[1 /* x\n``\n*/]").value == [1]


DEPTH = 200

KEYS = st.sampled_from(["actions", "type", "a b", 'q"\\', "{", "]", "é😀", ""])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
LEAVES = SCALARS | st.text(st.sampled_from('ab"\\{}[],: \n😀'), max_size=8)


def objects(values):
    return st.dictionaries(KEYS, values, max_size=4)


VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | objects(inner), max_leaves=12)

LISTS = st.lists(objects(VALUES), min_size=1, max_size=4)
OUTER = LISTS | st.dictionaries(KEYS, LISTS | VALUES, min_size=1, max_size=5) | VALUES
INDENTS = st.sampled_from([None, 0, 2, "\t"])


def plainly(text, start=0, levels=DEPTH):
    """Return value and end as the scanner gives them in one call."""
    read = read_valid(text, start, levels)
    return read and (json.dumps(read[0]), read[1])


def walked(text, start=0, levels=DEPTH):
    """Return value and end as they come with the places."""
    found = outlined(text, start, levels)
    return found and (json.dumps(found.value), found.end)


@given(OUTER, INDENTS, st.sampled_from(["", " and more", "}", ",", "\n```"]))
@settings(max_examples=examples(300))
def test_valid_json_is_read_as_the_scanner_reads_it(value, indent, behind):
    """The walk through the outer parts changes neither the value nor its end."""
    text = "> " + json.dumps(value, indent=indent, ensure_ascii=False) + behind
    assert walked(text, 2) == plainly(text, 2)


@given(OUTER, INDENTS)
@settings(max_examples=examples(200))
def test_every_known_place_holds_its_object(value, indent):
    """What stands at the place of an object is that object, and nothing else."""
    text = "> " + json.dumps(value, indent=indent) + " <"
    found = outlined(text, 2, DEPTH)
    parts = found.value.values() if isinstance(found.value, dict) else [found.value]
    items = [item for part in parts if isinstance(part, list) for item in part if isinstance(item, dict)]
    known = [item for item in items if id(item) in found.places]
    assert len(known) == len(found.places)
    for item in known:
        start, end = found.places[id(item)]
        assert json.loads(text[start:end]) == item


@given(OUTER, INDENTS, st.data())
@settings(max_examples=examples(400))
def test_what_the_scanner_refuses_is_refused(value, indent, data):
    """One character too many, too few or another one: both say the same of it."""
    text = json.dumps(value, indent=indent)
    at = data.draw(st.integers(0, len(text)))
    other = data.draw(st.sampled_from(["", ",", ":", '"', "}", "]", "{", "[", "\\", " ", "1", "\n"]))
    text = text[:at] + other + text[at + data.draw(st.integers(0, 1)) :]
    assert walked(text) == plainly(text)


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1}, {"a": 2, "a": 3}]',
        '{"actions": [{"a": 1}], "actions": []}',
        '{"actions": [{"a": {"b": 1, "b": 1}}]}',
    ],
)
def test_a_key_that_stands_twice_is_noticed_at_every_level(text):
    """The tolerant reader knows where they stand, so it is left to that."""
    assert outlined(text, 0, DEPTH) is None


@pytest.mark.parametrize(
    "text", ['[{"a": NaN}]', '{"x": Infinity, "l": [{}]}', '{"l": [{}], "x": -Infinity}']
)
def test_words_for_numbers_that_are_none_are_refused(text):
    """They are no JSON, whoever reads them."""
    assert outlined(text, 0, DEPTH) is None


@pytest.mark.parametrize(
    ("before", "behind", "outside"),
    [("[{}, ", "]", 1), ('{"l": [{}, ', "]}", 2), ('{"l": [{}], "x": ', "}", 1), ('{"x": ', "}", 1)],
)
def test_the_depth_is_counted_through_the_walk(before, behind, outside):
    """As many levels as allowed are read, one more is not."""
    blanks = " " * 2 * DEPTH  # a short value can't be deep, so nothing is counted there
    for more, is_read in ((0, True), (1, False)):
        depth = DEPTH - outside + more
        text = before + "[" * depth + blanks + "]" * depth + behind
        assert (outlined(text, 0, DEPTH) is not None) is is_read
        assert walked(text) == plainly(text)


@pytest.mark.parametrize(
    "text", ['{"actions": [{"a": "}"}, {"b": {}}]}', '{"n": 1, "actions": [{"a": 1}]}', '[{}, {"a": []}]']
)
def test_the_objects_of_a_list_near_the_beginning_have_places(text):
    """Nobody has to look for the actions afterwards."""
    found = outlined(text, 0, DEPTH)
    items = found.value if isinstance(found.value, list) else found.value["actions"]
    assert [json.loads(text[slice(*found.places[id(item)])]) for item in items] == items
