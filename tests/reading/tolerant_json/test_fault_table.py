"""The tables of faults and of refusals hold for every reader."""

import json
import re

import pytest

from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.tolerant_json import (
    JSON_REPAIRS,
    LENIENT,
    STRICT,
    DecodeOptions,
    containers,
    decode,
)
from actionledger.reading.tolerant_json.faults import FAULTS, GUESSES
from actionledger.reading.tolerant_json.notes import Notes, reason_for
from actionledger.reading.tolerant_json.regular import Look
from actionledger.reading.tolerant_json.rewriting import read_usual

ROWS = pytest.mark.parametrize("row", FAULTS, ids=lambda row: row.kind)
LIKELIER = {RepairKind.MISSING_OPENER, RepairKind.MISSING_VALUE, RepairKind.SKIPPED}
"""What is done only for who asks for the likelier reading of a text that is refused."""

NEVER_PUT_IN = {
    RepairKind.MISSING_OPENER,
    RepairKind.MISSING_VALUE,
    RepairKind.NON_FINITE_NUMBER,
    RepairKind.BRACKETS,
}
"""What changes a value, and what takes more than one token."""


def repaired(decoded):
    """Return the kinds of a value's repairs; a value that was cut off lacks its bracket as well."""
    kinds = {repair.kind for repair in decoded.repairs}
    return kinds - {RepairKind.MISSING_CLOSER} if RepairKind.DROPPED_TAIL in kinds else kinds


@ROWS
def test_an_example_is_read_as_is_meant_by_the_repair_of_its_row(row):
    """And it is refused for that reason where the repair is not allowed."""
    decoded = decode(row.example)
    assert decoded.ok
    assert json.dumps(decoded.value) == json.dumps(json.loads(row.meant))
    assert repaired(decoded) == {row.kind}
    if row.kind in LIKELIER:
        assert decoded.issues
        without = decode(
            row.example, options=LENIENT.model_copy(update={"repairs": JSON_REPAIRS - {row.kind}})
        )
        assert json.dumps(without.value) != json.dumps(decoded.value)
        assert without.issues
        return
    for options in (STRICT, DecodeOptions(repairs=JSON_REPAIRS - {row.kind})):
        refused = decode(row.example, options=options)
        assert not refused.ok
        assert refused.issues[0].code is reason_for(row.kind)


@ROWS
def test_a_repair_makes_of_the_example_what_is_meant(row):
    """What is noted is enough to write the JSON, blanks apart."""
    text = row.example
    for repair in reversed(decode(text).repairs):
        text = text[: repair.span.start] + repair.after + text[repair.span.end :]
    assert json.dumps(json.loads(text)) == json.dumps(json.loads(row.meant))


@ROWS
def test_the_run_over_a_text_knows_the_usual_forms_and_no_others(row):
    """Its value and its repairs are those of the row."""
    mended, notes, _ = read_usual(row.example, 0, 10)
    assert (mended is not None) == bool(row.usual)
    if mended:
        assert mended.value == json.loads(row.meant)
        assert {note[0] for note in notes} == {row.kind}


@ROWS
def test_the_reader_that_goes_token_by_token_reads_an_example_alike(row, monkeypatch):
    """Value and repairs, in every detail."""
    quick = decode(row.example)
    never = Look(None, Notes(), 0, (), ())
    monkeypatch.setattr(containers, "read_regular", lambda *_: never)
    thorough = decode(row.example)
    assert json.dumps(thorough.value) == json.dumps(quick.value)
    assert thorough.repairs == quick.repairs


@ROWS
def test_what_python_writes_is_no_fault_within_a_call(row):
    """What it doesn't write stays one."""
    text, calls = f"f(x={row.example})", DecodeOptions(calls=True)
    decoded = decode(text, options=calls)
    if row.is_python:
        assert decoded.ok
        assert decoded.repairs == ()
    else:
        assert not decoded.ok or decoded.repairs


def test_every_kind_stands_in_the_table_once():
    """So the options, which are made from it, leave none out."""
    kinds = [row.kind for row in FAULTS]
    assert len(set(kinds)) == len(kinds)
    assert set(kinds) == JSON_REPAIRS
    assert {RepairKind.UNQUOTED_VALUE, RepairKind.ELLIPSIS} | LIKELIER == GUESSES


def test_the_faults_that_the_tests_put_in_are_those_of_the_table(faults, broken_texts):
    """A row without one would be tested by its example alone."""
    found = set()
    for fault in faults:
        for _, text in broken_texts(fault, seed=1, count=30):
            found |= {repair.kind for repair in decode(text, end=len(text)).repairs}
    assert found == JSON_REPAIRS - NEVER_PUT_IN


