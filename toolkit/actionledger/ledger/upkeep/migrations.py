"""The schema's migrations: ordered functions, each applied in one transaction together with the version that it makes.

To add one, append a function to ``MIGRATIONS`` and increase ``schema.SCHEMA_VERSION``; it changes old data and tables to the current ``schema.py``.
The first migration creates the current schema, so a blank database needs no other. Views hold nothing: the last migration recreates all of them,
since a current view may need a column that an earlier schema lacks.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
from duckdb import DuckDBPyConnection

from actionledger._version import __version__
from actionledger.core.errors import LedgerError, NewerLedgerError, NotALedgerError
from actionledger.core.ids import now
from actionledger.ledger.storage.connections import BASE, transaction
from actionledger.ledger.storage.schema import (
    BOOKKEEPING,
    LINK,
    PROOFS,
    QUARANTINE,
    SCHEMA_VERSION,
    TABLES,
    VIEWS,
)


def version_in(connection: DuckDBPyConnection, catalog: str | None = None) -> int | None:
    """Return the schema version of a database; None if it is not a ledger."""
    table = f"{catalog}.meta" if catalog else "meta"
    try:
        version = connection.execute(f"SELECT max(schema_version) FROM {table}").fetchone()  # noqa: S608 (our own names)
    except (duckdb.CatalogException, duckdb.BinderException):
        return None
    return version[0] if version else None


def version_of_copy(connection: DuckDBPyConnection, path: Path) -> int:
    """Return the schema version of the attached published copy; raise if this toolkit doesn't know it."""
    version = version_in(connection, BASE)
    if version is None:
        raise NotALedgerError(
            f"{path} is a DuckDB database, but no ledger: it has no table meta with a version."
        )
    refuse_newer(version, SCHEMA_VERSION)
    return version


def refuse_unreadable(connection: DuckDBPyConnection, path: Path) -> None:
    """Raise if the attached published copy can't be read without a migration; see ``version_of_copy``."""
    version = version_of_copy(connection, path)
    if version < SCHEMA_VERSION:
        raise LedgerError(
            f"The ledger {path} has version {version} of the schema, this toolkit needs {SCHEMA_VERSION}: "
            f"open it once for writing, as 'actionledger ingest --ledger {path}' does, which brings it up to date."
        )


def refuse_newer(version: int, known: int) -> None:
    """Raise if a ledger's version is newer than this toolkit knows."""
    if version > known:
        raise NewerLedgerError(
            f"The ledger has version {version} of the schema, this toolkit ({__version__}) knows versions up to "
            f"{known}: upgrade actionledger."
        )


Migration = Callable[[DuckDBPyConnection], None]


def make_tables(connection: DuckDBPyConnection) -> None:
    """Create all tables of ``schema.py``, without its views."""
    connection.execute(";".join((*(table.ddl for table in TABLES), *BOOKKEEPING)))


def create_everything(connection: DuckDBPyConnection) -> None:
    """Create all tables and views of ``schema.py``."""
    make_tables(connection)
    connection.execute(";".join(f"CREATE VIEW {name} AS {select}" for name, select in VIEWS.items()))


def add_approvals(connection: DuckDBPyConnection) -> None:
    """Add approvals, resumed turns, and the arguments of executions."""
    for table in TABLES:
        if table.name in {"approval_starts", "approval_ends", "resumptions"}:
            _make(connection, table.ddl)
    connection.execute("ALTER TABLE execution_starts ADD COLUMN IF NOT EXISTS arguments JSON")


def add_reversals(connection: DuckDBPyConnection) -> None:
    """Add undos and redos, and convert those that were recorded as further tries.

    Such a try is ``undone``, or ``succeeded`` for a redo; its result names the paths, and its duration is 0. Every second one is a redo.
    """
    for table in TABLES:
        if table.name == "reversals":
            _make(connection, table.ddl)
    connection.execute("""
        INSERT INTO reversals BY NAME
        SELECT run_id, session_id, turn_id, turn_index, profile, model, task, occurred_at, execution_id AS reversal_id,
               attempt_id, action_id, action_index, name, dialect,
               CASE row_number() OVER (PARTITION BY action_id ORDER BY try_number) % 2 WHEN 1 THEN 'undone' ELSE 'redone' END
                   AS kind,
               result->'changed_back' AS paths, (result->>'in_all')::BIGINT AS path_count, finished_at AS reversed_at
        FROM execution_starts JOIN execution_ends USING (execution_id)
        WHERE (status = 'undone' OR (status = 'succeeded' AND duration_ms = 0
                                     AND list_sort(json_keys(result)) = ['changed_back', 'in_all']))
              AND execution_id NOT IN (SELECT reversal_id FROM reversals)""")


