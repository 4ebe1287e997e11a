"""Valid JSON as it stands, and the plainest repairs and refusals with their exact places."""

import json

import pytest

from actionledger.core.values import Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import decode
from actionledger.reading.tolerant_json.faults import STRICT, DecodeOptions


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
