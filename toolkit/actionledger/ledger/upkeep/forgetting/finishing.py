"""What is deleted goes out of the files as well: the working file is made anew, published, and lines of live segments are blanked."""

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from duckdb import DuckDBPyConnection

from actionledger.core.errors import LedgerError
from actionledger.ledger.storage.chain import Chain
from actionledger.ledger.storage.connections import connect_store, offsets_in
from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles, remove_folder, sync_to_disk, wal_of
from actionledger.ledger.storage.publishing import publish
from actionledger.ledger.storage.rollups.state import forget_rolled_up
from actionledger.ledger.storage.segments import remove_finished, segment_sizes
from actionledger.ledger.storage.working_file import open_store
from actionledger.ledger.upkeep.forgetting.intent import Intent
from actionledger.ledger.upkeep.forgetting.records import forget_records

_KEPT = (
    "SELECT event_id::VARCHAR FROM events "
    "SEMI JOIN (SELECT unnest(string_split(?, ','))::UUID AS event_id) USING (event_id)"
)


def blank_lines(segments: Path, session_ids: Collection[str], event_ids: Collection[str] = ()) -> int:
    """Put blanks over lines in segments; return over how many. What is blank is passed over by whoever takes it in."""
    needles = [each.encode() for each in (*session_ids, *event_ids)]
    blanked = 0
    for name in segment_sizes(segments):
        with suppress(FileNotFoundError), (segments / name).open("r+b", buffering=0) as file:
            for start, line in _whole_lines(file.fileno()):
                if any(needle in line for needle in needles) and _is_of(line, session_ids, event_ids):
                    os.pwrite(file.fileno(), b" " * (len(line) - 1), start)
                    blanked += 1
            os.fsync(file.fileno())
    return blanked


def gone_of_nobody(
    connection: DuckDBPyConnection, segments: Path, offsets: Mapping[str, int]
) -> frozenset[str]:
    """Return the events of no session that segments still have and the records have not: tools that were theirs alone, notes on their runs."""
    there = dict(_lines_of_nobody(segments, offsets))
    if not there:
        return frozenset()
    known = {event_id for (event_id,) in connection.execute(_KEPT, [",".join(there)]).fetchall()}
    tools = {tools_hash for (tools_hash,) in connection.execute("SELECT tools_hash FROM tools").fetchall()}
    return frozenset(
        event_id
        for event_id, tools_hash in there.items()
        if event_id not in known or (tools_hash and tools_hash not in tools)
    )


def _lines_of_nobody(segments: Path, offsets: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield the events of no session that were taken in, each with the hash of the tools that it offers, if any."""
    for name in segment_sizes(segments):
        with suppress(FileNotFoundError), (segments / name).open("rb", buffering=0) as file:
            for start, line in _whole_lines(file.fileno()):
                if start >= offsets.get(name, 0):
                    break
                event = _event(line)
                if event.get("session_id") is None and "event_id" in event:
                    yield str(event["event_id"]).lower(), str(event.get("tools_hash") or "")


def _whole_lines(descriptor: int) -> Iterator[tuple[int, bytes]]:
    """Yield each line that has its end, and where it begins, in bytes."""
    start = 0
    with open(descriptor, "rb", closefd=False) as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield start, line
            start += len(line)


def _is_of(line: bytes, session_ids: Collection[str], event_ids: Collection[str]) -> bool:
    """Return whether a line is of one of the sessions or events, and does not only mention it; one that can't be read is."""
    event = _event(line)
    if not event:
        return True
    return (
        str(event.get("session_id")).lower() in session_ids or str(event.get("event_id")).lower() in event_ids
    )


def _event(line: bytes) -> dict[str, Any]:
    """Return what a line says; nothing where it can't be read."""
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


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
