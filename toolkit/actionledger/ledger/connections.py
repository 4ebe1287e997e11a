"""How DuckDB is connected to: the working file for the ingester, the published copy for everyone else."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.ledger.files import TEMPORARY, LedgerFiles

STORAGE_VERSION = "v1.5.0"
"""The newest storage format that every supported DuckDB reads: 2.0's own default is unreadable to 1.5."""

STORE_THREADS = 1
"""So many take in what was flushed: it is work beside somebody's own, and several take half as much processor time again for it."""

STORE_MEMORY = "96MB"
"""How much of a working file is held in memory: without a bound DuckDB keeps all that it has written, up to most of the machine's."""

BASE = "base"
"""What the published copy is called where it is attached."""


def connect_store(path: Path, *, is_bounded: bool = True) -> DuckDBPyConnection:
    """Open a working file for reading and writing; it is created where it doesn't exist.

    Args:
        path: the file.
        is_bounded: whether to make do with ``STORE_MEMORY``; else DuckDB takes what it needs, up to most of the machine's.
    """
    config: dict[str, Any] = {
        "storage_compatibility_version": STORAGE_VERSION,
        "threads": STORE_THREADS,
    }
    if is_bounded:
        config["memory_limit"] = STORE_MEMORY
    return quiet(duckdb.connect(str(path), config=config))


def connect_published(files: LedgerFiles, *, may_write: bool) -> DuckDBPyConnection:
    """Open a database in memory with the published copy attached for reading.

    Args:
        files: the ledger's files.
        may_write: whether the ledger's folder may be written to for a moment.

    Returns:
        The connection; what it sees of the published copy never changes, whatever is published later.

    Raises:
        duckdb.Error: the file is no database that this DuckDB reads.
    """
    connection = quiet(duckdb.connect(config={"temp_directory": tempfile.gettempdir()}))
    try:
        attach_published(connection, files, may_write=may_write)
    except BaseException:
        connection.close()
        raise
    return connection


def quiet(connection: DuckDBPyConnection) -> DuckDBPyConnection:
    """Keep a connection and its cursors from drawing a bar into the standard output, as DuckDB 2 does after two seconds."""
    # In a notebook without the package that draws it, there is none to keep away.
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")
    return connection


def attach_published(connection: DuckDBPyConnection, files: LedgerFiles, *, may_write: bool) -> None:
    """Attach the published copy for reading, under the name of ``BASE``; see ``connect_published``."""
    if may_write:
        with suppress(duckdb.Error, OSError):
            _attach_link(connection, files)
            return
    try:
        _attach_path(connection, files.published)
    except duckdb.Error:
        with suppress(duckdb.Error, OSError):
            _attach_copy(connection, files)
            return
        raise


def _attach_link(connection: DuckDBPyConnection, files: LedgerFiles) -> None:
    """Attach by another name, since in one process DuckDB refuses to open one path in two ways."""
    link = files.folder / f"{TEMPORARY}{uuid4().hex}.duckdb"
    os.link(files.published, link)
    try:
        _attach_path(connection, link)
    finally:
        link.unlink(missing_ok=True)


def _attach_copy(connection: DuckDBPyConnection, files: LedgerFiles) -> None:
    """Attach a copy: somebody has opened the published file for writing, which locks everyone else out."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.duckdb")
        shutil.copyfile(files.published, copy)
        _attach_path(connection, copy)


def _attach_path(connection: DuckDBPyConnection, path: Path) -> None:
    quoted = str(path).replace("'", "''")
    connection.execute(f"ATTACH '{quoted}' AS {BASE} (READ_ONLY, TYPE duckdb)")


@contextmanager
def transaction(connection: DuckDBPyConnection) -> Iterator[None]:
    """Commit what is done within, or nothing of it."""
    connection.execute("BEGIN")
    try:
        yield
    except BaseException:
        with suppress(duckdb.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def offsets_in(connection: DuckDBPyConnection, catalog: str | None = None) -> dict[str, int]:
    """Return how much of each segment a database holds, in bytes by name."""
    table = f"{catalog}.segments" if catalog else "segments"
    return dict(connection.execute(f"SELECT name, max(ingested_bytes) FROM {table} GROUP BY name").fetchall())  # noqa: S608
