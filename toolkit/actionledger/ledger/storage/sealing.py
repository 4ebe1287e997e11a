"""The beginning of a chain: what was there before is kept as it is found."""

from contextlib import closing
from pathlib import Path

from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.chain import FIRST, begin
from actionledger.ledger.storage.connections import connect_store, transaction
from actionledger.ledger.storage.stored import rows_of_links, stored_cells


def begin_chain(connection: DuckDBPyConnection) -> None:
    """Begin the chain of the current database, if it has none: of a ledger that is older than chains."""
    if connection.execute("SELECT count(*) FROM links").fetchone() == (0,):
        with transaction(connection):
            seal(connection)


def seal(connection: DuckDBPyConnection) -> None:
    """Make what is there already a part of the first link, within a transaction.

    It is unsalted: nobody knows whether it is as it was recorded, but from now on whether it stays as it is.
    """
    begin(connection, [cell.digest for cell in stored_cells(connection, rows_of_links(FIRST, FIRST))])


def begin_anew(file: Path) -> None:
    """Begin the chain of a ledger that was made of what another one holds."""
    with closing(connect_store(file)) as connection:
        connection.execute("DELETE FROM links")
        begin_chain(connection)
        connection.execute("CHECKPOINT")
