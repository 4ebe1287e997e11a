"""The only committer of a lake: it ingests what hosts have shipped, many pieces in a commit, so that no two commits conflict.

A commit writes a file for each table that it has rows of, so a busy host writes a few thousand a day. ``compact`` joins them.

Rows and offsets are committed together, and a piece is removed from the queue after that: killed at any point, it neither loses nor
duplicates anything. A second one that is started elsewhere does no harm either: both claim each commit, and skip what is known.
"""

import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import attrgetter

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.errors import LedgerError, UsageError
from actionledger.core.ids import utc
from actionledger.core.processes import FileLock
from actionledger.ledger.storage.connections import BASE, offsets_in
from actionledger.ledger.storage.files import LedgerFiles, one_sentence
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.ingester import BATCH_BYTES, LakeIngester
from actionledger.ledger.storage.lake.place import LakePlace, PrivateFiles
from actionledger.ledger.storage.lake.queue import DamagedPieceError, Piece, Queue, queue_of, refuse, unpacked
from actionledger.ledger.storage.lake.shipping import refuse_no_queue
from actionledger.ledger.storage.lake.store import LakeStore
from actionledger.ledger.storage.lake.tables import tried_again
from actionledger.ledger.storage.segments import Line

_log = logging.getLogger(__name__)

_LOOK_SECONDS = 1.0
"""Seconds between checks for a stop."""

_PATIENCE_SECONDS = 60.0
_LEAST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.1, 30.0
JOIN_SECONDS = 600.0
"""Seconds after which the files of the last commits are joined."""


@dataclass(frozen=True, slots=True)
class Round:
    """The result of one pass over the queue."""

    commits: int = 0  # the number of commits
    pieces: int = 0  # the number of pieces now in the lake
    events: int = 0  # the number of ingested events
    duplicates: int = 0  # the number of events skipped because their identifier is known
    quarantined: int = 0  # the number of lines that can't be parsed
    refused: int = 0  # the number of unreadable pieces; they are set aside, and their hosts ship them again
    waiting: int = 0  # the number of pieces that wait for an earlier one


def committer_of(path: str | os.PathLike[str]) -> "Committer":
    """Return the committer of a lake; a blank lake becomes a ledger."""
    files = LedgerFiles.at(path)
    place = LakePlace.read(files.published)
    refuse_no_queue(place)
    with closing(LakeStore(replace(place, queue_path=""))) as store:
        store.make()  # also if the lake exists: an older toolkit may have made it
    return Committer(LakeIngester.of(place, files))


class Committer:
    """Ingests what hosts ship to the queue of one lake, in one thread."""

    def __init__(self, ingester: LakeIngester) -> None:
        self._ingester = ingester
        self._queue: Queue = queue_of(ingester.place)
        self._connection: DuckDBPyConnection | None = None
        self._joined_at = time.monotonic()

    def run(self, *, is_stopped: Callable[[], bool], told: Callable[[Round], object]) -> None:
        """Ingest what arrives until it is stopped; errors are logged, and the work is tried again."""
        failures = 0
        with closing(self), _only_one(self._ingester):
            while not is_stopped():
                begun = time.monotonic()
                try:
                    done = self.round(is_stopped=is_stopped)
                    failures = 0
                    if done != Round():
                        told(done)
                    self._join_when_due()
                except LedgerError as error:
                    self.close()
                    failures += 1
                    _log.warning("%s What was shipped waits in the queue, and is tried again.", error)
                pause = max(self._ingester.place.commit_seconds, _LEAST_PAUSE_SECONDS)
                if failures:
                    pause = max(min(pause, _LONGEST_PAUSE_SECONDS), _LOOK_SECONDS)
                _wait(begun + pause, is_stopped)

    def round(self, *, is_stopped: Callable[[], bool] = lambda: False) -> Round:
        """Ingest everything in the queue."""
        with one_sentence(f"What was shipped to {self._ingester.place.queue_path} can't be taken in"):
            pieces = sorted(filter(None, map(Piece.named, self._queue.names())))
            if not pieces:
                return Round()
            with self._ingester.elected(_PATIENCE_SECONDS) as is_elected:
                if not is_elected:
                    return Round(waiting=len(pieces))
                return self._take_in(pieces, is_stopped)

    def close(self) -> None:
        """Close the connection to the lake."""
        if self._connection is not None:
            with suppress(duckdb.Error):
                self._connection.close()
        self._connection = None

    def _take_in(self, pieces: list[Piece], is_stopped: Callable[[], bool]) -> Round:
        if self._connection is None:
            self._connection = self._ingester.connect()
        connection = self._connection
        sorting = _Sorting(self._queue, pieces, offsets_in(connection, BASE))
        commits = 0
        with self._ingester.loading(connection) as loader:
            for lines, done in sorting.batches():
                if is_stopped():
                    break
                if lines:
                    loader.load(lines)
                    commits += 1
                self._queue.remove(piece.name for piece in done)
            tally = loader.tally
        return Round(
            commits,
            sorting.pieces,
            tally.events,
            tally.duplicates,
            tally.quarantined,
            sorting.refused,
            sorting.waiting,
        )

    def _join_when_due(self) -> None:
        if time.monotonic() - self._joined_at < JOIN_SECONDS or self._connection is None:
            return
        self._joined_at = time.monotonic()
        with one_sentence(f"The small files of {self._ingester.place.path} can't be joined"):
            join_small(self._connection)


