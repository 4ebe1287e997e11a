"""The ingester's working file: made, adopted from a published copy, migrated. The caller holds the ingest lock."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.clock import now
from actionledger.ledger.storage.chain import begin
from actionledger.ledger.storage.comments import comment_on_everything
from actionledger.ledger.storage.connections import (
    MORE_STORE_MEMORY,
    STORE_LOG,
    STORE_MEMORY,
    connect_store,
    store,
)
from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles, sync_to_disk, wal_of
from actionledger.ledger.storage.rollups import tables as rollups
from actionledger.ledger.storage.schema import SCHEMA_VERSION
from actionledger.ledger.storage.sealing import begin_chain
from actionledger.ledger.storage.versions import version_in
from actionledger.ledger.upkeep.migrations import make_ledger, migrate

Result = TypeVar("Result")

_WANTS_MEMORY = re.compile("out of memory|failed to (pin|allocate)|could not allocate", re.IGNORECASE)


def with_store(files: LedgerFiles, work: Callable[[DuckDBPyConnection], Result]) -> Result:
    """Do something with the working file, in little memory if that is enough.

    DuckDB holds the texts of two thousand rows at once when it writes a column: a few dozen of the longest don't fit, and would never
    be published.
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
    """Return whether it is for want of memory that DuckDB can't go on."""
    return _WANTS_MEMORY.search(str(error)) is not None


@contextmanager
def opened(files: LedgerFiles, memory: str, log: str = STORE_LOG) -> Iterator[DuckDBPyConnection]:
    """Give what ``open_store`` returns, but in so much memory, and with so long a log; see ``store``."""
    if not files.store.exists():
        make_store(files)
    with store(files.store, memory, log=log, watched_of=files) as connection:
        _bring_up_to_date(connection)
        yield connection


def open_store(files: LedgerFiles) -> DuckDBPyConnection:
    """Open the working file at the newest version of the schema, in as much memory as it takes."""
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
    """Have the working file hold all there is at the newest version of the schema, for whoever copies it."""
    if files.store.exists():
        with_store(files, lambda connection: connection.execute("CHECKPOINT"))
    else:
        make_store(files)


def make_store(files: LedgerFiles) -> None:
    """Make the working file: under another name first, so that whoever is killed leaves none that is half made."""
    new = files.folder / f"{TEMPORARY}store.duckdb"
    for leftover in (new, wal_of(new)):  # of whoever was killed at it
        leftover.unlink(missing_ok=True)
    if files.published.exists():
        shutil.copyfile(files.published, new)
        with store(new) as connection:
            _bring_up_to_date(connection)
            connection.execute("CHECKPOINT")
    else:
        new.write_bytes(_blank())
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


@cache
def _blank() -> bytes:
    """Return a ledger that holds nothing, as a file.

    Made once in a process: its comments alone take 90 ms of processor time, as long as all else that opening a new ledger takes.
    """
    with TemporaryDirectory(prefix="actionledger-blank-") as folder:
        path = Path(folder, "blank.duckdb")
        with store(path) as connection:
            make_ledger(connection)
            comment_on_everything(connection)
            connection.execute("CHECKPOINT")
        return path.read_bytes()
