"""A published file that is shorter than what it holds."""

from duckdb import DuckDBPyConnection

from actionledger.core.errors import LedgerError
from actionledger.ledger.storage.connections import BASE, published
from actionledger.ledger.storage.files import LedgerFiles

# Blocks at its end that are free may never have been written.
_NEEDED_BYTES = (
    "SELECT 3 * 4096 + used_blocks * block_size FROM pragma_database_size() WHERE database_name = ?"
)


def cut_sentence(connection: DuckDBPyConnection, files: LedgerFiles) -> str:
    """Return what is to be said where the published file was cut, else nothing: DuckDB opens it, and fails at what is asked first."""
    [(needed,)] = connection.execute(_NEEDED_BYTES, [BASE]).fetchall()
    size = files.published.stat().st_size
    if size >= needed:
        return ""
    return f"{files.published} was cut: it has {size:,} bytes, and holds blocks of {needed:,} at least."


def refuse_cut(files: LedgerFiles) -> None:
    """Refuse a published file that was cut."""
    with published(files, may_write=False) as connection:
        if cut := cut_sentence(connection, files):
            raise LedgerError(f"{cut} 'actionledger doctor' says what there is of it elsewhere.")
