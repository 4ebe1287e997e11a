"""Columns from annotations: what a field says of itself is what its column is."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Annotated, Any, get_args

import pytest

from actionledger.core.events import Event, ExecutionFinished, ExecutionRecorded, ExecutionStarted
from actionledger.core.events.base import NOT_STORED, BigInt, Id, JsonObjectOrEmpty, JsonText, Recorded
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.ledger.storage.columns import ALL, OWN, take
from actionledger.ledger.storage.schema import TABLES, Table

NOON = datetime.fromisoformat("2026-05-04T12:00:00")


@dataclass(frozen=True, slots=True, kw_only=True)
class Full(Recorded):
    """A field of each type that a column is known for."""

    text: str
    code: Reason | None
    count: int
    is_so: bool
    share: float
    at: datetime | None
    span: Span | None
    names: tuple[str, ...]
    detail: dict[str, Any]
    rows: tuple[Issue, ...] = ()
    some_id: Id
    bytes: BigInt | None
    arguments: JsonText
    changed: JsonObjectOrEmpty
    secret: Annotated[str, NOT_STORED] = ""

    @property
    def length(self) -> int:
        return len(self.text)


def full(**given: Any) -> Full:
    values = {
        "event_id": "e",
        "recorded_at": NOON,
        "run_id": "r",
        "text": "héllo",
        "code": Reason.TRUNCATED,
        "count": 3,
        "is_so": True,
        "share": 0.5,
        "at": NOON,
        "span": Span(2, 5),
        "names": ("é", "b"),
        "detail": {"a": [1]},
        "some_id": "s",
        "bytes": 2**40,
        "arguments": '{"x": 1}',
        "changed": "",
    }
    return Full(**values | given)


def named(part, *things: Any) -> dict[str, Any]:
    return dict(zip(part.staged, part.values(*things), strict=True))


def types(part) -> dict[str, str]:
    return {column.name: column.sql_type for column in part.columns}


def test_a_type_decides_about_its_column():
    """In the order of the class; what only ``events`` keeps, what is not stored and what are rows elsewhere have none."""
    assert list(types(take(Full, ALL)).items()) == [
        ("run_id", "UUID"),
        ("text", "VARCHAR"),
        ("code", "VARCHAR"),
        ("count", "INTEGER"),
        ("is_so", "BOOLEAN"),
        ("share", "DOUBLE"),
        ("at", "TIMESTAMP"),
        ("span_start", "INTEGER"),
        ("span_end", "INTEGER"),
        ("names", "JSON"),
        ("detail", "JSON"),
        ("some_id", "UUID"),
        ("bytes", "BIGINT"),
        ("arguments", "JSON"),
        ("changed", "JSON"),
    ]


def test_values_are_taken_as_their_columns_hold_them():
    """A span in two, particulars as JSON text, what is JSON text already as it is, an empty one as NULL."""
    values = named(take(Full, OWN), full())
    assert "run_id" not in values
    assert (values["text"], values["code"], values["at"], values["bytes"]) == (
        "héllo",
        "truncated",
        NOON,
        2**40,
    )
    assert (values["span_start"], values["span_end"]) == (2, 5)
    assert (values["names"], values["detail"], values["arguments"]) == ('["é","b"]', '{"a":[1]}', '{"x": 1}')
    assert values["changed"] is None
    assert take(Full, "changed").values(full(changed="[]")) == ("[]",)
    assert named(take(Full, "span"), full(span=None)) == {"span_start": None, "span_end": None}
    assert type(values["code"]) is str


@pytest.mark.parametrize(
    ("given", "kept"), [(5, "5.0"), (0.1, "0.1"), (float("nan"), "None"), (float("inf"), "None")]
)
def test_an_amount_is_what_the_database_gives_back(given, kept):
    """What is proven is what is stored: a whole number has its point there, and what is no number is nothing."""
    assert repr(named(take(Full, "share"), full(share=given))["share"]) == kept


def test_a_table_may_order_name_and_add():
    """What is picked stands where it is picked, the rest where ``ALL`` stands; a name alone changes no place."""
    part = take(Full, "some_id", ALL, "length", text="said", recorded_at="made_at")
    names = [column.name for column in part.columns]
    assert names[:3] == ["some_id", "run_id", "said"]
    assert names[-3:] == ["changed", "length", "made_at"]
    assert len(names) == len(set(names))
    values = named(part, full())
    assert (values["said"], values["length"], values["made_at"]) == ("héllo", 5, NOON)


def test_a_column_that_is_named_again_stands_in_the_later_place():
    """So a value of another kind can stand before it."""
    table = Table("t", take(Full, "text", "count"), take(Issue, "code"), take(Full, "text"))
    assert list(table.columns) == ["count", "code", "text"]
    row = named(table, full(), Issue(Reason.TRUNCATED), full(text="last"))
    assert row == {"text": "last", "count": 3, "code": "truncated"}
    assert named(table, ("known", 1), Issue(Reason.TRUNCATED), full(text="last"))["count"] == 1


@pytest.mark.parametrize("kind", [list[str], int | str, bytes, Any], ids=str)
def test_a_type_without_a_column_is_named(kind):
    """Whoever adds such a field hears of it when the tables are made, and what to do."""

    @dataclass
    class Odd:
        field: kind

    with pytest.raises(TypeError, match=r"^Odd\.field: no column is known for .*; annotate it with Stored"):
        take(Odd, ALL)


def test_a_new_field_is_a_new_column():
    """In the place where the class declares it, and in its rows: nothing else needs to be told."""

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Later(ExecutionFinished):
        host: str = "here"

    part = take(Later, ALL)
    assert types(part)["host"] == "VARCHAR"
    given = {field.name: None for field in fields(ExecutionFinished) if field.name != "kind"}
    given["status"] = ExecutionStatus.SUCCEEDED
    assert named(part, Later(**given))["host"] == "here"
    assert types(take(Later, OWN)) == {"host": "VARCHAR"}


def test_every_kind_of_event_has_its_table():
    """And no other has the same; a recorded execution is beginning and end in one, and fills both their tables."""
    sources = [table.source for table in TABLES if len(table.parts) == 1] + [ExecutionRecorded]
    assert sorted(sources, key=str) == sorted(get_args(Event), key=str)


def test_every_field_of_an_event_has_a_column_or_says_that_it_has_none():
    """Of those that become a row as they are; an execution's end has its dimensions from its start."""
    for table in TABLES:
        if len(table.parts) > 1 or table.source is ExecutionFinished:
            continue
        taken = {column.field.partition(".")[0] for column in table.parts[0].columns}
        without = {field.name for field in fields(table.source)} - taken
        assert without <= {
            "event_id",
            "kind",
            "recorded_at",
            *(("blocks", "actions", "issues") if table.name == "parse_attempts" else ()),
            *(("run_id", "session_id", "turn_id", "signature") if table.name == "approval_ends" else ()),
        }, table.name


def test_a_start_has_all_of_its_event():
    """The dimensions come first, as in every table of what happens within a turn."""
    [table] = [table for table in TABLES if table.source is ExecutionStarted]
    dimensions = "run_id session_id turn_id turn_index profile model task occurred_at"
    assert list(table.columns)[:9] == [*dimensions.split(), "execution_id"]
