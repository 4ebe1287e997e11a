"""What is small is said to be so without being written, and nothing that may be large is."""

from dataclasses import fields, replace
from datetime import datetime
from enum import Enum
from typing import Any, Literal, get_origin

import pytest

from actionledger.core.events import ActionRecord, ResponseParsed, TurnFinished
from actionledger.core.values import Block, Conversion, FieldError, Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.ledger.storage import batch
from actionledger.ledger.storage.batch import SMALL_CHARACTERS, small_size
from actionledger.ledger.storage.columns import annotation
from actionledger.ledger.storage.encoding import encode
from actionledger.ledger.storage.segments import LINE_LIMIT

LONG = "x" * (SMALL_CHARACTERS + 1)
_SHORT: tuple[type, ...] = (str, bool, int, float, datetime, Enum, Span)


def test_a_small_event_is_about_as_long_as_its_line(make) -> None:
    """A batch is closed by the sum of it."""
    for event in (make.response("y" * 5000), make.parsed(actions=(make.action(arguments='{"a": 1}'),))):
        size = small_size(event)
        assert size is not None
        assert abs(size - len(encode(event))) < 500


@pytest.mark.parametrize(
    "given",
    [
        {"text": LONG},
        {"prompt": LONG},
        {"reasoning": LONG},
        {"task": LONG},
        {"finish_reason": LONG},
        {"text": 3},
    ],
)
def test_a_text_that_may_be_large_is_written_at_once(make, given: dict[str, Any]) -> None:
    assert small_size(make.response(**given)) is None


FEW = {
    "issues": (Issue(Reason.TRUNCATED, None, "d"),),
    "repairs": (Repair(RepairKind.TRAILING_COMMA, Span(0, 1), "b", "a"),),
    "errors": (FieldError(Reason.WRONG_TYPE, "p", "v", "e"),),
    "conversions": (Conversion("p", "b", "a"),),
}
LONG_ONES = {
    "issues": [Issue(Reason.TRUNCATED, None, LONG)],
    "repairs": [
        Repair(RepairKind.TRAILING_COMMA, Span(0, 1), *texts) for texts in (("b", LONG), (LONG, "a"))
    ],
    "errors": [
        FieldError(Reason.WRONG_TYPE, *texts) for texts in ((LONG, "", ""), ("", LONG, ""), ("", "", LONG))
    ],
    "conversions": [Conversion(*texts) for texts in ((LONG, "", ""), ("", LONG, ""), ("", "", LONG))],
}


def found(make, field: str, values: tuple[Any, ...]) -> ResponseParsed:
    """Return an event with some values in a field of its block or of its action."""
    if field in {"issues", "repairs"}:
        block = Block(0, "mint", BlockStatus.STRICT, Span(0, 1), Span(0, 1), **{field: values})
        return make.parsed(blocks=(block,))
    return make.parsed(actions=(make.action(**{field: values}),))


@pytest.mark.parametrize("field", FEW)
def test_all_that_was_found_is_looked_at(make, field) -> None:
    """A long text in any of it, and more than a few of it, are written at once; what is short and few need not be."""
    [one] = FEW[field]
    assert small_size(found(make, field, (one,))) is not None
    assert small_size(found(make, field, (one,) * 65)) is None
    for long_one in LONG_ONES[field]:
        assert small_size(found(make, field, (one, long_one))) is None


def test_what_holds_more_than_usual_is_written_at_once(make) -> None:
    block = Block(0, "mint", BlockStatus.STRICT, Span(0, 1), Span(0, 1))
    for given in (
        {"actions": (make.action(arguments=LONG),)},
        {"actions": (make.action(call_id=LONG),)},
        {"blocks": (block,) * 65},
        {"issues": (Issue(Reason.NO_ACTION_FOUND, None, LONG),)},
    ):
        assert small_size(make.parsed(**given)) is None
    assert small_size(make.parsed(blocks=(block,))) is not None


def test_kinds_that_nobody_has_looked_at_are_written_at_once(make) -> None:
    assert small_size(make.note(detail={"a": "b"})) is None


def test_no_field_is_overlooked() -> None:
    """A field of these kinds is a text, which is counted, something short, or what is looked into by its name."""
    looked_into = {
        "blocks",
        "actions",
        "issues",
        "errors",
        "conversions",
        "scores",
        "labels",
        "pull_requests",
    }
    for kind in (*batch._TEXTS, ActionRecord):
        for each in fields(kind):
            found = annotation(kind, each.name)[0]
            is_short = get_origin(found) is Literal or (isinstance(found, type) and issubclass(found, _SHORT))
            assert is_short or each.name in looked_into, (kind, each.name)
    assert SMALL_CHARACTERS * 12 * 2 < LINE_LIMIT


def test_an_event_is_no_larger_than_it_may_be_however_it_is_written(make) -> None:
    """The longest small one, of signs that take the most room."""
    event = make.response("\x00" * (SMALL_CHARACTERS - 1000))
    assert small_size(event) is not None
    assert len(encode(event)) < LINE_LIMIT


def test_a_text_is_counted_as_a_whole(make) -> None:
    """Also where it is the only one of its kind: its characters one by one take ten times as long."""
    [event] = (each for each in make.one_of_each() if isinstance(each, TurnFinished))
    assert batch._TEXTS[TurnFinished](replace(event, feedback="abc")) == ("abc",)
