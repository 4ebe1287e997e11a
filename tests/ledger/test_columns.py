"""Columns from annotations, the values that fit them, and the rows that an event becomes."""

from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated, Any, get_args

import pytest

from actionledger.core.events import Event, ExecutionFinished, ExecutionRecorded, ExecutionStarted
from actionledger.core.events.base import NOT_STORED, BigInt, Id, JsonObjectOrEmpty, JsonText, Recorded
from actionledger.core.ids import new_id
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import ActionStatus, ExecutionStatus, Reason, RepairKind
from actionledger.ledger.storage.columns import ALL, OWN, take
from actionledger.ledger.storage.projection import REPAIR_CHARACTERS, Row, fit, rows_of
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


STAGED = {table.name: table.staged for table in TABLES}
UUID = "6f1d5a0e-6a43-5f0e-9c38-0d5a3b0a7c11"


def fitted(table: str, **values: object) -> dict[str, object]:
    staged = STAGED[table]
    fitting = fit(Row(table, tuple(values.get(name) for name in staged)))
    return {name: value for name, value in zip(staged, fitting.values, strict=True) if name in values}


def test_what_fits_stays() -> None:
    """Identifiers, numbers in range and missing values are left alone; an identifier's letters are small ones, as the database has them."""
    values = {"event_id": new_id(), "session_id": None, "kind": "x"}
    assert fitted("events", **values) == values
    assert fitted("events", event_id=values["event_id"].upper())["event_id"] == values["event_id"]


@pytest.mark.parametrize("bad", ["", "x", UUID.replace("-", ""), UUID + "\n", "{" + UUID + "}"])
def test_an_identifier_must_be_a_uuid(bad) -> None:
    """Only the usual form passes, since all tables are joined by it."""
    with pytest.raises(ValueError, match="session_id is not a UUID"):
        fitted("events", session_id=bad)


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1])
def test_an_integer_must_fit(value) -> None:
    """A number beyond its column's type is refused by name."""
    with pytest.raises(ValueError, match=f"turn_index is out of range: {value}"):
        fitted("turn_starts", turn_index=value)
    assert fitted("run_ends", turns=value)["turns"] == value


def test_times_are_utc_without_a_zone() -> None:
    """A time with a zone is converted."""
    ten = datetime.fromisoformat("2026-05-04T10:00:00")
    noon = datetime(2026, 5, 4, 12, tzinfo=timezone(timedelta(hours=2)))
    assert fitted("events", recorded_at=noon)["recorded_at"] == ten
    assert fitted("events", recorded_at=noon.astimezone(UTC))["recorded_at"] == ten


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": "\\ud800x"}', '{"a": "\ufffdx"}'),
        ('{"a": "\\ud83d\\ude00"}', '{"a": "😀"}'),
        ('{"a": "\\\\ud800"}', '{"a": "\\\\ud800"}'),
        ("no json \\ud800", "no json \\ud800"),
        ('{"a": 1}', '{"a": 1}'),
    ],
)
def test_half_a_character_in_json_is_replaced(text, expected) -> None:
    """The escape of a lone surrogate, which Python writes and DuckDB refuses, becomes U+FFFD."""
    assert fitted("actions", arguments=text)["arguments"] == expected


def rows(event, table: str) -> list[dict[str, object]]:
    return [dict(zip(STAGED[table], row.values, strict=True)) for row in rows_of(event) if row.table == table]


def test_every_table_gets_rows(make) -> None:
    """One event of each kind fills every table, and a row has a value for every column."""
    all_rows = [row for event in make.one_of_each() for row in rows_of(event)]
    assert {row.table for row in all_rows} == STAGED.keys()
    for row in all_rows:
        assert len(row.values) == len(STAGED[row.table]), row.table


def test_every_column_is_staged() -> None:
    """No column is forgotten, and none comes twice."""
    for table in TABLES:
        assert sorted(table.staged) == sorted(table.columns), table.name


def test_every_event_has_one_row_in_events(make) -> None:
    """The row in ``events`` comes first, with what all kinds have in common."""
    for event in make.one_of_each():
        assert next(iter(rows_of(event))).table == "events"
        [values] = rows(event, "events")
        assert values["event_id"] == event.event_id
        assert values["kind"] == event.kind


def test_only_a_note_has_words_in_events(make) -> None:
    """Code, message and particulars are a note's; an execution's message is elsewhere."""
    (note,) = rows(make.note("words", detail={"line": 3}), "events")
    assert (note["code"], note["message"], note["detail"]) == ("line_refused", "words", '{"line":3}')
    (finished,) = rows(make.finished(message="no"), "events")
    assert finished["message"] is None


def test_characters_are_code_points(make) -> None:
    """A turn's length is counted as spans are."""
    (turn,) = rows(make.response("é😀漢"), "turn_starts")
    assert turn["characters"] == 3


def test_a_parse_attempt_counts_what_was_found(make) -> None:
    """Counts come from the event; valid are those that may go on to be executed."""
    statuses = (ActionStatus.VALID, ActionStatus.COERCED, ActionStatus.INVALID, ActionStatus.UNKNOWN)
    event = make.parsed(
        blocks=(make.block(), make.block(index=1, repairs=())),
        actions=tuple(make.action(index=index, status=status) for index, status in enumerate(statuses)),
    )
    (attempt,) = rows(event, "parse_attempts")
    counts = [attempt[name] for name in ("block_count", "action_count", "valid_count", "repair_count")]
    assert counts == [2, 4, 2, 1]
    assert attempt["parsed_at"] == event.recorded_at


def test_what_was_found_has_the_dimensions_of_its_attempt(make) -> None:
    """Blocks, repairs, actions and their errors need no join to be counted by model, parser or time."""
    event = make.parsed(
        blocks=(make.block(index=2, dialect="hermes"),),
        actions=(make.action(block=2, dialect="hermes"),),
        issues=(Issue(Reason.TRUNCATED),),
    )
    for table in ("blocks", "repairs", "issues", "actions"):
        (row,) = rows(event, table)
        assert (row["session_id"], row["turn_index"], row["model"]) == (event.session_id, 3, "m")
        assert (row["attempt_id"], row["parser_id"], row["run_kind"]) == (
            event.attempt_id,
            event.parser_id,
            "live",
        )
    for table in ("blocks", "repairs", "actions"):
        (row,) = rows(event, table)
        assert (row["block_index"], row["dialect"]) == (2, "hermes")
    (action,) = rows(event, "actions")
    assert (action["span_start"], action["span_end"], action["catalogue"]) == (11, 40, "assistant")


def test_an_issue_without_a_place_has_none(make) -> None:
    """The lack of something stands nowhere."""
    (issue,) = rows(make.parsed(issues=(Issue(Reason.NO_ACTION_FOUND),)), "issues")
    assert issue["span_start"] is None


@pytest.mark.parametrize("length", [REPAIR_CHARACTERS, REPAIR_CHARACTERS + 1])
def test_the_text_of_a_repair_is_capped(make, length) -> None:
    """A repair that swallowed a whole response doesn't store it again."""
    repair = Repair(RepairKind.DROPPED_TAIL, Span(0, length), "b" * length, "a" * length)
    (row,) = rows(make.parsed(blocks=(make.block(repairs=(repair,)),)), "repairs")
    assert row["before"] == "b" * REPAIR_CHARACTERS
    assert row["after"] == "a" * REPAIR_CHARACTERS