def test_a_usual_form_has_its_fault_in_one_group():
    """The run tells by the group which fault it has found."""
    assert all(re.compile(row.usual).groups == 1 for row in FAULTS if row.usual)


CAREFUL = DecodeOptions()

CUT = [
    ("[", [], "missing_closer@1-1"),
    ("{", {}, "missing_closer@1-1"),
    ("[1, 2", [1], "dropped_tail@2-5 missing_closer@5-5"),
    ("[1,", [1], "dropped_tail@2-3 missing_closer@3-3"),
    ("[true", [True], "missing_closer@5-5"),
    ("[tru", [], "dropped_tail@1-4 missing_closer@4-4"),
    ('["a"', ["a"], "missing_closer@4-4"),
    ('["a', [], "dropped_tail@1-3 missing_closer@3-3"),
    ('{"a', {}, "dropped_tail@1-3 missing_closer@3-3"),
    ('{"a":', {}, "dropped_tail@1-5 missing_closer@5-5"),
    ('{"a": "x', {}, "dropped_tail@1-8 missing_closer@8-8"),
    ('{"a": 1, "b": {"c": [1, {"d": "e', {"a": 1, "b": {"c": [1, {}]}}, "dropped_tail@25-32 missing_closer@32-32"),
    ("{'a': 'x', 'b': 'y", {"a": "x"}, "quotes@1-4 quotes@6-9 dropped_tail@9-18 missing_closer@18-18"),
    ("{a: 1, b", {"a": 1}, "unquoted_key@1-2 dropped_tail@5-8 missing_closer@8-8"),
    ('{"a": hel', {}, "dropped_tail@1-9 missing_closer@9-9"),
    ('{"a": 1 // c', {"a": 1}, "comment@8-12 missing_closer@12-12"),
    ('{"a": """x', {}, "dropped_tail@1-10 missing_closer@10-10"),
    ("[(1, 2", [[1]], "brackets@1-2 dropped_tail@3-6 missing_closer@6-6"),
    ('{"a": 1,, ', {"a": 1}, "dropped_tail@7-10 missing_closer@10-10"),
    ('{"a": "say "hi" and th', {}, "dropped_tail@1-22 missing_closer@22-22"),
    ('{"b": 1, "a": "say "hi" and f(x[0]) th', {"b": 1}, "dropped_tail@7-38 missing_closer@38-38"),
    ('["x", "say "hi', ["x"], "dropped_tail@4-14 missing_closer@14-14"),
    ("['x', 'it's a", ["x"], "quotes@1-4 dropped_tail@4-13 missing_closer@13-13"),
    ('{"a": "x, "b": 1', {"a": "x"}, "unclosed_string@8-8 dropped_tail@8-16 missing_closer@16-16"),
    ("['a' + 'b", [], "dropped_tail@1-9 missing_closer@9-9"),
]  # fmt: skip

