"""When sessions are rolled up: before a copy of a large ledger is published, and before what is forgotten goes out of the files."""

from contextlib import suppress

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.ledger.files import LedgerFiles
from actionledger.ledger.rollups import tables


def keep_rolled_up(files: LedgerFiles, connection: DuckDBPyConnection) -> None:
    """Bring the rollup of a working file up to date, where it is large enough or has one.

    Where it takes more memory than there is, readers find that the rollup is of an earlier link, and ask the rows.

    Args:
        files: the ledger's files.
        connection: its current database is the working file.
    """
    if files.store.stat().st_size < tables.WORTH_BYTES and not tables.is_there(connection):
        return
    from actionledger.ledger.rollups.making import roll_up  # noqa: PLC0415 - it takes all queries along

    with suppress(duckdb.OutOfMemoryException):
        roll_up(connection)
