"""In which pieces the working file and its copies differ, so that a copy is brought up to date by what is new, however large both are.

DuckDB logs what it writes to a file. What it wrote is kept beside the ledger, for each copy since that was the same as the working
file, and believed where working file and copy are as they were left then: whoever was killed at it, or wrote by another way, leaves another
time of change, another header or a write-ahead log, and has both read whole.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles, wal_of

HEADER_BYTES = 12 * 1024
PIECE_BYTES = 256 * 1024
"""DuckDB's blocks are of this size and begin behind its header; of another size they would only be more to write."""

WATCHED_BYTES = 64 * 1024 * 1024
"""A working file below this is compared sooner than its log is read."""

# Without who wrote: DuckDB 1.5 forgets that once a log has been emptied, and has no lines then of those who did.
_WRITTEN = """
    SELECT DISTINCT done.pos, done.bytes FROM (
        SELECT parse_duckdb_log_message('FileSystem', message) AS done FROM duckdb_logs(denormalized_table = false)
        WHERE type = 'FileSystem'
    ) WHERE done.op = 'WRITE' AND done.path = ?
"""


@dataclass(frozen=True, slots=True)
class _State:
    """The state of a file by which a change is noticed."""

    file: str
    header: str


@dataclass(frozen=True, slots=True)
class _Differences:
    """In which pieces copies differ from a working file in one state."""

    store: _State
    copies: Mapping[_State, frozenset[int]]


@contextmanager
def watched(files: LedgerFiles, connection: DuckDBPyConnection) -> Iterator[None]:
    """Keep what DuckDB writes to the working file within, where that is large enough."""
    if files.store.stat().st_size < WATCHED_BYTES:
        yield
        return
    connection.execute("CALL enable_logging('FileSystem')")
    yield
    note(files, connection)
    connection.execute("CALL disable_logging(); CALL truncate_duckdb_logs()")


def begin(files: LedgerFiles) -> None:
    """Keep what is known of the working file only if it is as it was left."""
    if _believed(files) is None:
        files.differences.unlink(missing_ok=True)


def note(files: LedgerFiles, connection: DuckDBPyConnection) -> None:
    """Keep what DuckDB has written to the working file since it was asked last."""
    known = _read(files)
    if known is None:
        return
    written = _written(files, connection)
    state = _state(files.store)
    # A log that lacks the header lacks more than that.
    if state is None or written is None or (state.header != known.store.header and -1 not in written):
        files.differences.unlink(missing_ok=True)
        return
    pieces = written - {-1}
    _write(files, _Differences(state, {copy: known.copies[copy] | pieces for copy in known.copies}))


def pieces_of(files: LedgerFiles, copy: Path) -> frozenset[int] | None:
    """Return in which pieces behind its header a copy may differ from the working file; None where that is not known."""
    known, state = _believed(files), _state(copy)
    return None if known is None or state is None else known.copies.get(state)


def is_the_same(files: LedgerFiles, copy: Path) -> None:
    """Keep that a copy has just been made the same as the working file, and what is known of the published one."""
    store, state, before = _state(files.store), _state(copy), _state(files.published)
    pieces = pieces_of(files, files.published)
    files.differences.unlink(missing_ok=True)
    if store is None or state is None or files.store.stat().st_size < WATCHED_BYTES:
        return
    copies = {state: frozenset[int]()}
    if before is not None and pieces is not None:
        copies[before] = pieces
    _write(files, _Differences(store, copies))


def _written(files: LedgerFiles, connection: DuckDBPyConnection) -> frozenset[int] | None:
    """Return which pieces were written, and -1 for the header; None where DuckDB can't say it."""
    try:
        rows = connection.execute(_WRITTEN, [str(files.store)]).fetchall()
        connection.execute("CALL truncate_duckdb_logs()")
    except duckdb.Error:
        return None
    return frozenset(
        piece
        for at, count in rows
        for piece in range(
            (at - HEADER_BYTES) // PIECE_BYTES, (at + count - 1 - HEADER_BYTES) // PIECE_BYTES + 1
        )
    )


def _believed(files: LedgerFiles) -> _Differences | None:
    """Return what is known of the working file as it is now."""
    known = _read(files)
    is_open = any(files.folder.glob(f"{wal_of(files.store).name}*"))
    return None if known is None or is_open or known.store != _state(files.store) else known


def _state(path: Path) -> _State | None:
    try:
        with path.open("rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            header = blake2b(file.read(HEADER_BYTES), digest_size=16).hexdigest()
    except OSError:
        return None
    return _State(f"{status.st_dev} {status.st_ino} {status.st_size} {status.st_mtime_ns}", header)


def _read(files: LedgerFiles) -> _Differences | None:
    try:
        kept = json.loads(files.differences.read_bytes())
        copies = {_State(*state): frozenset(pieces) for state, pieces in kept["copies"]}
        return _Differences(_State(*kept["store"]), copies)
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _write(files: LedgerFiles, known: _Differences) -> None:
    """Write what is known; where it can't be written nothing is known any more: a later one that can be would lack what this one had."""
    kept = {
        "store": [known.store.file, known.store.header],
        "copies": [[[copy.file, copy.header], sorted(pieces)] for copy, pieces in known.copies.items()],
    }
    beside = files.folder / f"{TEMPORARY}{files.differences.name}"
    try:
        beside.touch(mode=0o600)
        beside.write_text(json.dumps(kept, separators=(",", ":")), "utf-8")
        beside.replace(files.differences)
    except OSError:
        with suppress(OSError):
            files.differences.unlink(missing_ok=True)
