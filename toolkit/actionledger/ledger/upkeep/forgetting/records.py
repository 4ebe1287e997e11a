"""Erase the records of sessions in one transaction: count them, keep their digests, delete them, and record the erasure."""

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from duckdb import DuckDBPyConnection

from actionledger.core.errors import LedgerError
from actionledger.core.events import SessionForgotten
from actionledger.core.text import sql_text
from actionledger.core.vocabulary import ForgettingStep
from actionledger.ledger.storage.chain import Cells, Chain, draw_salts
from actionledger.ledger.storage.connections import connect_store, offsets_in, transaction
from actionledger.ledger.storage.files import (
    TEMPORARY,
    LedgerFiles,
    remove_database,
    remove_folder,
    sync_to_disk,
    wal_of,
)
from actionledger.ledger.storage.insertion import Staging
from actionledger.ledger.storage.projection import fit, rows_of
from actionledger.ledger.storage.publishing import publish
from actionledger.ledger.storage.rollups.state import forget_rolled_up
from actionledger.ledger.storage.schema import ENDS, OF_SESSION, QUARANTINE, TABLES
from actionledger.ledger.storage.segments import remove_finished, segment_sizes
from actionledger.ledger.storage.stored import Rows, rows_of_sessions, rows_that, withdraw
from actionledger.ledger.storage.working_file import open_store
from actionledger.ledger.upkeep.forgetting.intent import Intent

_TABLES = {table.name: table for table in TABLES}
_PICKED = "picked_to_forget"
_THEIRS = "IN (SELECT session_id FROM picked_to_forget)"
_OF_SESSIONS = f"t.session_id {_THEIRS}"
_ORPHANED_RUNS = """
t.session_id IS NULL AND t.run_id IN (
    SELECT run_id FROM session_starts WHERE session_id IN (SELECT session_id FROM picked_to_forget)
    EXCEPT SELECT run_id FROM session_starts WHERE session_id NOT IN (SELECT session_id FROM picked_to_forget)
    EXCEPT SELECT run_id FROM turn_starts WHERE session_id NOT IN (SELECT session_id FROM picked_to_forget))"""
"""Selects notes of runs that were about nothing else: they may quote a line that could not be parsed."""

_ENDED = """
t.run_id IN (
    SELECT run_id FROM run_ends
    INTERSECT (SELECT run_id FROM session_starts WHERE session_id IN (SELECT session_id FROM picked_to_forget)
               EXCEPT SELECT run_id FROM session_starts WHERE session_id NOT IN (SELECT session_id FROM picked_to_forget)
               EXCEPT SELECT run_id FROM turn_starts WHERE session_id NOT IN (SELECT session_id FROM picked_to_forget)))"""
"""Selects what such runs record about themselves and their files, whose names may be the sessions'; only if the run has ended."""

_OF_RUNS = ("run_ends", "run_starts", "left_out")
"""Deleted from the last to the first, since the end of a run selects the others' rows."""

_ONLY_THEIR_TOOLS = """
t.tools_hash IN (
    SELECT tools_hash FROM turn_starts WHERE session_id IN (SELECT session_id FROM picked_to_forget)
    EXCEPT SELECT tools_hash FROM turn_starts WHERE session_id NOT IN (SELECT session_id FROM picked_to_forget))"""
_QUARANTINED = (
    "EXISTS (SELECT 1 FROM picked_to_forget AS p WHERE contains(lower(t.line), p.session_id::VARCHAR))"
)


class _Part(NamedTuple):
    """Rows of one table to delete."""

    table: str
    condition: str


def forget_records(connection: DuckDBPyConnection, intent: Intent, chain: Chain) -> None:
    """Delete all records of sessions, and record the erasure; a second call does nothing."""
    asked = "SELECT count(*) FROM events WHERE event_id IN (SELECT unnest(string_split(?, ','))::UUID)"
    if connection.execute(asked, [",".join(intent.events.values())]).fetchone() != (0,):
        return
    _pick(connection, intent)
    events = list(_events(intent, _counts(connection, list(_parts()))))
    staging = Staging()
    cells = _staged(events, staging)
    with transaction(connection):
        withdrawn = _take_away(connection, intent, chain)
        staging.insert(connection, chain.head.link + 1)
        salts = draw_salts(cells.salted_by)
        chain.write_salts(salts)
        head = chain.write(list(cells.digests(salts)), withdrawn)
    chain.head = head
    connection.execute(f"DROP TABLE {_PICKED}")


