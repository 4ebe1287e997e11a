"""Events that are made ready apart from the ledger: the same rows, and the same proofs, as by a line of a segment."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import uuid4

import duckdb
import pytest

from actionledger.core.events import Event, ResponseParsed
from actionledger.core.values import Conversion, FieldError, Issue, Repair, Span
from actionledger.core.vocabulary import ActionStatus, Reason, RepairKind
from actionledger.ledger.storage.batch import Batch
from actionledger.ledger.storage.chain import Chain, begin
from actionledger.ledger.storage.loading import Loader
from actionledger.ledger.storage.preparation import DIRECT, PREPARED, Prepared, prepare
from actionledger.ledger.storage.schema import TABLES
from actionledger.ledger.storage.segments import Line
from actionledger.ledger.upkeep.migrations import migrate
from actionledger.ledger.upkeep.proofs.walk import walk

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


def ledger_of(events: Prepared | list[Line]) -> duckdb.DuckDBPyConnection:
    """Return a ledger that has taken in events, whose chain holds."""
    connection = duckdb.connect()
    migrate(connection)
    begin(connection)
    loader = Loader(connection, chain=Chain(connection))
    if isinstance(events, Prepared):
        loader.load_prepared(events)
    else:
        loader.load(events)
    assert walk(connection)[0].faults == []
    return connection


def both_ways(events: list[Event]) -> tuple[dict[str, list[tuple[object, ...]]], Prepared]:
    """Return the rows of events that are made ready, once it is sure that they are those of their lines, and proven."""
    prepared = prepare(events)
    batch = Batch()
    for event in events:
        batch.add(event)
    rows = all_rows(ledger_of(prepared))
    for table, expected in all_rows(ledger_of([Line(DIRECT, 0, line) for line in batch.lines()])).items():
        assert sorted(map(unlinked, rows[table])) == sorted(map(unlinked, expected)), table
    return rows, prepared


def unlinked(row: tuple[object, ...]) -> str:
    """Return a row without its link, its last column."""
    return repr(row[:-1])


def test_what_an_import_records_is_made_so(make) -> None:
    """One of each kind, with all there can be in it: each table is the same, and what comes by the thousand was made ready."""
    rows, prepared = both_ways(make.one_of_each())
    assert all(rows.values())
    assert prepared.events == len(PREPARED) == 7
    assert len(prepared.others) == len(make.one_of_each()) - 7


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
    for event in (each for each in make.one_of_each() if type(each) in PREPARED):
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


def test_amounts_that_are_equal_and_written_otherwise_are_kept_apart(make) -> None:
    """A proof is made of how they are written."""
    rows, _ = both_ways([make.response(latency_ms=amount) for amount in (0.0, -0.0, 0)])
    assert len(rows["turn_starts"]) == 3


def test_what_does_not_fit_holds_up_nothing_else(make) -> None:
    """A number that no column holds: its line is kept apart, and the others come in."""
    rows, _ = both_ways([make.response("good"), make.response("bad", turn_index=2**40), make.parsed()])
    assert [row for row in rows["turn_starts"] if "good" in row]
    assert len(rows["turn_starts"]) == 1


def test_an_event_that_is_known_is_there_once(make) -> None:
    """From before, beside others that are new; what is left of them is proven nevertheless."""
    event: ResponseParsed = make.parsed()
    connection = ledger_of(prepare([event]))
    loader = Loader(connection, chain=Chain(connection))
    loader.load_prepared(prepare([event, make.response()]))
    loader.load_prepared(prepare([event]))
    assert (loader.tally.events, loader.tally.duplicates) == (1, 2)
    assert connection.execute("SELECT count(*) FROM parse_attempts").fetchall() == [(1,)]
    assert connection.execute("SELECT max(link) FROM links").fetchall() == [(2,)]
    assert walk(connection)[0].faults == []


def test_of_a_turn_that_was_superseded_nothing_comes_in(make) -> None:
    """It is known that there was an event, and no more; as where its rows are made one by one."""
    event = make.response()
    rows, _ = both_ways([make.superseded(event.turn_id, make.response().turn_id), event])
    assert not rows["turn_starts"]
    assert len(rows["events"]) == 2


def test_of_a_session_that_is_forgotten_nothing_comes_in(make) -> None:
    """It is counted, and takes the other sessions' events off this road no more than their rows."""
    gone, kept = make.response(), replace(make.response(), session_id=str(uuid4()))
    rows, prepared = both_ways([make.forgotten(gone.session_id), gone, kept])
    assert prepared.events == 2
    assert len(rows["turn_starts"]) == 1
    with duckdb.connect() as connection:
        migrate(connection)
        loader = Loader(connection)
        loader.load_prepared(prepared)
        assert (loader.tally.events, loader.tally.forgotten, loader.tally.duplicates) == (2, 1, 0)
