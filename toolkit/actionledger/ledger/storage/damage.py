"""A published file that is cut or damaged: how a statement says so, and how it is known before."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from duckdb import (
    DuckDBPyConnection,
    Error,
    FatalException,
    InternalException,
    IOException,
    SerializationException,
)

from actionledger.core.errors import LedgerError
from actionledger.ledger.storage.connections import BASE, published
from actionledger.ledger.storage.files import LedgerFiles

_DAMAGE = (IOException, FatalException, InternalException, SerializationException)


def is_damage(error: Exception) -> bool:
    """Return whether it is what DuckDB raises over a file that it can't read.

    Args:
        error: what was raised.
    """
    # DuckDB 2 has no kind of error for a block whose checksum is another one.
    return isinstance(error, _DAMAGE) or type(error) is Error


def damage_sentence(what: str, error: Exception) -> str:
    """Return what to say of a file that can't be read.

    Args:
        what: the file, in words.
        error: what DuckDB has raised; see ``is_damage``.
    """
    first, *_ = str(error).splitlines() or [""]
    return f"A part of {what} can't be read: {first.rstrip('.')}. 'actionledger doctor' says what is wrong with it."


@contextmanager
def damage_reported(path: Path) -> Iterator[None]:
    """Ask a ledger what is known to be right: what DuckDB can't read then is the file's.

    Args:
        path: the ledger's.

    Raises:
        LedgerError: a part of the file can't be read.
    """
    try:
        yield
    except Error as error:
        if not is_damage(error):
            raise
        raise LedgerError(damage_sentence(str(path), error)) from error


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
