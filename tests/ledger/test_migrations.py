"""The schema's history."""

from pathlib import Path

import duckdb
import pytest

import actionledger as al
from actionledger._version import __version__
from actionledger.core.errors import NewerLedgerError
from actionledger.core.ids import new_id
from actionledger.core.rates import Rate
from actionledger.core.recording import SessionKey, TurnKey, response_received
from actionledger.ledger.queries.funnel import funnel
from actionledger.ledger.queries.progress import open_approvals
from actionledger.ledger.storage.connections import STORAGE_VERSION
from actionledger.ledger.storage.encoding import encode
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.local import verify
from actionledger.ledger.storage.schema import (
    DETAILS,
    LINK,
    OF_SESSION,
    QUARANTINE,
    SCHEMA_VERSION,
    TABLES,
    VIEWS,
)
from actionledger.ledger.upkeep.migrations import MIGRATIONS, migrate, version_in


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


FIXTURES = Path(__file__).parent / "fixtures"


def columns(connection, table: str) -> dict[str, str]:
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE {table}").fetchall()}


def test_there_is_a_migration_for_each_version() -> None:
    """The version that a new ledger gets is that of the schema."""
    assert len(MIGRATIONS) == SCHEMA_VERSION


def test_a_blank_database_becomes_a_ledger(connection) -> None:
    """All tables and views are there, with the columns that rows are made for."""
    assert version_in(connection) is None
    migrate(connection)
    assert version_in(connection) == SCHEMA_VERSION
    for table in (*TABLES, QUARANTINE):
        assert columns(connection, table.name) == table.columns | {LINK: "INTEGER"}
    for view in VIEWS:
        assert connection.execute(f"SELECT count(*) FROM {view}").fetchone() == (0,)
    assert connection.execute("SELECT schema_version, toolkit_version FROM meta").fetchall() == [
        (SCHEMA_VERSION, __version__)
    ]


def shape(connection) -> list[list[tuple[object, ...]]]:
    """Every column in its place, and every view's statement."""
    asked = (
        "SELECT table_name, column_index, column_name, data_type, comment FROM duckdb_columns() ORDER BY ALL",
        "SELECT view_name, sql, comment FROM duckdb_views() WHERE NOT internal ORDER BY ALL",
        "SELECT table_name, sql, comment FROM duckdb_tables() ORDER BY ALL",
    )
    return [connection.execute(query).fetchall() for query in asked]


def test_a_version_of_the_schema_stays_as_it_is(connection) -> None:
    """A field more in an event is a column more: then a version more, a migration, and a fixture of this version."""
    connection.execute((FIXTURES / f"version_{SCHEMA_VERSION}.sql").read_text(encoding="utf-8"))
    assert version_in(connection) == SCHEMA_VERSION
    with duckdb.connect() as made:
        migrate(made)
        assert shape(made) == shape(connection)


def test_a_ledger_of_version_4_gets_thoughts_and_where_costs_come_from(connection) -> None:
    """Nobody kept thoughts before, and only recordings said what a response cost."""
    connection.execute((FIXTURES / "version_4.sql").read_text(encoding="utf-8"))
    connection.execute(
        "INSERT INTO turn_starts (turn_id, text, cost_usd) VALUES (uuid(), 'a', 0.5), (uuid(), 'b', NULL)"
    )
    migrate(connection)
    assert version_in(connection) == SCHEMA_VERSION
    for table in (*TABLES, QUARANTINE):
        assert columns(connection, table.name) == table.columns | {LINK: "INTEGER"}
    asked = "SELECT text, reasoning, cost_usd, cost_origin FROM turns ORDER BY text"
    assert connection.execute(asked).fetchall() == [("a", None, 0.5, "recorded"), ("b", None, None, None)]


def test_what_version_4_left_out_anew_with_each_import_counts_as_it_stood_last(connection) -> None:
    """Each import of a growing file told all of it; results of no call were told with their turn, and once."""
    connection.execute((FIXTURES / "version_4.sql").read_text(encoding="utf-8"))
    told = [
        ("a.jsonl", "bookkeeping", "mode", [3, 5, 8]),
        ("a.jsonl", "compacted", "", [1, 1]),
        ("b.jsonl", "bookkeeping", "mode", [2]),
        ("a.jsonl", "no_call", "", [4, 1]),
    ]
    for path, reason, detail, counts in told:
        for day, count in enumerate(counts, start=1):
            connection.execute(
                "INSERT INTO left_out VALUES (uuid(), ?, ?, ?, ?, make_timestamp(2026, 1, ?, 0, 0, 0))",
                [path, reason, detail, count, day],
            )
    migrate(connection)
    asked = "SELECT path, reason, detail, sum(count) FROM left_out GROUP BY ALL ORDER BY ALL"
    assert connection.execute(asked).fetchall() == [
        ("a.jsonl", "bookkeeping", "mode", 8),
        ("a.jsonl", "compacted", "", 1),
        ("a.jsonl", "no_call", "", 4),
        ("b.jsonl", "bookkeeping", "mode", 2),
    ]


