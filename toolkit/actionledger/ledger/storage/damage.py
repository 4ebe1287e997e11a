"""Detect a truncated or damaged published file, from a statement's error or before a statement fails."""

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
    """Return whether an error is one that DuckDB raises for an unreadable file."""
    # DuckDB 2 has no error class of its own for a wrong block checksum.
    return isinstance(error, _DAMAGE) or type(error) is Error


def damage_sentence(what: str, error: Exception) -> str:
    """Return a sentence about a file that can't be read.

    Args:
        what: the file, in words.
        error: DuckDB's error; see ``is_damage``.
    """
    first, *_ = str(error).splitlines() or [""]
    return f"A part of {what} can't be read: {first.rstrip('.')}. 'actionledger doctor' says what is wrong with it."


@contextmanager
def damage_reported(path: Path) -> Iterator[None]:
    """Run queries that are known to be correct, so that a read error means that the file is damaged."""
    try:
        yield
    except Error as error:
        if not is_damage(error):
            raise
        raise LedgerError(damage_sentence(str(path), error)) from error


# Free blocks at the end may never have been written.
_NEEDED_BYTES = (
    "SELECT 3 * 4096 + used_blocks * block_size FROM pragma_database_size() WHERE database_name = ?"
)


def cut_sentence(connection: DuckDBPyConnection, files: LedgerFiles) -> str:
    """Return a sentence if the published file was truncated, else an empty text: DuckDB opens such a file, and fails at the first query."""
    [(needed,)] = connection.execute(_NEEDED_BYTES, [BASE]).fetchall()
    size = files.published.stat().st_size
    if size >= needed:
        return ""
    return f"{files.published} was cut: it has {size:,} bytes, and holds blocks of {needed:,} at least."


def refuse_cut(files: LedgerFiles) -> None:
    """Raise if the published file was truncated."""
    with published(files, may_write=False) as connection:
        if cut := cut_sentence(connection, files):
            raise LedgerError(f"{cut} 'actionledger doctor' says what there is of it elsewhere.")