class _Sorting:
    """Orders pieces, and reads their new lines."""

    def __init__(self, queue: Queue, pieces: Iterable[Piece], known: Mapping[str, int]) -> None:
        self._queue = queue
        self._segments = groupby(pieces, attrgetter("qualified"))
        self._known = dict(known)
        self.pieces = self.refused = self.waiting = 0

    def batches(self) -> Iterator[tuple[list[Line], list[Piece]]]:
        """Yield the lines of each commit, and the pieces that are in the lake after it."""
        lines: list[Line] = []
        done: list[Piece] = []
        size = 0
        for segment, group in self._segments:
            for piece, new in self._read(segment, list(group)):
                lines += new
                done.append(piece)
                size += sum(len(line.data) for line in new)
                if size >= BATCH_BYTES:
                    self.pieces += len(done)
                    yield lines, done
                    lines, done, size = [], [], 0
        if done:
            self.pieces += len(done)
            yield lines, done

    def _read(self, segment: str, pieces: list[Piece]) -> Iterator[tuple[Piece, list[Line]]]:
        """Yield a segment's pieces up to the first missing one, each with its new lines."""
        end = self._known.get(segment, 0)
        for number, piece in enumerate(pieces):
            if piece.end <= end:
                yield piece, []
                continue
            lines = None if piece.start > end else self._lines(piece)
            if lines is None:
                self.waiting += len(pieces) - number
                return
            yield piece, [line for line in lines if line.start >= end]
            end = piece.end

    def _lines(self, piece: Piece) -> list[Line] | None:
        """Return the lines of a piece; None if it is missing or damaged."""
        data = self._queue.get(piece.name)
        if data is None:
            return None
        try:
            return unpacked(piece, data)
        except DamagedPieceError as error:
            _log.warning(
                "The piece %s can't be read (%s) and is put aside; its host ships it again.",
                piece.name,
                error,
            )
            self.refused += 1
            refuse(self._queue, piece, data)
            return None


class _only_one:  # noqa: N801 - used like a function
    """Hold the lock that only one committer of a host can have."""

    def __init__(self, ingester: LakeIngester) -> None:
        self._files = ingester.files
        self._lock = FileLock(ingester.files.folder / "committer.lock")

    def __enter__(self) -> None:
        self._files.make_folders()
        if not self._lock.acquire():
            raise LedgerError(f"Another committer of {self._files.published} is at work on this host.")

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _wait(until: float, is_stopped: Callable[[], bool]) -> None:
    while not is_stopped() and (left := until - time.monotonic()) > 0:
        time.sleep(min(left, _LOOK_SECONDS))


