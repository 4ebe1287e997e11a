"""Track the pieces in which the working file and its copies differ, so that an update of a large copy takes only the new data.

DuckDB logs its writes to a file. They are kept next to the ledger, for each copy since it last equalled the working file.
They are trusted only if the working file and the copy are in the recorded state. A killed writer, or one that wrote in another way, leaves
another modification time, another header or a write-ahead log. Then both files are read whole.
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
"""DuckDB's block size; blocks begin after the header. Blocks of another size would only mean more to write."""

WATCHED_BYTES = 64 * 1024 * 1024
"""A smaller working file is compared faster than its log is read."""

# Without the writer's name: DuckDB 1.5 forgets it once a log has been emptied, and then has no lines of known writers.
_WRITTEN = """
    SELECT DISTINCT done.pos, done.bytes FROM (
        SELECT parse_duckdb_log_message('FileSystem', message) AS done FROM duckdb_logs(denormalized_table = false)
        WHERE type = 'FileSystem'
    ) WHERE done.op = 'WRITE' AND done.path = ?
"""


@dataclass(frozen=True, slots=True)
class _State:
    """The state of a file, which changes with the file."""

    file: str
    header: str


@dataclass(frozen=True, slots=True)
class _Differences:
    """The pieces in which copies differ from a working file in a given state."""

    store: _State
    copies: Mapping[_State, frozenset[int]]


@contextmanager
def watched(files: LedgerFiles, connection: DuckDBPyConnection) -> Iterator[None]:
    """Record DuckDB's writes to the working file within the context, if the file is large enough."""
    if files.store.stat().st_size < WATCHED_BYTES:
        yield
        return
    connection.execute("CALL enable_logging('FileSystem')")
    yield
    note(files, connection)
    connection.execute("CALL disable_logging(); CALL truncate_duckdb_logs()")


def begin(files: LedgerFiles) -> None:
    """Discard the record unless the working file is in the recorded state."""
    if _believed(files) is None:
        files.differences.unlink(missing_ok=True)


def note(files: LedgerFiles, connection: DuckDBPyConnection) -> None:
    """Record DuckDB's writes to the working file since the last call."""
    known = _read(files)
    if known is None:
        return
    written = _written(files, connection)
    state = _state(files.store)
    # A log without a write to the header lacks other writes too.
    if state is None or written is None or (state.header != known.store.header and -1 not in written):
        files.differences.unlink(missing_ok=True)
        return
    pieces = written - {-1}
    _write(files, _Differences(state, {copy: known.copies[copy] | pieces for copy in known.copies}))


def pieces_of(files: LedgerFiles, copy: Path) -> frozenset[int] | None:
    """Return the pieces after its header in which a copy may differ from the working file; None if unknown."""
    known, state = _believed(files), _state(copy)
    return None if known is None or state is None else known.copies.get(state)


def is_the_same(files: LedgerFiles, copy: Path) -> None:
    """Record that a copy now equals the working file, and keep the record of the published one."""
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
    """Return the pieces that were written, and -1 for the header; None if DuckDB can't tell."""
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
    """Return the record if the working file is still in its recorded state."""
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
    """Save the record; if that fails, delete it, since a later one would lack the lost writes."""
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
