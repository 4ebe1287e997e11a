"""Join a lake's many small files into few, and delete old states and their files.

A commit writes a file for each table that it has rows of, so a busy host writes a few thousand a day. Any host may do this at any time;
readers and writers continue.
"""

from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from duckdb import DuckDBPyConnection

from actionledger.core.errors import UsageError
from actionledger.core.ids import utc
from actionledger.ledger.storage.connections import BASE
from actionledger.ledger.storage.files import one_sentence
from actionledger.ledger.storage.lake.conflicts import tried_again
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.place import LakePlace, PrivateFiles

_UNUSED_FOR = timedelta(days=1)
"""How long an unneeded file stays, since earlier readers may still use it. (DuckLake on SQLite compares days alone.)"""

_SCHEDULED = f"SELECT count(*), epoch(max(schedule_start::TIMESTAMPTZ)) FROM __ducklake_metadata_{BASE}.ducklake_files_scheduled_for_deletion"

_ORPHANED_FOR = timedelta(days=1)
"""The age at which a file that no commit knows counts as left by a killed writer."""

_PATIENCE_SECONDS = 300.0

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
    for attempt in tried_again(seconds=_PATIENCE_SECONDS):
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
