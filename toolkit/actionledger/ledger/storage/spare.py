"""The spare copy: the published copy before the last, updated with what is new and published again.

Two copies take turns. An update compares the copy with the working file piece by piece, and writes only the differences. For a large file it reads
only the pieces that DuckDB has written since, else all of them. Reading both files is a fifth of the work of a
copy, and writes hardly anything to the disk.

A program that opened a copy when it was the published one may still read it, and never sees it change: the copy is only reused if nobody has it
open and it has no other name. Linux can tell that for a file on a local disk; elsewhere each copy is a new one.

DuckDB logs its writes to a file, so the pieces in which the working file and its copies differ are known. They are kept next to the ledger, for each
copy since it last equalled the working file, and trusted only if both are in the recorded state. A killed writer, or one that wrote in another way,
leaves another modification time, another header or a write-ahead log. Then both files are read whole.
"""

import errno
import fcntl
import json
import os
import signal
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from random import sample

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


SPARED_BYTES = 8 * 1024 * 1024
"""A smaller working file is copied whole: that costs less than keeping a third file."""

PROBED = 16
"""The number of unchanged pieces, drawn at random, that are compared too: this would reveal a DuckDB that logs less than it writes."""

_STOP_BYTES = 4 * 1024 * 1024
_CLONE = 0x40049409
"""Linux's FICLONE: the file system shares the blocks of two files until one of them is written."""

_NO_WAY = {errno.ENOSYS, errno.EXDEV, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM}


class StoppedError(Exception):
    """Copying was stopped half-way; the published copy is unchanged."""


def is_free(files: LedgerFiles) -> bool:
    """Return whether there is a spare copy that may be written to."""
    return _is_nobodys(files.spare)


def take(files: LedgerFiles, copy: Path) -> int | None:
    """Move the spare copy to the place where the next published copy is made."""
    with suppress(OSError):
        files.spare.replace(copy)
        if _is_nobodys(copy):
            copy.chmod(0o600)  # the published file may be read-only
            return os.open(copy, os.O_RDWR | os.O_NOFOLLOW)
    copy.unlink(missing_ok=True)
    return None


def go_on_with_leftover(files: LedgerFiles) -> None:
    """Make a killed ingester's unfinished copy the spare one, if there is none. It is compared whole before it is published.

    Otherwise each killed ingester would start a whole copy anew, and a large ledger would wait ever longer for the next one.
    """
    copy = files.being_published
    with suppress(OSError):
        is_spared = files.store.stat().st_size >= SPARED_BYTES and not files.spare.exists()
        if is_spared and _is_nobodys(copy):
            copy.replace(files.spare)


def keep(files: LedgerFiles) -> None:
    """Link the published copy as the spare one, right before another replaces it.

    A kill in between leaves two names for one file, which is then not written to.
    """
    files.spare.unlink(missing_ok=True)
    with suppress(OSError):
        if files.store.stat().st_size >= SPARED_BYTES:
            os.link(files.published, files.spare, follow_symlinks=False)


def bring_up_to_date(
    descriptor: int, source: Path, is_stopped: Callable[[], bool], pieces: Iterable[int] | None = None
) -> None:
    """Write the differences from its source into a copy."""
    with source.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        whole = range(-(-(size - HEADER_BYTES) // PIECE_BYTES))
        header = bytearray(HEADER_BYTES)
        _write_spare(descriptor, memoryview(header)[: _read_spare(file.fileno(), header, 0)], 0)
        _make_same(descriptor, file.fileno(), whole if pieces is None else sorted(pieces), is_stopped)
        if pieces is not None:
            drawn = sample(whole, min(PROBED, len(whole)))
            # If the list of pieces was incomplete once, the rest of it can't be trusted either.
            if _make_same(descriptor, file.fileno(), drawn, is_stopped):
                _make_same(descriptor, file.fileno(), whole, is_stopped)
    os.ftruncate(descriptor, size)


def _make_same(descriptor: int, source: int, pieces: Iterable[int], is_stopped: Callable[[], bool]) -> bool:
    """Write the differences from its source into some pieces of a copy; return whether there were any."""
    mine, theirs = bytearray(PIECE_BYTES), bytearray(PIECE_BYTES)
    has_differed = False
    for piece in pieces:
        if is_stopped():
            raise StoppedError
        at = HEADER_BYTES + piece * PIECE_BYTES
        count = _read_spare(source, theirs, at)
        # The rest of the buffers after a shorter last piece is compared as well: at worst it is written needlessly.
        if _read_spare(descriptor, mine, at) != count or mine != theirs:
            _write_spare(descriptor, memoryview(theirs)[:count], at)
            has_differed = True
    return has_differed


def copy_whole(descriptor: int, source: Path, is_stopped: Callable[[], bool]) -> None:
    """Copy a file into an empty one: by sharing blocks if the file system can, else within the kernel if that can."""
    with source.open("rb", buffering=0) as file:
        with suppress(OSError):
            fcntl.ioctl(descriptor, _CLONE, file.fileno())
            return
        at, size = 0, os.fstat(file.fileno()).st_size
        while at < size:
            if is_stopped():
                raise StoppedError
            copied = _copied_by_kernel(file.fileno(), descriptor, at)
            copied = copied or _write_spare(
                descriptor, memoryview(os.pread(file.fileno(), _STOP_BYTES, at)), at
            )
            if not copied:
                raise OSError(errno.EIO, f"{source} was cut while it was copied")
            at += copied


def _copied_by_kernel(source: int, target: int, at: int) -> int:
    """Return how many bytes the kernel has copied; 0 if it can't."""
    try:
        return os.copy_file_range(source, target, _STOP_BYTES, at, at)
    except AttributeError:
        return 0
    except OSError as error:
        if error.errno in _NO_WAY:
            return 0
        raise


def _read_spare(descriptor: int, piece: bytearray, at: int) -> int:
    """Fill a piece; return its number of bytes. A failing disk returns a short read before it reports an error."""
    count = 0
    while rest := memoryview(piece)[count:]:
        read = os.preadv(descriptor, [rest], at + count)
        if not read:
            break
        count += read
    return count


def _write_spare(descriptor: int, piece: memoryview, at: int) -> int:
    count = len(piece)
    while piece:
        written = os.pwrite(descriptor, piece, at)
        piece, at = piece[written:], at + written
    return count


def _is_nobodys(path: Path) -> bool:
    """Return whether a file has one name and nobody has it open."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        status = os.fstat(descriptor)
        return stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and _is_open_here_alone(descriptor)
    finally:
        os.close(descriptor)


def _is_open_here_alone(descriptor: int) -> bool:
    try:
        # SIGURG instead of the default signal, which would end a process without a handler.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)  # type: ignore[attr-defined, unused-ignore]
        # A lease is granted only if nobody else has the file open, for reading, for writing, or mapped.
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except (AttributeError, OSError):
        return False
    return True