def test_a_ledger_of_version_4_has_room_for_reviews(tmp_path) -> None:
    """What was recorded before can be reviewed now."""
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path), config={"storage_compatibility_version": STORAGE_VERSION}) as made:
        made.execute((FIXTURES / "version_4.sql").read_text(encoding="utf-8"))
    with al.open_ledger(path) as ledger:
        ledger.record_turn("s", "Well.", profile="mint")
        al.review(ledger, "s", 0, by="ann", verdict="wrong")
    with al.open_ledger(path, read_only=True) as ledger:
        assert [(each.reviewer, each.value) for each in al.reviews(ledger)] == [("ann", "wrong")]


def test_a_segment_of_version_4_is_read_with_its_costs(tmp_path) -> None:
    """Its responses say what they cost and not where that comes from."""
    session = SessionKey(session_id=new_id(), profile="none", model="m", task="")
    turn = TurnKey(session=session, turn_id=new_id(), index=0, occurred_at=None)
    line = encode(response_received(turn, new_id(), "Done.", None, cost_usd=0.5)).decode()
    files = LedgerFiles.at(tmp_path / "old.duckdb")
    al.open_ledger(files.published).close()
    without = line.replace('"cost_origin":null,', "").replace('"reasoning":null,', "")
    assert len(without) < len(line)
    (files.segments / "version_4.jsonl").write_text(without, encoding="utf-8")
    with al.open_ledger(files.published) as ledger:
        assert ledger.sql("SELECT cost_usd, cost_origin FROM turns").fetchall() == [(0.5, "recorded")]


@pytest.mark.parametrize("name", ["run", "session", "turn", "execution", "approval"])
def test_a_view_has_every_column_of_both_halves(connection, name) -> None:
    """A column more of a start or an end is one more of what people read."""
    migrate(connection)
    halves = columns(connection, f"{name}_starts") | columns(connection, f"{name}_ends")
    if name == "session":
        halves |= {
            each: kind for each, kind in columns(connection, "session_details").items() if each in DETAILS
        }
    del halves[LINK]  # of the proof, and not of what was recorded
    halves.pop(OF_SESSION, None)  # the start's
    if name == "session":
        del halves["recorded_at"]  # it only tells which of a session's ends is the last
    assert columns(connection, f"{name}s") == halves


def test_migrating_twice_changes_nothing(connection) -> None:
    """What is at the newest version is left alone."""
    migrate(connection)
    before = connection.execute("FROM meta").fetchall()
    migrate(connection)
    assert connection.execute("FROM meta").fetchall() == before


def add_column(connection) -> None:
    connection.execute("ALTER TABLE events ADD COLUMN host VARCHAR")


def test_an_older_ledger_gets_what_is_missing(connection) -> None:
    """A further migration is applied once, and noted."""
    migrate(connection)
    later = (*MIGRATIONS, add_column)
    for _ in range(2):
        migrate(connection, later)
    assert columns(connection, "events")["host"] == "VARCHAR"
    assert connection.execute("SELECT schema_version FROM meta").fetchall() == [(SCHEMA_VERSION + 1,)]


def test_a_migration_that_fails_leaves_the_version_before(connection) -> None:
    """A migration and its version are written together or not at all."""
    migrate(connection)

    def fail(broken) -> None:
        add_column(broken)
        broken.execute("DROP TABLE nothing")

    with pytest.raises(duckdb.CatalogException):
        migrate(connection, (*MIGRATIONS, fail))
    assert version_in(connection) == SCHEMA_VERSION
    assert "host" not in columns(connection, "events")


def test_a_newer_ledger_is_refused(connection) -> None:
    """A toolkit doesn't touch what it doesn't know."""
    migrate(connection, (*MIGRATIONS, add_column))
    with pytest.raises(NewerLedgerError, match=f"version {SCHEMA_VERSION + 1} of the schema"):
        migrate(connection)


@pytest.mark.parametrize(
    "ddl", ["CREATE TABLE meta (x INTEGER)", "CREATE TABLE other (schema_version INTEGER)"]
)
def test_another_database_has_no_version(connection, ddl) -> None:
    """A table of our name or a column of it alone make no ledger."""
    connection.execute(ddl)
    assert version_in(connection) is None


def test_a_ledger_of_version_1_gets_approvals(connection) -> None:
    """What was recorded stays, and every table and view is that of a new ledger."""
    connection.execute((FIXTURES / "version_1.sql").read_text(encoding="utf-8"))
    connection.execute("INSERT INTO execution_starts (execution_id, name) VALUES (uuid(), 'look')")
    assert version_in(connection) == 1
    migrate(connection)
    assert version_in(connection) == SCHEMA_VERSION
    for table in (*TABLES, QUARANTINE):
        assert columns(connection, table.name) == table.columns | {LINK: "INTEGER"}
    assert connection.execute("SELECT name, arguments, status FROM executions").fetchall() == [
        ("look", None, "interrupted")
    ]
    assert connection.execute("SELECT count(*) FROM approvals").fetchone() == (0,)


