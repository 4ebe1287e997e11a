"""The schema's history."""

from pathlib import Path

import duckdb
import pytest

from actionledger._version import __version__
from actionledger.errors import NewerLedgerError
from actionledger.ledger.migrations import MIGRATIONS, migrate, version_in
from actionledger.ledger.schema import SCHEMA_VERSION, TABLES, VIEWS
from actionledger.ledger.staging import QUARANTINE


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


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
        assert columns(connection, table.name) == table.columns
    for view in VIEWS:
        assert connection.execute(f"SELECT count(*) FROM {view}").fetchone() == (0,)
    assert connection.execute("SELECT schema_version, toolkit_version FROM meta").fetchall() == [
        (SCHEMA_VERSION, __version__)
    ]


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
    connection.execute((Path(__file__).parent / "fixtures" / "version_1.sql").read_text(encoding="utf-8"))
    connection.execute("INSERT INTO execution_starts (execution_id, name) VALUES (uuid(), 'look')")
    assert version_in(connection) == 1
    migrate(connection)
    assert version_in(connection) == SCHEMA_VERSION
    for table in (*TABLES, QUARANTINE):
        assert columns(connection, table.name) == table.columns
    assert connection.execute("SELECT name, arguments, status FROM executions").fetchall() == [
        ("look", None, "interrupted")
    ]
    assert connection.execute("SELECT count(*) FROM approvals").fetchone() == (0,)
