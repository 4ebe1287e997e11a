"""DuckDB connections to a ledger's files: to the working file for the ingester, to the published copy for everyone else; and whether that copy is damaged."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from uuid import uuid4

import duckdb
from duckdb import (
    DuckDBPyConnection,
    Error,
    FatalException,
    InternalException,
    IOException,
    SerializationException,
)

from actionledger.core.errors import LedgerError
from actionledger.core.text import sql_text
from actionledger.ledger.storage import spare
from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles, wal_of
from actionledger.ledger.storage.memory import (
    Instance,
    begin,
    borrowed,
    first_limit,
    quiet,
    within_reading_limit,
)

STORAGE_VERSION = "v1.5.0"
"""The newest storage format that every supported DuckDB reads: 1.5 can't read 2.0's default."""

STORE_THREADS = 1
"""The threads of an ingest: it runs next to a user's work, and several threads take half as much processor time again."""

STORE_MEMORY = "96MB"
"""The memory for a working file. Without a limit DuckDB keeps all that it has written, up to most of the machine's memory."""

LITTLE_STORE_MEMORY = "48MB"
"""The memory for small pieces, which mostly come from the process that parses them and so needs memory itself."""

MUCH_STORE_MEMORY = "192MB"
"""The memory for many large pieces in a row: with 128 MB, a twelfth of the database's work is evicting data that is needed again."""

MORE_STORE_MEMORY = "192MB"
"""The next limit if memory is short, before there is none: two thousand texts of 20 KB fit, which take twice as much without a limit."""

SMALL_FILE = 64_000_000
"""A published copy of fewer bytes is read by one thread. DuckDB gives each thread a hundred thousand rows or more. Threads that wait for each other
take a tenth to a third more processor time.
"""

STORE_LOG = "128MB"
"""The size of the write-ahead log at which DuckDB checkpoints a working file: usually more than is added while it is open."""

MUCH_STORE_LOG = "512MB"
"""The same for many pieces in a row: each checkpoint writes the neighbours of the last rows once more."""

BASE = "base"
"""The name under which the published copy is attached."""


ROW_GROUP_ROWS = 61_440
"""The rows of a row group in the file, half of DuckDB's default. Each checkpoint rewrites incomplete row groups: with the default this takes twice as
long for half a million new turns, and the file is a fifth larger.
"""

_STORE = "store"
_STORE_CONFIG: dict[str, str | int] = {
    "storage_compatibility_version": STORAGE_VERSION,
    "threads": STORE_THREADS,
}


def connect_store(path: Path) -> DuckDBPyConnection:
    """Open a working file for reading and writing without a memory limit; create it if it doesn't exist."""
    bounds = {"checkpoint_threshold": STORE_LOG, "temp_directory": f"{path}.tmp"}
    connection = quiet(duckdb.connect(config={**_STORE_CONFIG, **bounds}))
    try:
        connection.execute(f"{attach_to_write(path, _STORE)}; USE {_STORE}")
    except BaseException:
        connection.close()
        raise
    return connection


def attach_to_write(path: Path, name: str, *options: str) -> str:
    """Return the statement that attaches a ledger's file for writing."""
    chosen = ", ".join(("TYPE duckdb", f"ROW_GROUP_SIZE {ROW_GROUP_ROWS}", *options))
    return f"ATTACH {sql_text(path)} AS {name} ({chosen})"


@contextmanager
def store(
    path: Path,
    memory: str = STORE_MEMORY,
    *,
    log: str = STORE_LOG,
    watched_of: LedgerFiles | None = None,
) -> Iterator[DuckDBPyConnection]:
    """Give a connection whose current database is a working file, for reading and writing in little memory."""
    bounds = {"memory_limit": memory, "checkpoint_threshold": log, "temp_directory": tempfile.gettempdir()}
    config = _STORE_CONFIG | bounds
    with (
        borrowed(config, _STORE) as connection,
        nullcontext() if watched_of is None else spare.watched(watched_of, connection),
    ):
        connection.execute(f"SET temp_directory = {sql_text(f'{path}.tmp')}")
        connection.execute(f"{attach_to_write(path, _STORE)}; USE {_STORE}")
        if watched_of is not None:
            spare.begin(watched_of)
        yield connection
        connection.execute(f"USE memory; DETACH {_STORE}")


