"""Move a whole ledger from a file into a lake or back, compared row by row: all of it or nothing.

A file's chain comes along: it becomes the first one of the lake, and ends there. A lake has several chains, for which a file has no room:
the file's own chain begins with the copied rows.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from duckdb import DuckDBPyConnection

from actionledger.core.errors import LedgerError, UsageError
from actionledger.core.processes import FileLock
from actionledger.core.text import sql_text
from actionledger.ledger.storage.chain import FIRST
from actionledger.ledger.storage.comments import comment_on_everything
from actionledger.ledger.storage.connections import BASE, STORAGE_VERSION, attach_to_write, transaction
from actionledger.ledger.storage.files import LedgerFiles, one_sentence, remove_database, sync_to_disk
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.place import is_place
from actionledger.ledger.storage.lake.store import LakeStore
from actionledger.ledger.storage.local import store_at
from actionledger.ledger.storage.schema import LINK, PROOFS, QUARANTINE, TABLES, Table
from actionledger.ledger.storage.segments import has_live_writer
from actionledger.ledger.storage.store import Publishing, Store
from actionledger.ledger.storage.stored import begin_anew
from actionledger.ledger.upkeep.migrations import make_ledger

_OTHER = "other"
_PATIENCE_SECONDS = 60.0
_TABLES = (*TABLES, QUARANTINE)
_KEPT = ("effects", "manifests", "taken.json", "saved-*.json")
"""The files copied from the folder next to a ledger. Locks, segments and limits stay with the old place."""


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """The report of moving a ledger to another place."""

    rows: dict[str, int]  # how many rows each table has, the same in both places


def migrate(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> MigrationReport:
    """Copy a whole ledger to a blank lake or a new file, its segments ingested first; the source is unchanged. One of the two is a lake."""
    if folder := next((each for each in (source, target) if Path(each).is_dir()), None):
        raise UsageError(
            f"{folder} is a folder; give a ledger's file, or the file that says where a lake is."
        )
    if is_place(Path(source)) == is_place(Path(target)):
        kind = "lakes: migrate to a file in between" if is_place(Path(source)) else "files: copy the one"
        raise UsageError(f"{source} and {target} are both {kind}.")
    with one_sentence(f"{source} can't be migrated to {target}"):
        store = store_at(source, read_only=False)
        with _drained(store.files, store):
            if isinstance(store, LakeStore):
                return _to_file(store, LedgerFiles.at(target))
            other = store_at(target, read_only=False)
            assert isinstance(other, LakeStore)
            with closing(other):
                return _to_lake(store.files, other)


@contextmanager
def _drained(files: LedgerFiles, store: Store) -> Iterator[None]:
    """Ingest the segments, and let nobody else ingest within the context."""
    store.ingest(Publishing.AT_THE_END, patience=_PATIENCE_SECONDS)
    lock = FileLock(files.ingest_lock)
    if not lock.acquire(_PATIENCE_SECONDS):
        raise LedgerError(
            f"Somebody else has been taking in what {files.published} holds for a minute; try again."
        )
    try:
        if files.forgetting.exists():
            raise LedgerError(
                f"Sessions of {files.published} are being forgotten: 'actionledger forget' goes on with what was begun; then migrate."
            )
        if has_live_writer(files.segments):
            raise LedgerError(
                f"Somebody still writes to {files.published}: end the agents first, then migrate."
            )
        yield
    finally:
        lock.release()
        store.close()


def _to_lake(files: LedgerFiles, lake: LakeStore) -> MigrationReport:
    with closing(connect_lake(lake.place, writes=True)) as connection:
        for table in _TABLES:
            if connection.execute(f"SELECT 1 FROM {BASE}.{table.name} LIMIT 1").fetchall():
                raise LedgerError(
                    f"The lake of {lake.files.published} holds rows already, in {table.name}: a migration needs a blank one."
                )
        connection.execute(f"ATTACH {sql_text(files.published)} AS {_OTHER} (READ_ONLY, TYPE duckdb)")
        _copy_files(files, lake.files)
        with transaction(connection):
            migrated = _copy(connection, _OTHER, BASE, (LINK,))
            # Replace the first chain of a lake, which is empty, by the file's chain.
            connection.execute(f"DELETE FROM {BASE}.links WHERE link = {FIRST}")
            for name in PROOFS:
                connection.execute(f"INSERT INTO {BASE}.{name} BY NAME FROM {_OTHER}.{name}")
            return migrated


def _to_file(lake: LakeStore, files: LedgerFiles) -> MigrationReport:
    if files.published.exists() or files.store.exists():
        raise LedgerError(
            f"There is a ledger at {files.published} already: a migration needs the path of a new file."
        )
    files.make_folders()
    new = Path(f"{files.published}.migrating")
    remove_database(new)
    try:
        with closing(lake.connect(may_write=True).connection) as connection:
            connection.execute(attach_to_write(new, _OTHER, f"STORAGE_VERSION {sql_text(STORAGE_VERSION)}"))
            new.chmod(0o600)
            cursor = connection.cursor()
            cursor.execute(f"USE {_OTHER}")
            make_ledger(cursor)
            comment_on_everything(cursor)
            with transaction(connection):
                migrated = _copy(connection, BASE, _OTHER, ())
            connection.execute(f"CHECKPOINT {_OTHER}")
        begin_anew(new)
        _copy_files(lake.files, files)
        sync_to_disk(new)
        new.replace(files.published)
        sync_to_disk(files.published.parent)
    finally:
        remove_database(new)
    return migrated


def _copy(
    connection: DuckDBPyConnection, source: str, target: str, beside: tuple[str, ...]
) -> MigrationReport:
    """Copy every table, then count and hash it in both places."""
    rows = {}
    for table in _TABLES:
        columns = ", ".join(f'"{name}"' for name in (*table.columns, *beside))
        connection.execute(
            f"INSERT INTO {target}.{table.name} ({columns}) SELECT {columns} FROM {source}.{table.name}"
        )
        before, after = (_content(connection, place, table, columns) for place in (source, target))
        if before != after:
            raise LedgerError(
                f"The table {table.name} has {before[0]:,} rows here and {after[0]:,} there, or not the same ones."
            )
        rows[table.name] = before[0]
    connection.execute(f"UPDATE {target}.meta SET created_at = (SELECT min(created_at) FROM {source}.meta)")
    return MigrationReport(rows)


def _content(connection: DuckDBPyConnection, place: str, table: Table, columns: str) -> tuple[int, int]:
    """Return a table's number of rows, and the sum of their hashes."""
    [(count, total)] = connection.execute(
        f"SELECT count(*), coalesce(sum(hash({columns})::HUGEINT), 0) FROM {place}.{table.name}"
    ).fetchall()
    return int(count), int(total)


def _copy_files(source: LedgerFiles, target: LedgerFiles) -> None:
    for pattern in _KEPT:
        for found in source.folder.glob(pattern):
            copy = target.folder / found.name
            if found.is_dir():
                shutil.copytree(found, copy, dirs_exist_ok=True)
            else:
                shutil.copy2(found, copy)
