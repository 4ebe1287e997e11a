"""Which version of the schema a database has, and whether this toolkit reads it."""

from pathlib import Path

import duckdb
from duckdb import DuckDBPyConnection

from actionledger._version import __version__
from actionledger.core.errors import LedgerError, NewerLedgerError, NotALedgerError
from actionledger.ledger.storage.connections import BASE
from actionledger.ledger.storage.schema import SCHEMA_VERSION


def version_in(connection: DuckDBPyConnection, catalog: str | None = None) -> int | None:
    """Return the version of the schema in a database, or None where there is no ledger in it."""
    table = f"{catalog}.meta" if catalog else "meta"
    try:
        version = connection.execute(f"SELECT max(schema_version) FROM {table}").fetchone()  # noqa: S608 (our own names)
    except (duckdb.CatalogException, duckdb.BinderException):
        return None
    return version[0] if version else None


def version_of_copy(connection: DuckDBPyConnection, path: Path) -> int:
    """Return the version of the published copy that is attached, one that this toolkit knows."""
    version = version_in(connection, BASE)
    if version is None:
        raise NotALedgerError(
            f"{path} is a DuckDB database, but no ledger: it has no table meta with a version."
        )
    refuse_newer(version, SCHEMA_VERSION)
    return version


def refuse_unreadable(connection: DuckDBPyConnection, path: Path) -> None:
    """Raise where the published copy that is attached can't be read as it is; see ``version_of_copy``."""
    version = version_of_copy(connection, path)
    if version < SCHEMA_VERSION:
        raise LedgerError(
            f"The ledger {path} has version {version} of the schema, this toolkit needs {SCHEMA_VERSION}: "
            f"open it once for writing, as 'actionledger ingest --ledger {path}' does, which brings it up to date."
        )


def refuse_newer(version: int, known: int) -> None:
    """Raise where a ledger's version is beyond what this toolkit knows."""
    if version > known:
        raise NewerLedgerError(
            f"The ledger has version {version} of the schema, this toolkit ({__version__}) knows versions up to "
            f"{known}: upgrade actionledger."
        )
