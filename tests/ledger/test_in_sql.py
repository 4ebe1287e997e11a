"""Rows that DuckDB makes of lines: those that are made one by one of the same events."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import uuid4

import duckdb
import pytest

from actionledger.events import Event, ResponseParsed
from actionledger.ledger.batch import Batch
from actionledger.ledger.in_sql import IN_SQL
from actionledger.ledger.loading import Loader
from actionledger.ledger.migrations import migrate
from actionledger.ledger.schema import TABLES
from actionledger.values import Conversion, FieldError, Issue, Repair, Span
from actionledger.vocabulary import ActionStatus, Reason, RepairKind

TEXTS = (
    "",
    'é😀漢 e\u0301\r\n\x00\t"\\',
    "[not JSON",
    "\\ud83d",
    "\ud800 alone",
    "sk-proj-" + "a1B2" * 12,
    "'; --",
)
TIMES = (
    None,
    datetime(1, 1, 1),
    datetime(2026, 5, 4, 12, 0, 0, 1),
    datetime(2026, 5, 4, 12, tzinfo=UTC),
    datetime(2026, 5, 4, 12, tzinfo=timezone(timedelta(hours=-9, minutes=-30))),
    datetime(9999, 12, 31, 23, 59, 59, 999999),
)


def all_rows(connection: duckdb.DuckDBPyConnection) -> dict[str, list[tuple[object, ...]]]:
    return {table.name: connection.execute(f"FROM {table.name}").fetchall() for table in TABLES}


def both_ways(events: list[Event]) -> tuple[dict[str, list[tuple[object, ...]]], Batch]:
    """Return the rows that DuckDB makes of events, once it is sure that they are those that are made one by one."""
    batch = Batch()
    for event in events:
        batch.add(event)
    with duckdb.connect() as in_sql, duckdb.connect() as one_by_one:
        for connection in (in_sql, one_by_one):
            migrate(connection)
        Loader(in_sql).load_batch(batch)
        Loader(one_by_one).load(batch.lines())
        rows = all_rows(in_sql)
        for table, expected in all_rows(one_by_one).items():
            assert sorted(map(repr, rows[table])) == sorted(map(repr, expected)), table
    return rows, batch


def test_what_an_import_records_is_made_so(make) -> None:
    """One of each kind, with all there can be in it: each table is the same, and DuckDB made what comes by the thousand."""
    rows, batch = both_ways(make.one_of_each())
    assert all(rows.values())
    assert {each.kind for each in batch.of_kinds} == IN_SQL.keys()
    assert len(IN_SQL) == 6


def test_no_column_is_left_to_one_way(make) -> None:
    """Each field of a reading differs from the others: a column that took its value from a neighbour would show."""
    repairs = tuple(
        Repair(RepairKind.TRAILING_COMMA, Span(n, n + 1), "b" * n, "a" * n) for n in (0, 7, 499, 501, 900)
    )
    errors = (FieldError(Reason.WRONG_TYPE, "p", "v", "e"), FieldError(Reason.MISSING_FIELD, "", "", "x"))
    actions = tuple(
        make.action(
            index=n,
            block=n % 2,
            span=Span(3 * n, 3 * n + 2),
            status=status,
            arguments=text if text.isascii() else "{}",
            errors=errors[: n % 3],
            conversions=(Conversion("q", "1", "2"), Conversion("r", "", "é"))[: n % 3],
            call_id=None if n % 2 else f"c{n}",
        )
        for n, (status, text) in enumerate(zip((*ActionStatus, *ActionStatus), TEXTS, strict=False))
    )
    blocks = (make.block(repairs=repairs), make.block(index=1, span=Span(4, 9), body=Span(5, 8), repairs=()))
    issues = (Issue(Reason.TRUNCATED), Issue(Reason.TRUNCATED, Span(1, 2), "d"))
    rows, _ = both_ways([make.parsed(blocks=blocks, actions=actions, issues=issues), make.parsed()])
    assert len(rows["repairs"]) == 5
    assert len(rows["actions"]) >= len(actions)


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_is_kept_as_it_is(make, text) -> None:
    """In each field that is a text, also where it was to be JSON."""
    events = []
    for event in (each for each in make.one_of_each() if type(each) in IN_SQL):
        texts = [
            field.name for field in fields(event) if field.type in {str, str | None} and field.name != "kind"
        ]
        jsons = {"metadata", "result"} & {field.name for field in fields(event)}
        events.append(replace(event, **dict.fromkeys((*texts, *jsons), text)))
    both_ways(events)


@pytest.mark.parametrize("at", TIMES)
def test_any_time_is_utc(make, at) -> None:
    """With a zone or without one, to the microsecond."""
    rows, _ = both_ways([make.response(occurred_at=at), replace(make.parsed(), occurred_at=at)])
    expected = at.astimezone(UTC).replace(tzinfo=None) if at and at.tzinfo else at
    assert expected in rows["turn_starts"][0]


def test_what_does_not_fit_holds_up_nothing_else(make) -> None:
    """A number that no column holds: its line is kept apart, and the others come in."""
    rows, _ = both_ways([make.response("good"), make.response("bad", turn_index=2**40), make.parsed()])
    assert [row for row in rows["turn_starts"] if "good" in row]
    assert len(rows["turn_starts"]) == 1


def test_an_event_that_two_batches_hold_is_there_once(make) -> None:
    """Known from before, or from another process's lines in the same batch."""
    event: ResponseParsed = make.parsed()
    one, other = Batch(), Batch()
    one.add(event)
    other.add(event)
    other.add(make.response())
    one.extend(other)
    with duckdb.connect() as connection:
        migrate(connection)
        loader = Loader(connection)
        loader.load_batch(one)
        loader.load_batch(other)
        assert (loader.tally.events, loader.tally.duplicates) == (2, 3)
        assert connection.execute("SELECT count(*) FROM parse_attempts").fetchone() == (1,)


def test_of_a_turn_that_was_superseded_nothing_comes_in(make) -> None:
    """It is known that there was an event, and no more; as where its rows are made one by one."""
    event = make.response()
    rows, _ = both_ways([make.superseded(event.turn_id, make.response().turn_id), event])
    assert not rows["turn_starts"]
    assert len(rows["events"]) == 2


def test_of_a_session_that_is_forgotten_nothing_comes_in(make) -> None:
    """It is counted, and takes the other sessions' events off this road no more than their rows."""
    gone, kept = make.response(), replace(make.response(), session_id=str(uuid4()))
    rows, batch = both_ways([make.forgotten(gone.session_id), gone, kept])
    assert [each.count for each in batch.of_kinds] == [2]
    assert len(rows["turn_starts"]) == 1
    with duckdb.connect() as connection:
        migrate(connection)
        loader = Loader(connection)
        loader.load_batch(batch)
        assert (loader.tally.events, loader.tally.forgotten, loader.tally.duplicates) == (2, 1, 0)