def add_recordings(connection: DuckDBPyConnection) -> None:
    """Add data of other runtimes' recordings: separate tool calls, tool results, tokens, lineage, skipped input.

    Earlier records all have a whole text and were executed here. A new ledger needs no change.
    """
    for table in TABLES:
        _make(connection, table.ddl)
    if not _add_missing_columns(connection):
        return
    for name in ("turn_starts", "parse_attempts"):
        connection.execute(f"UPDATE {name} SET capture = 'text' WHERE capture IS NULL")  # noqa: S608 (our own names)
    connection.execute("UPDATE turn_starts SET message_id = '', call_count = 0 WHERE message_id IS NULL")
    connection.execute("UPDATE execution_starts SET origin = 'runtime' WHERE origin IS NULL")
    connection.execute("UPDATE execution_ends SET is_inferred = false WHERE is_inferred IS NULL")
    connection.execute("UPDATE session_ends SET scores = '{}', labels = '[]' WHERE scores IS NULL")
    _make_views_anew(connection)


def add_thoughts_and_prices(connection: DuckDBPyConnection) -> None:
    """Add reasoning, reviews and the origin of costs; before, all costs came from recordings."""
    for table in TABLES:
        _make(connection, table.ddl)
    if _add_missing_columns(connection):
        connection.execute("UPDATE turn_starts SET cost_origin = 'recorded' WHERE cost_usd IS NOT NULL")
    _keep_last_of_left_out(connection)
    _make_room_for_proofs(connection)
    _make_views_anew(connection)


def know_needs_approval(connection: DuckDBPyConnection) -> None:
    """Change nothing: from this version on an action's status may be ``needs_approval``, which an older toolkit doesn't know."""


def add_session_details(connection: DuckDBPyConnection) -> None:
    """Add sessions' titles and places; importing the same files again fills them."""
    for table in TABLES:
        if table.name == "session_details":
            _make(connection, table.ddl)
    _make_views_anew(connection)


def ask_texts_last(connection: DuckDBPyConnection) -> None:
    """Recreate the views: they show the same, and read fewer texts for it."""
    _make_views_anew(connection)


def _make(connection: DuckDBPyConnection, ddl: str) -> None:
    """Create a table if none has its name."""
    connection.execute(ddl.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS", 1))


def _make_room_for_proofs(connection: DuckDBPyConnection) -> None:
    """Add the tables of proofs; earlier records belong to no link."""
    for ddl in PROOFS.values():
        _make(connection, ddl)
    for table in (*TABLES, QUARANTINE):
        connection.execute(f"ALTER TABLE {table.name} ADD COLUMN IF NOT EXISTS {LINK} INTEGER")


def _keep_last_of_left_out(connection: DuckDBPyConnection) -> None:
    """Keep only the last import's counts of what was skipped in a file.

    Each import recorded all of a file's skipped input again, so that sums counted it once per import. Results without a call were also counted with
    their turn, which was imported once; for those the highest count of any import is kept.
    """
    connection.execute("""
        DELETE FROM left_out WHERE rowid IN (
            SELECT rowid FROM left_out
            QUALIFY row_number() OVER (PARTITION BY path, reason, detail
                                       ORDER BY CASE reason WHEN 'no_call' THEN count ELSE 0 END DESC, recorded_at DESC, rowid DESC) > 1)""")


def _add_missing_columns(connection: DuckDBPyConnection) -> bool:
    """Add the columns that tables lack; return whether there were any."""
    asked = "SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = current_database()"
    there = set(connection.execute(asked).fetchall())
    missing = [
        (table.name, name, kind)
        for table in TABLES
        for name, kind in table.columns.items()
        if (table.name, name) not in there
    ]
    for table_name, name, kind in missing:
        connection.execute(f'ALTER TABLE {table_name} ADD COLUMN "{name}" {kind}')
    return bool(missing)


def _make_views_anew(connection: DuckDBPyConnection) -> None:
    for name, select in VIEWS.items():
        connection.execute(f"CREATE OR REPLACE VIEW {name} AS {select}")


MIGRATIONS: tuple[Migration, ...] = (
    create_everything,
    add_approvals,
    add_reversals,
    add_recordings,
    add_thoughts_and_prices,
    know_needs_approval,
    add_session_details,
    ask_texts_last,
)


def make_ledger(connection: DuckDBPyConnection) -> None:
    """Turn the current database, which is blank, into a ledger of the newest version."""
    with transaction(connection):
        create_everything(connection)
        connection.execute("INSERT INTO meta VALUES (?, ?, ?)", [SCHEMA_VERSION, now(), __version__])


def migrate(connection: DuckDBPyConnection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Migrate the current database to the newest version; a blank one becomes a ledger."""
    version = version_in(connection)
    if version is None:
        make_ledger(connection)
        version = SCHEMA_VERSION
    refuse_newer(version, len(migrations))
    for number, migration in enumerate(migrations[version:], start=version + 1):
        with transaction(connection):
            migration(connection)
            connection.execute(
                "UPDATE meta SET schema_version = ?, toolkit_version = ?", [number, __version__]
            )