_UNUSED_FOR = timedelta(days=1)
"""How long an unneeded file stays, since earlier readers may still use it. (DuckLake on SQLite compares days alone.)"""

_SCHEDULED = f"SELECT count(*), epoch(max(schedule_start::TIMESTAMPTZ)) FROM __ducklake_metadata_{BASE}.ducklake_files_scheduled_for_deletion"

_ORPHANED_FOR = timedelta(days=1)
"""The age at which a file that no commit knows counts as left by a killed writer."""

_REPEATING_SECONDS = 300.0

_DROP_OFFSETS = f"""
DELETE FROM {BASE}.segments WHERE (name, ingested_bytes) NOT IN (SELECT (name, max(ingested_bytes)) FROM {BASE}.segments GROUP BY name)"""

_SMALL_BYTES = 4 * 1024 * 1024
"""The size up to which a committer still joins files, in bytes."""


@dataclass(frozen=True, slots=True)
class CompactionReport:
    """The result of a compaction."""

    files_before: int  # the number of the tables' Parquet files before
    files_after: int  # their number now
    bytes_after: int  # their size now, in bytes
    snapshots_expired: int  # the number of past states deleted
    files_removed: int  # the number of unneeded files deleted
    files_kept: int = 0  # the number of unneeded files that stay for a day, since a reader may still use them
    # from when another `compact` deletes all of these, UTC without a zone; None if there are none
    free_from: datetime | None = None


def compact(place: LakePlace, *, keep: timedelta) -> CompactionReport:
    """Join a lake's small files, and delete states older than ``keep``."""
    if keep < timedelta(0):
        raise UsageError(f"States can't be kept for {keep}; give nothing or more.")
    with (
        one_sentence(f"The lake of {place.path} can't be compacted"),
        closing(connect_lake(place, writes=True)) as connection,
    ):
        before, _ = _files(connection)
        now = datetime.now(UTC)
        _join(connection)
        expired = _done(connection, "ducklake_expire_snapshots", now - keep)
        removed = _done(connection, "ducklake_cleanup_old_files", now - _UNUSED_FOR)
        removed += _done(connection, "ducklake_delete_orphaned_files", now - _ORPHANED_FOR)
        after, size = _files(connection)
        kept, last = connection.execute(_SCHEDULED).fetchall()[0]
    PrivateFiles(place).tighten()
    free_from = None if last is None else utc(datetime.fromtimestamp(last, UTC)) + _UNUSED_FOR
    return CompactionReport(before, after, size, expired, removed, kept, free_from)


def join_small(connection: DuckDBPyConnection) -> None:
    """Join the files of a lake's last commits, except larger ones, so that each row is rewritten only a few times."""
    _join(connection, f", max_file_size => {_SMALL_BYTES}")


def _join(connection: DuckDBPyConnection, options: str = "") -> None:
    for attempt in tried_again(seconds=_REPEATING_SECONDS):
        with attempt:
            # Each commit adds rows with its segments' offsets; only the last ones are needed.
            connection.execute(_DROP_OFFSETS)
            for what in (
                f"ducklake_rewrite_data_files('{BASE}', 'segments', delete_threshold => 0)",
                f"ducklake_merge_adjacent_files('{BASE}'{options})",
            ):
                connection.execute(f"CALL {what}").fetchall()


def _done(connection: DuckDBPyConnection, what: str, older_than: datetime) -> int:
    moment = older_than.isoformat()
    # Fetch all rows, since the call commits only then.
    [(count,)] = connection.execute(
        f"SELECT count(*) FROM {what}('{BASE}', older_than => '{moment}'::TIMESTAMPTZ)"
    ).fetchall()
    return int(count)


def _files(connection: DuckDBPyConnection) -> tuple[int, int]:
    [(count, size)] = connection.execute(
        f"SELECT coalesce(sum(file_count), 0), coalesce(sum(file_size_bytes), 0) FROM ducklake_table_info('{BASE}')"
    ).fetchall()
    return int(count), int(size)
