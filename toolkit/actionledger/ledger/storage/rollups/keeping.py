"""When sessions are rolled up: before a copy of a large ledger is published, and before what is forgotten goes out of the files."""

from collections.abc import Callable
from contextlib import suppress

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.rollups import tables
from actionledger.ledger.storage.rollups.state import is_current

_CHANGED = (duckdb.ProgrammingError, duckdb.DataError, duckdb.IntegrityError)
"""What a statement fails with where somebody has changed the tables that it is about."""


PIECES = 16
"""So many pieces are rolled up before a copy is published while others are at work: some 1.2 million turns, in half of the time between two
copies. The next publication goes on with the rest."""


def keep_rolled_up(
    files: LedgerFiles,
    connection: DuckDBPyConnection,
    *,
    pieces: int | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> None:
    """Bring the rollup of a working file up to date, where it is large enough or has one.

    One that can't be, since somebody has changed its tables, is made anew. Where that takes more memory than there is or fails as well,
    readers find that the rollup is of an earlier link or none, and ask the rows: what was recorded is published in any case.
    """
    if files.store.stat().st_size < tables.WORTH_BYTES and not tables.is_there(connection):
        return
    from actionledger.ledger.storage.rollups import writer  # noqa: PLC0415 - it takes all queries along

    with suppress(duckdb.OutOfMemoryException):
        try:
            writer.roll_up(connection, pieces=pieces, is_stopped=is_stopped)
        except _CHANGED:
            with suppress(*_CHANGED):
                tables.remove(connection)
                writer.roll_up(connection, pieces=pieces, is_stopped=is_stopped)


def forget_rolled_up(files: LedgerFiles, connection: DuckDBPyConnection) -> None:
    """Have nothing left in the rollup of what is forgotten: where it can't be brought up to date, it goes."""
    keep_rolled_up(files, connection)
    [(here,)] = connection.execute("SELECT current_database()").fetchall()
    if not is_current(connection, here):
        tables.remove(connection)