def ledger_of_version_2(folder: Path) -> Path:
    """A ledger whose segment is taken in up to the middle of an undoing, between its two events."""
    files = LedgerFiles.at(folder / "old.duckdb")
    files.make_folders()
    config = {"storage_compatibility_version": STORAGE_VERSION}
    with duckdb.connect(str(files.published), config=config) as made:
        made.execute((FIXTURES / "version_2.sql").read_text(encoding="utf-8"))
    (files.segments / "version_2.jsonl").write_bytes((FIXTURES / "version_2.jsonl").read_bytes())
    return files.published


def reversals(ledger, task: str) -> dict[str, list[str]]:
    """What was undone and redone, by the path that the action is about."""
    rows = ledger.sql(
        "SELECT arguments->>'path', list(kind ORDER BY reversed_at, event) FROM ("
        "  SELECT *, row_number() OVER () AS event FROM reversals) JOIN actions USING (action_id) "
        "WHERE actions.task = ? GROUP BY 1 ORDER BY 1",
        [task],
    ).fetchall()
    return dict(rows)


def check_what_version_2_recorded(ledger) -> None:
    """What was done when the fixture was made, counted by hand."""
    assert reversals(ledger, "A") == {"a": ["undone"], "b": ["undone", "redone"]}
    assert reversals(ledger, "B") == {"f": ["undone"]}
    again = ["undone", "redone", "undone"]
    assert reversals(ledger, "C") == {"x": again, "y": again, "z": ["undone", "redone"]}
    assert reversals(ledger, "D") == {"j": ["undone"]}
    counted = funnel(ledger)
    assert {str(status): count for status, count in counted.tries.items()} == {
        "succeeded": 10,
        "failed": 1,
        "dry_run": 3,
        "denied": 1,
        "pending": 5,
    }
    assert counted.execution == Rate(10, 11)
    assert counted.taken_back == Rate(5, 10)
    assert [approval.name for approval in open_approvals(ledger) if approval.decision is None] == [
        "create_file"
    ]
    assert ledger.sql("SELECT count(*) FROM quarantine").fetchone() == (0,)
    assert ledger.sql(
        "SELECT paths::VARCHAR, path_count, kind FROM reversals WHERE action_index = 0 AND task = 'C' "
        "ORDER BY reversed_at LIMIT 1"
    ).fetchone() == ('["x","y"]', 2, "undone")


def test_undoing_of_version_2_was_no_try(tmp_path) -> None:
    """A ledger and its segment that is not taken in yet: what was recorded as tries is read as what it was."""
    path = ledger_of_version_2(tmp_path)
    with al.open_ledger(path) as ledger:
        check_what_version_2_recorded(ledger)
    for read_only in (False, True):
        with al.open_ledger(path, read_only=read_only) as ledger:
            check_what_version_2_recorded(ledger)


def test_a_segment_of_version_2_is_read_before_it_is_taken_in(tmp_path) -> None:
    """By who only reads: the beginning of an undoing may be in the copy, and its end in the segment."""
    path = ledger_of_version_2(tmp_path)
    al.open_ledger(path)  # migrates the copy; nothing was asked, so nothing is taken in
    with al.open_ledger(path, read_only=True) as ledger:
        assert ledger.sql("SELECT count(*) FROM reversals").fetchone() == (13,)
        check_what_version_2_recorded(ledger)


def test_a_whole_segment_of_version_2_is_taken_in(tmp_path) -> None:
    """By a ledger that knows nothing of it."""
    files = LedgerFiles.at(tmp_path / "new.duckdb")
    al.open_ledger(files.published).close()
    (files.segments / "version_2.jsonl").write_bytes((FIXTURES / "version_2.jsonl").read_bytes())
    with al.open_ledger(files.published) as ledger:
        check_what_version_2_recorded(ledger)


def test_the_migration_of_version_2_may_be_done_twice(connection) -> None:
    """As when a process is killed before the version is noted."""
    connection.execute((FIXTURES / "version_2.sql").read_text(encoding="utf-8"))
    migrate(connection)
    assert connection.execute("SELECT count(*) FROM reversals").fetchone() == (4,)
    connection.execute("UPDATE meta SET schema_version = 2")
    migrate(connection)
    assert connection.execute("SELECT count(*) FROM reversals").fetchone() == (4,)
    for table in (*TABLES, QUARANTINE):
        assert columns(connection, table.name) == table.columns | {LINK: "INTEGER"}


@pytest.mark.parametrize("version", [5, 6, 7])
def test_an_older_ledger_has_titles_once_it_is_opened(tmp_path, version) -> None:
    """Nothing is said to be missing of it before but the chain, which is blank; what its sessions are called is recorded from then on."""
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path), config={"storage_compatibility_version": STORAGE_VERSION}) as made:
        made.execute((FIXTURES / f"version_{version}.sql").read_text(encoding="utf-8"))
    assert {fault.table for fault in verify(path).faults} == {"links"}
    turn = al.RecordedTurn(0, "Well.", prompt="Add two and two.")
    with al.open_ledger(path) as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", (turn,))])
    with al.open_ledger(path, read_only=True) as ledger:
        asked = "SELECT title, title_from, git_branch FROM sessions"
        assert ledger.sql(asked).fetchall() == [("Add two and two.", "prompt", "")]
    assert verify(path).is_whole
