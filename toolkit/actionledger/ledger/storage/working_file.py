"""The ingester's working file: create it, copy it from a published one, migrate it. The caller holds the ingest lock.

A blank ledger is made once, and cached for the user's next process that creates a ledger.
"""

import os
import re
import shutil
import zlib
from collections.abc import Callable, Hashable, Iterator
from contextlib import closing, contextmanager
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import duckdb
from duckdb import DuckDBPyConnection

from actionledger._version import __version__
from actionledger.core.errors import LedgerError, NotALedgerError
from actionledger.core.files import cached, keep_cached
from actionledger.core.ids import now
from actionledger.core.patterns import regex
from actionledger.core.processes import FileLock
from actionledger.ledger.storage.chain import begin
from actionledger.ledger.storage.comments import comment_on_everything, meanings
from actionledger.ledger.storage.connections import (
    MORE_STORE_MEMORY,
    ROW_GROUP_ROWS,
    STORAGE_VERSION,
    STORE_LOG,
    STORE_MEMORY,
    connect_store,
    published,
    store,
)
from actionledger.ledger.storage.files import (
    TEMPORARY,
    LedgerFiles,
    one_sentence,
    remove_database,
    sync_to_disk,
    wal_of,
)
from actionledger.ledger.storage.hosts import claim
from actionledger.ledger.storage.publishing import publish
from actionledger.ledger.storage.rollups import tables as rollups
from actionledger.ledger.storage.schema import BOOKKEEPING, SCHEMA_VERSION, TABLES, VIEWS
from actionledger.ledger.storage.stored import begin_chain
from actionledger.ledger.upkeep.migrations import make_ledger, migrate, version_in, version_of_copy

_NAME = "blank-ledger"


@cache
def blank() -> bytes:
    """Return a ledger that holds nothing, as a file.

    Making it takes 110 ms of processor time, 60 of it for comments: more than the rest of opening a new ledger.
    """
    key = _key()
    kept = _kept(key)
    if kept is None:
        kept = _made()
        keep_cached(_NAME, key, zlib.compress(kept))
    return kept


def _key() -> bytes:
    """Return a key of everything that a blank ledger depends on."""
    made_of = (
        *(table.ddl for table in TABLES),
        *BOOKKEEPING,
        *(f"{name} {select}" for name, select in VIEWS.items()),
        *meanings(),
    )
    made_by = (__version__, duckdb.__version__, STORAGE_VERSION, ROW_GROUP_ROWS, SCHEMA_VERSION)
    return blake2b("\0".join(map(str, (*made_by, *made_of))).encode()).digest()


def _kept(key: bytes) -> bytes | None:
    """Return the cached bytes; None if missing or damaged."""
    kept = cached(_NAME, key)
    try:
        return None if kept is None else zlib.decompress(kept)
    except zlib.error:
        return None


def _made() -> bytes:
    with TemporaryDirectory(prefix="actionledger-blank-") as folder:
        path = Path(folder, "blank.duckdb")
        with store(path) as connection:
            make_ledger(connection)
            comment_on_everything(connection)
            connection.execute("CHECKPOINT")
        return path.read_bytes()


Result = TypeVar("Result")

_WANTS_MEMORY = regex("out of memory|failed to (pin|allocate)|could not allocate", re.IGNORECASE)


def with_store(files: LedgerFiles, work: Callable[[DuckDBPyConnection], Result]) -> Result:
    """Run a function on the working file, in little memory if that is enough.

    To write a column, DuckDB holds the texts of two thousand rows. A few dozen of the longest don't fit into little memory, and would never be
    published.
    """
    for memory in (STORE_MEMORY, MORE_STORE_MEMORY):
        try:
            with opened(files, memory) as connection:
                return work(connection)
        except duckdb.Error as error:
            if not wants_memory(error):
                raise
    with closing(open_store(files)) as connection:
        return work(connection)


def wants_memory(error: Exception) -> bool:
    """Return whether an error of DuckDB is due to a lack of memory."""
    return _WANTS_MEMORY.search(str(error)) is not None


@contextmanager
def opened(files: LedgerFiles, memory: str, log: str = STORE_LOG) -> Iterator[DuckDBPyConnection]:
    """Give a connection as from ``open_store``, with limits on memory and log size; see ``store``."""
    if not files.store.exists():
        make_store(files)
    with store(files.store, memory, log=log, watched_of=files) as connection:
        _bring_up_to_date(connection)
        yield connection


