"""When sessions are rolled up: before a copy of a large ledger is published, and before what is forgotten goes out of the files."""

from contextlib import suppress

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.ledger.files import LedgerFiles
from actionledger.ledger.rollups import tables

_CHANGED = (duckdb.ProgrammingError, duckdb.DataError, duckdb.IntegrityError)
"""What a statement fails with where somebody has changed the tables that it is about."""


def keep_rolled_up(files: LedgerFiles, connection: DuckDBPyConnection) -> None:
    """Bring the rollup of a working file up to date, where it is large enough or has one.

    One that can't be, since somebody has changed its tables, is made anew. Where that takes more memory than there is or fails as well,
    readers find that the rollup is of an earlier link or none, and ask the rows: what was recorded is published in any case.

    Args:
        files: the ledger's files.
        connection: its current database is the working file.

    Raises:
        duckdb.Error: the file can't be written or read, or somebody has stopped it.
    """
    if files.store.stat().st_size < tables.WORTH_BYTES and not tables.is_there(connection):
        return
    from actionledger.ledger.rollups import making  # noqa: PLC0415 - it takes all queries along

    with suppress(duckdb.OutOfMemoryException):
        try:
            making.roll_up(connection)
        except _CHANGED:
            with suppress(*_CHANGED):
                tables.remove(connection)
                making.roll_up(connection)
