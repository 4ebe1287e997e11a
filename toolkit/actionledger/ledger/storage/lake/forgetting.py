"""Remove a lake's deleted rows from its Parquet files as well, together with every past state that has them."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

from duckdb import DuckDBPyConnection

from actionledger.core.errors import LedgerError
from actionledger.ledger.storage.chain import Chain
from actionledger.ledger.storage.connections import BASE
from actionledger.ledger.storage.files import LedgerFiles, one_sentence
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.place import LakePlace
from actionledger.ledger.storage.lake.tables import tried_again
from actionledger.ledger.storage.segments import qualified_name
from actionledger.ledger.upkeep.forgetting.intent import Intent
from actionledger.ledger.upkeep.forgetting.records import (
    blank_lines,
    delete_concurrent,
    forget_records,
    orphaned_events,
)

_PATIENCE_SECONDS = 120.0
_AHEAD = timedelta(days=1)
"""How far another host's clock may be ahead, so that its last commits count as past, too."""

_ORPHANED_FOR = timedelta(days=1)
_WITH_DELETED = f"SELECT table_name FROM ducklake_table_info('{BASE}') WHERE delete_file_count > 0"


def forget_in_lake(
    connection: DuckDBPyConnection,
    place: LakePlace,
    files: LedgerFiles,
    intent: Intent,
    offsets: dict[str, int],
    *,
    chain: Chain,
) -> None:
    """Erase sessions from a lake and from this host's segments; a second call resumes an interrupted one."""
    for attempt in tried_again(seconds=_PATIENCE_SECONDS):
        with attempt:
            forget_records(connection, intent, chain)
            # Rows that another host committed before it knew of the erasure.
            delete_concurrent(connection, intent, chain)
            for (table,) in connection.execute(_WITH_DELETED).fetchall():
                connection.execute(
                    f"CALL ducklake_rewrite_data_files('{BASE}', '{table}', delete_threshold => 0)"
                ).fetchall()
    now = datetime.now(UTC)
    _done(
        connection,
        f"ducklake_expire_snapshots('{BASE}', older_than => '{(now + _AHEAD).isoformat()}'::TIMESTAMPTZ)",
    )
    _done(connection, f"ducklake_cleanup_old_files('{BASE}', cleanup_all => true)")
    _done(
        connection,
        f"ducklake_delete_orphaned_files('{BASE}', older_than => '{(now - _ORPHANED_FOR).isoformat()}'::TIMESTAMPTZ)",
    )
    prefix = qualified_name(place.host, "")
    ours = {name.removeprefix(prefix): end for name, end in offsets.items() if name.startswith(prefix)}
    gone = orphaned_events(connection, files.segments, ours)
    blank_lines(files.segments, frozenset(intent.sessions), gone)


def _done(connection: DuckDBPyConnection, what: str) -> None:
    # Fetch all rows, since the call commits only then.
    connection.execute(f"SELECT count(*) FROM {what}").fetchall()


def vacuum(place: LakePlace) -> None:
    """Vacuum a catalog in SQLite, whose free pages hold the minimum and maximum values of deleted files."""
    if place.catalog_file is None:
        return
    try:
        with closing(sqlite3.connect(place.catalog_file, timeout=_PATIENCE_SECONDS)) as catalog:
            catalog.execute("VACUUM")
            catalog.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.Error as error:
        raise LedgerError(
            f"The catalog of {place.path} can't be made anew: {error}. Forget again, and it is gone on with."
        ) from error


_KEEPS_NO_ERRORS = frozenset({"log", "fatal", "panic"})
_ASKED = (
    "SELECT name, setting FROM pg_settings WHERE name IN (''log_min_error_statement'', ''log_statement'', "
    "''log_min_duration_statement'')"
)


def said_of_log(place: LakePlace) -> str:
    """Return a sentence on what the server log of a lake's catalog may hold of erased rows; empty if the catalog has no server."""
    if not place.is_on_postgres:
        return ""
    with (
        one_sentence(f"The catalog of {place.path} can't be asked"),
        closing(connect_lake(place)) as connection,
    ):
        asked = f"SELECT * FROM postgres_query('__ducklake_metadata_{BASE}', '{_ASKED}')"
        settings = dict(connection.execute(asked).fetchall())
    keeping = " and ".join(f"{name} = {value}" for name, value in settings.items() if _keeps(name, value))
    now = f"with {keeping} it goes on so" if keeping else "as it is set now, it keeps no more of them"
    return (
        "PostgreSQL's server log may hold texts of the forgotten rows, in the statements of commits that lost the race: "
        f"{now}. Remove the logs of that time, on the server."
    )


def _keeps(name: str, value: str) -> bool:
    """Return whether a PostgreSQL setting makes its log keep statements that add files."""
    match name:
        case "log_min_error_statement":
            return value not in _KEEPS_NO_ERRORS
        case "log_statement":
            return value in {"mod", "all"}
        case _:
            return value != "-1"