def open_store(files: LedgerFiles) -> DuckDBPyConnection:
    """Open the working file at the newest schema version, without a memory limit."""
    if not files.store.exists():
        make_store(files)
    connection = connect_store(files.store)
    try:
        _bring_up_to_date(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def bring_up_to_date(files: LedgerFiles) -> None:
    """Make the working file complete and current, for copying it."""
    if files.store.exists():
        with_store(files, lambda connection: connection.execute("CHECKPOINT"))
    else:
        make_store(files)


def make_store(files: LedgerFiles) -> None:
    """Create the working file: under a temporary name first, so that a kill leaves no half of one."""
    new = files.folder / f"{TEMPORARY}store.duckdb"
    remove_database(new)  # of a killed process
    if files.published.exists():
        shutil.copyfile(files.published, new)
        with store(new) as connection:
            _bring_up_to_date(connection)
            connection.execute("CHECKPOINT")
    else:
        new.write_bytes(blank())
        with store(new) as connection:
            connection.execute("UPDATE meta SET created_at = ?", [now()])
            begin(connection)
            connection.execute("CHECKPOINT")
    new.chmod(0o600)
    sync_to_disk(new)
    wal_of(files.store).unlink(missing_ok=True)
    new.replace(files.store)
    sync_to_disk(files.folder)


def _bring_up_to_date(connection: DuckDBPyConnection) -> None:
    is_older = version_in(connection) != SCHEMA_VERSION
    migrate(connection)
    if is_older:
        comment_on_everything(connection)
        rollups.remove(connection)
    begin_chain(connection)


_PATIENCE_SECONDS = 60.0
_MAGIC, _MAGIC_AT = b"DUCK", 8


def open_or_make(path: str | os.PathLike[str], *, read_only: bool) -> tuple[LedgerFiles, Hashable]:
    """Check a ledger's files and, if they may be written, create what is missing; return them, and a new blank published copy's state, else None."""
    files, blank = LedgerFiles.at(path), None
    with one_sentence(f"The ledger {files.published} can't be opened"):
        if read_only:
            if not is_database(files.published):
                raise LedgerError(f"There is no ledger {files.published} to read.")
            return files, None
        version = _published_version(files)
        make_ready(files)
        if version < SCHEMA_VERSION:
            lock = FileLock(files.ingest_lock)
            if not lock.acquire(_PATIENCE_SECONDS):
                raise LedgerError(
                    f"Somebody else has been making or migrating {files.published} for a minute; try again."
                )
            try:
                if _published_version(files) < SCHEMA_VERSION:  # nobody did it while we waited
                    is_made = version == 0 and not files.store.exists()
                    bring_up_to_date(files)
                    publish(files)
                    blank = files.state_of_copy() if is_made else None
            finally:
                lock.release()
    return files, blank


def make_ready(files: LedgerFiles) -> None:
    """Create the folders that a writer needs; raise if one is not writable."""
    for folder in (
        next(
            candidate
            for candidate in (files.published.parent, *files.published.parent.parents)
            if candidate.exists()
        ),
        files.folder,
        files.segments,
    ):
        if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
            raise LedgerError(
                f"The folder {folder} can't be written to; a ledger there can only be read (in Python with read_only=True)."
            )
    files.refuse_links()
    files.make_folders()
    claim(files)


def _published_version(files: LedgerFiles) -> int:
    """Return the published copy's schema version; 0 if there is none."""
    path = files.published
    if not is_database(path):
        return 0
    status = path.stat()
    copy = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    # A log that somebody left next to the copy may have another version.
    return _version_in_file(files) if wal_of(path).exists() else _version_of_copy(files, copy)


@lru_cache(maxsize=64)
def _version_of_copy(files: LedgerFiles, _copy: tuple[int, ...]) -> int:
    """Return the version of an unchanged copy, cached: starting a DuckDB is most of the time to open a ledger."""
    return _version_in_file(files)


def _version_in_file(files: LedgerFiles) -> int:
    with published(files, may_write=False) as connection:
        return version_of_copy(connection, files.published)


def is_database(path: Path) -> bool:
    """Return whether a file exists; raise if it is not a DuckDB database."""
    if not path.exists():
        return False
    if path.is_dir():
        raise NotALedgerError(f"{path} is a folder, not a ledger.")
    with path.open("rb") as file:
        # Checked first, since DuckDB searches the network for an extension if the file is another system's database.
        if file.read(_MAGIC_AT + len(_MAGIC))[_MAGIC_AT:] != _MAGIC:
            raise NotALedgerError(
                f"{path} is not a DuckDB database; give the path of a ledger or of a new file."
            )
    return True
