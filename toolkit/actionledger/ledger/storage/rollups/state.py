"""A reader's view of a rollup: its data on sessions without newer events, and the sessions that it lacks."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.connections import BASE
from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.rollups import tables
from actionledger.ledger.storage.rollups.tables import (
    APART,
    DIALECTS,
    FAILURES,
    KINDS,
    NOT_ROLLED_UP,
    PARTS,
    STATE,
)
from actionledger.ledger.storage.schema import ENDS, OF_SESSION, TABLES

_WITH_ROWS = ("parse_attempts", "actions", "executions")
"""Tables with a row for every session that is counted."""


def is_current(connection: DuckDBPyConnection, catalog: str) -> bool:
    """Return whether a database's rollup agrees with its rows."""
    asked = f'SELECT definition FROM "{catalog}".{STATE} WHERE session_id IS NULL AND link = (SELECT max(link) FROM "{catalog}".links)'
    try:
        found = connection.execute(asked).fetchall()
    except duckdb.Error:
        return False  # there is no rollup, as in a small ledger
    if not found:
        return False
    from actionledger.ledger.storage.rollups.writer import DEFINITION, is_whole  # noqa: PLC0415 - it imports all queries

    return bool(found == [(DEFINITION,)]) and is_whole(connection, catalog)


def views_of_rollup(in_tail: Collection[str], *, is_current: bool) -> dict[str, str]:
    """Return the SELECT of each view of a rollup."""
    if not is_current:
        from actionledger.ledger.storage.rollups.writer import COLUMNS  # noqa: PLC0415 - it imports all queries

        everybody = " UNION ".join(f"SELECT session_id FROM {name}" for name in _WITH_ROWS)
        nothing = {name: _empty(COLUMNS[name]) for name in (PARTS, KINDS, FAILURES, DIALECTS)}
        return nothing | {NOT_ROLLED_UP: everybody}
    # The sessions with rows in the tail, as SQL; empty if there are none.
    selects = []
    for table in TABLES:
        if table.name not in in_tail:
            continue
        if table.name in ENDS:
            key, starts = ENDS[table.name], table.name.replace("_ends", "_starts")
            named = f"coalesce({OF_SESSION}, s.session_id)"
            selects.append(
                f"SELECT {named} AS session_id FROM tail.{table.name} LEFT JOIN {starts} AS s USING ({key})"
            )
        elif "session_id" in table.columns:
            selects.append(f"SELECT session_id FROM tail.{table.name}")
    union = " UNION ".join(selects)
    newer = f"SELECT session_id FROM ({union}) WHERE session_id IS NOT NULL" if union else ""
    apart = f"SELECT session_id FROM {BASE}.{APART}"
    parts = f"FROM {BASE}.{PARTS}"
    return {
        KINDS: f"FROM {BASE}.{KINDS}",
        FAILURES: f"FROM {BASE}.{FAILURES}",
        DIALECTS: f"FROM {BASE}.{DIALECTS}",
        PARTS: f"{parts} ANTI JOIN ({newer}) USING (session_id)" if newer else parts,
        NOT_ROLLED_UP: f"{apart} UNION {newer}" if newer else apart,
    }


def _empty(columns: Mapping[str, str]) -> str:
    return f"SELECT {', '.join(f'NULL::{kind} AS {name}' for name, kind in columns.items())} WHERE false"


_CHANGED = (duckdb.ProgrammingError, duckdb.DataError, duckdb.IntegrityError)
"""Errors of a statement whose tables somebody has changed."""


PIECES = 16
"""The number of pieces that are rolled up before a copy is published while others work: some 1.2 million turns, in half of the time between two
copies. The next publication continues with the rest.
"""


def keep_rolled_up(
    files: LedgerFiles,
    connection: DuckDBPyConnection,
    *,
    pieces: int | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> None:
    """Update the rollup of a working file that is large enough or already has one.

    A rollup that can't be updated, since somebody has changed its tables, is made anew. If that needs too much memory or fails as well, readers find
    no current rollup, and query the rows: recorded events are published in any case.
    """
    if files.store.stat().st_size < tables.WORTH_BYTES and not tables.is_there(connection):
        return
    from actionledger.ledger.storage.rollups import writer  # noqa: PLC0415 - it imports all queries

    with suppress(duckdb.OutOfMemoryException):
        try:
            writer.roll_up(connection, pieces=pieces, is_stopped=is_stopped)
        except _CHANGED:
            with suppress(*_CHANGED):
                tables.remove(connection)
                writer.roll_up(connection, pieces=pieces, is_stopped=is_stopped)


def forget_rolled_up(files: LedgerFiles, connection: DuckDBPyConnection) -> None:
    """Remove erased sessions from the rollup; drop it if it can't be updated."""
    keep_rolled_up(files, connection)
    [(here,)] = connection.execute("SELECT current_database()").fetchall()
    if not is_current(connection, here):
        tables.remove(connection)
