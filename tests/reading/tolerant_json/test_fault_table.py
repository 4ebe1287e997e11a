"""The table of faults holds for every reader: each example is read as it says, by that repair, and by no reader otherwise."""

import json
import re

import pytest

from actionledger.core.vocabulary import RepairKind
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
