"""A ledger's file that is cut or damaged, met by a statement that is right: told as what it is, and not as a fault of the statement."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from duckdb import FatalException, InternalException, IOException, SerializationException

from actionledger.errors import LedgerError


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
    except (IOException, FatalException, InternalException, SerializationException) as error:
        first, *_ = str(error).splitlines() or [""]
        raise LedgerError(
            f"A part of {path} can't be read: {first} 'actionledger doctor' says what is wrong with it."
        ) from error
