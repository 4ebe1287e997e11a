"""A ledger's file that is cut or damaged, met by a statement that is right: told as what it is, and not as a fault of the statement."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from duckdb import Error, FatalException, InternalException, IOException, SerializationException

from actionledger.core.errors import LedgerError

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
def damage_told(path: Path) -> Iterator[None]:
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