def begin_published(files: LedgerFiles, *, may_write: bool) -> Instance:
    """Return an in-memory DuckDB with the published copy attached for reading."""
    instance = begin(_reading_config(files))
    try:
        with within_reading_limit():
            attach_published(instance.connection, files, may_write=may_write)
    except BaseException:
        instance.connection.close()
        raise
    return instance


@contextmanager
def published(files: LedgerFiles, *, may_write: bool) -> Iterator[DuckDBPyConnection]:
    """Give a connection as from ``begin_published``; the copy is closed at the end."""
    with within_reading_limit(), borrowed(_reading_config(files), BASE) as connection:
        attach_published(connection, files, may_write=may_write)
        yield connection


def _reading_config(files: LedgerFiles) -> dict[str, str | int]:
    limit: dict[str, str | int] = {"memory_limit": first_limit()}
    is_small = files.published.exists() and files.published.stat().st_size < SMALL_FILE
    return limit | {"threads": 1} if is_small else limit


def attach_published(connection: DuckDBPyConnection, files: LedgerFiles, *, may_write: bool) -> None:
    """Attach the published copy for reading, under the name of ``BASE``; see ``begin_published``."""
    if may_write:
        with suppress(duckdb.Error, OSError):
            # Attach under another name, since within a process DuckDB refuses to open one path in two ways.
            link = files.folder / f"{TEMPORARY}{uuid4().hex}.duckdb"
            os.link(files.published, link)
            try:
                _attach_path(connection, link)
            finally:
                with suppress(OSError):  # the next ingester removes it
                    link.unlink(missing_ok=True)
            return
    try:
        if wal_of(files.published).exists():  # another program's, and it may belong to the previous copy
            _attach_copy(connection, files)
        else:
            _attach_path(connection, files.published)
    except duckdb.Error:
        with suppress(duckdb.Error, OSError):
            _attach_copy(connection, files)
            return
        raise


def _attach_copy(connection: DuckDBPyConnection, files: LedgerFiles) -> None:
    """Attach a copy: another program has opened the published file for writing, which locks everyone else out, or left a log next to it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.duckdb")
        shutil.copyfile(files.published, copy)
        _attach_path(connection, copy)


def _attach_path(connection: DuckDBPyConnection, path: Path) -> None:
    connection.execute(f"ATTACH {sql_text(path)} AS {BASE} (READ_ONLY, TYPE duckdb)")


@contextmanager
def transaction(connection: DuckDBPyConnection) -> Iterator[None]:
    """Commit everything within the context, or nothing."""
    connection.execute("BEGIN")
    try:
        yield
    except BaseException:
        with suppress(duckdb.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def offsets_in(connection: DuckDBPyConnection, catalog: str | None = None) -> dict[str, int]:
    """Return how many bytes of each segment a database holds, by name."""
    table = f"{catalog}.segments" if catalog else "segments"
    return dict(connection.execute(f"SELECT name, max(ingested_bytes) FROM {table} GROUP BY name").fetchall())  # noqa: S608


_DAMAGE = (IOException, FatalException, InternalException, SerializationException)


def is_damage(error: Exception) -> bool:
    """Return whether an error is one that DuckDB raises for an unreadable file."""
    # DuckDB 2 has no error class of its own for a wrong block checksum.
    return isinstance(error, _DAMAGE) or type(error) is Error


def damage_sentence(what: str, error: Exception) -> str:
    """Return a sentence about a file, named in words, that can't be read because of DuckDB's error; see ``is_damage``."""
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