def delete_concurrent(connection: DuckDBPyConnection, intent: Intent, chain: Chain) -> None:
    """Delete records of sessions that arrived during the erasure."""
    _pick(connection, intent)
    head = chain.head
    with transaction(connection):
        if withdrawn := _take_away(connection, intent, chain):
            head = chain.write((), withdrawn)
    chain.head = head
    connection.execute(f"DROP TABLE {_PICKED}")


def _take_away(connection: DuckDBPyConnection, intent: Intent, chain: Chain) -> list[bytes]:
    """Delete rows and their salts, and return the digests that are kept of the rows."""
    withdrawn = withdraw(connection, list(_going(intent)), chain.head.link + 1, ForgettingStep.FORGOTTEN)
    for part in reversed(list(_parts())):  # ends before the starts that name their session
        connection.execute(
            f"DELETE FROM {part.table} AS t WHERE {part.condition}"  # noqa: S608 (our own names)
        )
    connection.execute(f"DELETE FROM salts WHERE owner IN (SELECT session_id FROM {_PICKED})")  # noqa: S608
    return withdrawn


def _pick(connection: DuckDBPyConnection, intent: Intent) -> None:
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {_PICKED} (session_id UUID)")
    connection.execute(
        f"INSERT INTO {_PICKED} SELECT unnest(string_split(?, ','))::UUID", [",".join(intent.sessions)]
    )


def _parts() -> Iterator[_Part]:
    """Yield the rows to delete, beginning with the tables that others are found by."""
    for table in TABLES:
        if "session_id" in table.columns and table.name not in {"forgotten", "events", *ENDS}:
            yield _Part(table.name, _OF_SESSIONS)
    yield _Part("events", f"({_OF_SESSIONS} OR {_ORPHANED_RUNS})")
    yield from (_Part(name, _ENDED) for name in _OF_RUNS)
    yield _Part("tools", _ONLY_THEIR_TOOLS)
    for name, key in ENDS.items():
        starts = name.replace("_ends", "_starts")
        of_starts = (
            f"SELECT s.{key} FROM {starts} AS s WHERE s.session_id IN (SELECT session_id FROM {_PICKED})"  # noqa: S608
        )
        yield _Part(name, f"(t.{OF_SESSION} {_THEIRS} OR t.{key} IN ({of_starts}))")
    yield _Part(QUARANTINE.name, _QUARANTINED)


def _going(intent: Intent) -> Iterator[Rows]:
    """Yield the same rows in the form that the proofs use."""
    yield rows_of_sessions(intent.sessions)
    runs = f"owner IN (SELECT t.run_id FROM events AS t WHERE {_ORPHANED_RUNS})"  # noqa: S608 (our own names)
    yield Rows(_ORPHANED_RUNS, runs, ("events",), {})
    ended = f"owner IN (SELECT t.run_id FROM run_starts AS t WHERE {_ENDED})"  # noqa: S608 (our own names)
    yield Rows(_ENDED, ended, _OF_RUNS, {})
    yield rows_that("tools", _ONLY_THEIR_TOOLS, {})
    yield rows_that(QUARANTINE.name, _QUARANTINED, {})


def _counts(connection: DuckDBPyConnection, parts: Sequence[_Part]) -> dict[str, dict[str, int]]:
    """Return the number of rows of each session in each table."""
    counts: dict[str, dict[str, int]] = {}
    for part in parts:
        if part.table in {"tools", QUARANTINE.name, *_OF_RUNS}:
            continue
        session = f"t.{OF_SESSION if part.table in ENDS else 'session_id'}"
        asked = f"SELECT {session}::VARCHAR, count(*) FROM {part.table} AS t WHERE {session} {_THEIRS} GROUP BY ALL"  # noqa: S608
        for session_id, count in connection.execute(asked).fetchall():
            counts.setdefault(session_id, {})[part.table] = count
    return counts


def _events(intent: Intent, rows: Mapping[str, Mapping[str, int]]) -> Iterator[SessionForgotten]:
    for session_id, event_id in intent.events.items():
        yield SessionForgotten(
            event_id=event_id,
            recorded_at=intent.at,
            run_id=intent.run_id,
            forgotten_session=session_id,
            step=ForgettingStep.FORGOTTEN,
            forgotten_by=intent.forgotten_by,
            why=intent.why,
            counts={**rows.get(session_id, {}), **(intent.counts or {}).get(session_id, {})},
        )


