"""What is deleted goes out of the files as well: the working file is made anew, published, and lines of live segments are blanked."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from duckdb import DuckDBPyConnection

from actionledger.core.errors import LedgerError
from actionledger.ledger.storage.chain import Chain
from actionledger.ledger.storage.connections import connect_store, offsets_in
from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles, remove_folder, sync_to_disk, wal_of
from actionledger.ledger.storage.publishing import publish
from actionledger.ledger.storage.rollups.keeping import forget_rolled_up
from actionledger.ledger.storage.segments import remove_finished
from actionledger.ledger.storage.working_file import open_store
from actionledger.ledger.upkeep.forgetting.blanking import blank_lines, gone_of_nobody
from actionledger.ledger.upkeep.forgetting.intent import Intent
from actionledger.ledger.upkeep.forgetting.records import forget_records


def finish_records(files: LedgerFiles, intent: Intent, take_in: Callable[[DuckDBPyConnection], None]) -> None:
    """Have nothing of some sessions left in the records of a ledger; whoever is killed here is followed by the next one."""
    with closing(open_store(files)) as connection:
        take_in(connection)
        forget_records(connection, intent, Chain(connection))
        forget_rolled_up(files, connection)
        connection.execute("CHECKPOINT")
        offsets = offsets_in(connection)
        gone = gone_of_nobody(connection, files.segments, offsets)
    _make_anew(files)
    files.spare.unlink(missing_ok=True)
    publish(files)
    files.spare.unlink(missing_ok=True)  # the copy before, which has all of it
    files.unpublished.unlink(missing_ok=True)
    remove_finished(files.segments, offsets)
    blank_lines(files.segments, frozenset(intent.sessions), gone)
    for spilled in (Path(f"{files.store}.tmp"), Path(f"{files.published}.tmp")):
        remove_folder(spilled)
    files.forgetting.unlink(missing_ok=True)
    sync_to_disk(files.folder)


def _make_anew(files: LedgerFiles) -> None:
    """Copy the working file's rows into a new one, in their order, and put it in its place: free pages still hold what was deleted."""
    new = files.folder / f"{TEMPORARY}anew.duckdb"
    _remove(new)
    try:
        _copy(files, new)
    except BaseException:
        _remove(new)  # where the disk is full, whoever makes room for the next try has this much of it
        raise
    sync_to_disk(new)
    wal_of(files.store).unlink(missing_ok=True)
    new.replace(files.store)
    sync_to_disk(files.folder)


def _copy(files: LedgerFiles, new: Path) -> None:
    with closing(connect_store(new)) as connection:
        quoted = str(files.store).replace("'", "''")
        connection.execute(f"ATTACH '{quoted}' AS kept (READ_ONLY, TYPE duckdb)")
        connection.execute(f"COPY FROM DATABASE kept TO {_current(connection)}")
        for (table,) in connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'kept'"
        ).fetchall():
            counts = [
                connection.execute(f"SELECT count(*) FROM {catalog}{table}").fetchone()  # noqa: S608 (its own names)
                for catalog in ("kept.", "")
            ]
            if counts[0] != counts[1]:
                raise LedgerError(f"The table {table} of {files.store} can't be copied whole: try again.")
        connection.execute("DETACH kept")
        connection.execute("CHECKPOINT")
    new.chmod(0o600)


def _remove(database: Path) -> None:
    for path in (database, wal_of(database)):
        path.unlink(missing_ok=True)


def _current(connection: DuckDBPyConnection) -> str:
    [(name,)] = connection.execute("SELECT current_database()").fetchall()
    return '"{}"'.format(str(name).replace('"', '""'))