REFUSED = [
    ("", "malformed_json", (0, 0)),
    ("   ", "malformed_json", (3, 3)),
    ("hello", "malformed_json", (0, 1)),
    ("tru", "truncated", (0, 3)),
    ('"abc', "truncated", (0, 4)),
    ("-", "truncated", (0, 1)),
    ("}", "malformed_json", (0, 1)),
    (")", "malformed_json", (0, 1)),
    ('{"a": , "b": 1}', "missing_value", (6, 7)),
    ('{"a": }', "missing_value", (6, 7)),
    ('{"a"}', "missing_value", (4, 5)),
    ('{"a", "b": 1}', "missing_value", (4, 5)),
    ("{a, b}", "missing_value", (2, 3)),
    ('{"a": ...}', "missing_value", (6, 7)),
    ("{1, 2}", "missing_value", (2, 3)),
    ("{a b: 1}", "ambiguous", (3, 4)),
    ('{first name: "x"}', "ambiguous", (7, 8)),
    ('{"a": hello, world, "b": 1}', "ambiguous", (6, 11)),
    ("[hello world]", "ambiguous", (1, 12)),
    ('{"a": tru}', "ambiguous", (6, 9)),
    ('{"a": none}', "ambiguous", (6, 10)),
    ('{"a": yes}', "ambiguous", (6, 9)),
    ('{"a": f(x)}', "ambiguous", (6, 7)),
    ('{"a": 1,000}', "missing_value", (11, 12)),
    ("[1 000]", "ambiguous", (3, 4)),
    ("[1 234 567]", "ambiguous", (3, 4)),
    ('{"a": "say "hi", "b": 1}', "ambiguous", (14, 15)),
    ('{"code": "say "hi" {", "b": "}", "c": 1}', "ambiguous", (20, 21)),
    ('{"a": "x "y {", "b": "}", "c": 1}', "ambiguous", (13, 14)),
    ('["a, "b"]', "ambiguous", (7, 8)),
    ('{"a": f"{x}"}', "ambiguous", (6, 7)),
    ('[{"x": {"a": 1, "u": {"b": 2}}]', "ambiguous", (30, 31)),
    ('[{"f": "x", "u": {"b": 2, "c": 3}]', "ambiguous", (33, 34)),
    ('{"a": [[1, 2]}', "ambiguous", (13, 14)),
    ('[{"a": 1, "b": {"c": 2, "d": 3}, 4]', "ambiguous", (31, 32)),
    ('[{"a": 1, {"b": 2}]', "malformed_json", (10, 11)),
    ('[{"a": 1,) "b":{"c": 2, "d": 3}, 4]', "missing_value", (34, 35)),
    ('[1, "b": 2]', "malformed_json", (7, 8)),
    ('[{}, "b": 2]', "ambiguous", (8, 9)),
    ('[{"a": {"b": 1}, "c": 2}}, 3]', "ambiguous", (24, 25)),
    ('{"a": [1, 2}, {"b": 3]}', "ambiguous", (12, 13)),
    ('{"a": {"b": {"c": 1}, "d": 2}}, "e": 3}', "ambiguous", (30, 31)),
    ("[(1)]", "ambiguous", (1, 2)),
    ('[1], "b": 2', "ambiguous", (3, 4)),
    ('{"a": b: c}', "ambiguous", (6, 10)),
    ('{"a: "x, b": 1}', "malformed_json", (11, 12)),
    ('{"a": "x}, "b": 1}', "ambiguous", (8, 9)),
    ('{"a": "x\n}, {\n"b": 1}', "ambiguous", (8, 9)),
    ('{"a": ["x, y], "b": 1}', "ambiguous", (12, 13)),
    ('["x, {"a": 1}, 2]', "malformed_json", (7, 8)),
    ('{"a": "x" y z}', "malformed_json", (10, 11)),
    ('{"a": 1: 2}', "ambiguous", (6, 10)),
    ('["a": 1]', "malformed_json", (4, 5)),
    ('{"a": "b": "c"}', "malformed_json", (9, 10)),
    ('{{"a": 1}', "ambiguous", (8, 9)),
    ('{"a": `x", "b": 1}\n```', "ambiguous", (19, 22)),
    ('{"a": "x," "b": "y"}', "ambiguous", (11, 12)),
    (r'{"a": "x\", "b": "y"}', "ambiguous", (8, 9)),
    ('{"a": >x", "b": 1}', "ambiguous", (6, 8)),
    ('{"a": ""x"", "b": 1}', "ambiguous", (6, 7)),
    ('{"a": @}', "ambiguous", (6, 7)),
    ('{"a": *}', "malformed_json", (6, 7)),
    ("[1 + 2]", "malformed_json", (3, 4)),
    ("{[1]: 2}", "malformed_json", (1, 2)),
    ('{"a" b}', "malformed_json", (5, 6)),
    ("[1 /* open]", "malformed_json", (3, 4)),
    ('{"a": <b>}', "malformed_json", (6, 7)),
    ('[1 + "a"]', "malformed_json", (3, 4)),
    ('["a" + 1]', "malformed_json", (5, 6)),
    ('["a" + /* b */ "c"]', "malformed_json", (5, 6)),
    ('[a, b", 3]', "ambiguous", (1, 5)),
    ('[12", 3]', "ambiguous", (3, 4)),
    ('[true"]', "ambiguous", (5, 6)),
    ('[1, …"]', "ambiguous", (4, 5)),
    ('{"a": null", "b": 1}', "malformed_json", (10, 11)),
    ('{"a": x, b: y", "c": 1}', "ambiguous", (6, 13)),
    ('[1, # heading"\n]', "ambiguous", (4, 5)),
    ('{"a": \\"b\\"}', "ambiguous", (6, 7)),
    ('{"a": {"b": "x" // n }, "c": 1}', "ambiguous", (16, 17)),
    ('{"a": "red"", "b": 1}', "ambiguous", (10, 11)),
    ('{"a": "the cats\' bed\', "b": 1}', "ambiguous", (21, 22)),
    ('{"a": {"b": "x" # n }, "c": "y"}', "ambiguous", (16, 17)),
    ('{"a": "f" etc,\n "b": {"c": "g"}}', "ambiguous", (8, 9)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value", "repairs"), CUT)
def test_a_cut_text_keeps_what_is_complete(text, value, repairs):
    """The item that the end cuts through is dropped, what is open is closed, and all of that is said."""
    decoded = decode(text, options=CAREFUL)
    assert (decoded.ok, decoded.value, decoded.end) == (True, value, len(text))
    assert (
        " ".join(f"{repair.kind}@{repair.span.start}-{repair.span.end}" for repair in decoded.repairs)
        == repairs
    )
    assert decoded.is_cut(decoded.value)
    assert [issue.code for issue in decoded.issues] == [Reason.TRUNCATED]


@pytest.mark.parametrize(("text", "code", "span"), REFUSED)
def test_what_has_no_plain_reading_is_refused(text, code, span):
    """Two plausible readings, or none: nothing is read, and the issue says why and where."""
    decoded = decode(text, options=CAREFUL)
    assert (decoded.ok, decoded.value) == (False, None)
    assert [(issue.code, issue.span) for issue in decoded.issues] == [(code, span)]


def test_what_stands_in_the_way_is_quoted_by_its_beginning():
    """Twelve characters of it, wherever it stands."""
    (issue,) = decode('[1, "b"  ?234567890123456]', options=CAREFUL).issues
    assert issue.message.endswith("Expected a comma or ']', got '?23456789012'.")


@pytest.mark.parametrize(("text", "code"), [(text, code) for text, code, _ in REFUSED])
def test_what_is_read_for_all_that_has_the_issue(text, code):
    """Who asks for the likelier reading hears why the careful one gave up; nobody hears nothing."""
    decoded = decode(text, end=len(text))
    careful = decode(text, options=CAREFUL, end=len(text))
    assert decoded.issues
    if not careful.ok:
        assert decoded.issues[0] == careful.issues[0]


REFUSED_LIKELIER = [
    ('{"a": , "b": 1}', {"a": None, "b": 1}, "missing_value"),
    ('{"a", "b": 1}', {"a": None, "b": 1}, "missing_value"),
    ('{"a", 1, "b": 2}', {"a": 1, "b": 2}, "missing_value"),
    ('{first name: "x"}', {"first name": "x"}, "ambiguous"),
    ('{"a": hello, world, "b": 1}', {"a": "hello, world", "b": 1}, "ambiguous"),
    ('{"a": \\"b\\", \\"c\\": 1}', {"a": "b", "c": 1}, "ambiguous"),
    ('{"a": 1, and "b": 2}', {"a": 1, "b": 2}, "ambiguous"),
    ('{"a": "x" etc, "b": 2}', {"a": "x", "b": 2}, "malformed_json"),
    ('"a": 1, "b": {"c": 2}}', {"a": 1, "b": {"c": 2}}, "missing_opener"),
    ('"a": 1, "b": 2', {"a": 1, "b": 2}, "missing_opener"),
    ('{"a": "b": 1}, "c": 2}', {"a": {"b": 1}, "c": 2}, "malformed_json"),
    ('["a": "b", 1]', ["a", "b", 1], "malformed_json"),
    ('[{"a": {"b": 1}, {"a": {"b": 2}}]', [{"a": {"b": 1}}, {"a": {"b": 2}}], "malformed_json"),
    ('{"a": {"b": "x" // n }, "c": 1}', {"a": {"b": "x"}, "c": 1}, "ambiguous"),
    ('{"a": {"b": "x" // n }, "c": "y"}', {"a": {"b": "x"}, "c": "y"}, "ambiguous"),
    ("[[1, 2]], 3]", [[1, 2], 3], "ambiguous"),
    ('{"a": "x," "b": "y"}', {"a": "x", "b": "y"}, "ambiguous"),
    ('{"a": ""x"", "b": 1}', {"a": "x", "b": 1}, "ambiguous"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value", "code"), REFUSED_LIKELIER)
def test_the_likelier_reading_is_taken_and_said_to_be_in_doubt(text, value, code):
    """It has an issue, and who acts on what is read gets none of it."""
    decoded = decode(text, end=len(text))
    assert (decoded.ok, decoded.value, decoded.issues[0].code) == (True, value, code)
    careful = decode(text, options=CAREFUL, end=len(text))
    assert not careful.ok or careful.value != value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"a": 1} {"b": 2}', "several_values"),
        ("[1]\n[2]", "several_values"),
        ('{"a": 1}, {"b": 2}', "several_values"),
        ('{"a": 1} and so on', "text_after_value"),
        ("[1] x", "text_after_value"),
        ("[1] }x", "text_after_value"),
    ],
)
def test_what_stands_behind_a_value_is_an_issue_in_a_text_that_ends_with_it(text, code):
    """Nothing is dropped in silence; a comment or a full stop says nothing."""
    assert [issue.code for issue in decode(text, end=len(text)).issues] == [code]
    assert decode(text.split("]")[0] + "]; // done\n" if text.startswith("[") else "[1], ").issues == ()