def _staged(events: Sequence[SessionForgotten], staging: Staging) -> Cells:
    cells = Cells()
    for event in events:
        for row in map(fit, rows_of(event)):
            staging.add(row)
            cells.add(_TABLES[row.table], row.values, event)
    return cells


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """The result of an erasure.

    Args:
        sessions: the identifiers of the sessions and their children.
        counts: how many rows of each table, and how many other things of each kind, were erased.
        was_begun: whether this resumed an interrupted erasure.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     _ = ledger.record_turn("s1", "My key is on the table.")
        ...     report = ledger.forget(["s1"])
        ...     len(report.sessions), ledger.sql("FROM turns").fetchall()
        (1, [])
    """

    sessions: tuple[str, ...]
    counts: dict[str, int]
    was_begun: bool = False


_KEPT = (
    "SELECT event_id::VARCHAR FROM events "
    "SEMI JOIN (SELECT unnest(string_split(?, ','))::UUID AS event_id) USING (event_id)"
)


def blank_lines(segments: Path, session_ids: Collection[str], event_ids: Collection[str]) -> int:
    """Overwrite lines in segments with blanks, which ingest skips; return their number."""
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


def orphaned_events(
    connection: DuckDBPyConnection, segments: Path, offsets: Mapping[str, int]
) -> frozenset[str]:
    """Return events without a session that segments still have and the records have not: tools only they used, notes on their runs."""
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
    """Yield the ingested events without a session, each with the hash of the tools that it offers, if any."""
    for name in segment_sizes(segments):
        with suppress(FileNotFoundError), (segments / name).open("rb", buffering=0) as file:
            for start, line in _whole_lines(file.fileno()):
                if start >= offsets.get(name, 0):
                    break
                event = _event(line)
                if event.get("session_id") is None and "event_id" in event:
                    yield str(event["event_id"]).lower(), str(event.get("tools_hash") or "")


def _whole_lines(descriptor: int) -> Iterator[tuple[int, bytes]]:
    """Yield each complete line with its offset in bytes."""
    start = 0
    with open(descriptor, "rb", closefd=False) as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield start, line
            start += len(line)


def _is_of(line: bytes, session_ids: Collection[str], event_ids: Collection[str]) -> bool:
    """Return whether a line belongs to one of the sessions or events, rather than only mentions it. An unparseable line counts as theirs."""
    event = _event(line)
    if not event:
        return True
    return (
        str(event.get("session_id")).lower() in session_ids or str(event.get("event_id")).lower() in event_ids
    )


def _event(line: bytes) -> dict[str, Any]:
    """Parse a line; empty if that fails."""
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


def finish_records(files: LedgerFiles, intent: Intent, take_in: Callable[[DuckDBPyConnection], None]) -> None:
    """Erase sessions from all records of a ledger. If it is killed, the next process completes it."""
    with closing(open_store(files)) as connection:
        take_in(connection)
        forget_records(connection, intent, Chain(connection))
        forget_rolled_up(files, connection)
        connection.execute("CHECKPOINT")
        offsets = offsets_in(connection)
        gone = orphaned_events(connection, files.segments, offsets)
    _make_anew(files)
    files.spare.unlink(missing_ok=True)
    publish(files)
    files.spare.unlink(missing_ok=True)  # the previous copy, which still has the erased records
    files.unpublished.unlink(missing_ok=True)
    files.loops.unlink(missing_ok=True)
    remove_finished(files.segments, offsets)
    blank_lines(files.segments, frozenset(intent.sessions), gone)
    for spilled in (Path(f"{files.store}.tmp"), Path(f"{files.published}.tmp")):
        remove_folder(spilled)
    files.forgetting.unlink(missing_ok=True)
    sync_to_disk(files.folder)


def _make_anew(files: LedgerFiles) -> None:
    """Replace the working file by a new one with the same rows in the same order, since free pages still hold deleted data."""
    new = files.folder / f"{TEMPORARY}anew.duckdb"
    remove_database(new)
    try:
        _copy(files, new)
    except BaseException:
        remove_database(new)  # if the disk is full, this makes room for the next try
        raise
    sync_to_disk(new)
    wal_of(files.store).unlink(missing_ok=True)
    new.replace(files.store)
    sync_to_disk(files.folder)


def _copy(files: LedgerFiles, new: Path) -> None:
    with closing(connect_store(new)) as connection:
        connection.execute(f"ATTACH {sql_text(files.store)} AS kept (READ_ONLY, TYPE duckdb)")
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


def _current(connection: DuckDBPyConnection) -> str:
    [(name,)] = connection.execute("SELECT current_database()").fetchall()
    return '"{}"'.format(str(name).replace('"', '""'))
