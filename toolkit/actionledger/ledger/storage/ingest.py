"""The elected ingester: it ingests segments, publishes, and removes what is no longer needed.

Killed at any point, it leaves nothing inconsistent. Rows and offsets are committed together, and the published copy is replaced at once. A segment is
deleted only when the published copy holds all of it. It works in small transactions and publishes by time, what is overdue first.
So however often ingesters are killed, the next one continues from the last.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import NamedTuple

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.processes import POLL_SECONDS, FileLock, remove_free
from actionledger.ledger.storage import spare
from actionledger.ledger.storage.chain import Chain, Head, head_in
from actionledger.ledger.storage.connections import (
    BASE,
    LITTLE_STORE_MEMORY,
    MUCH_STORE_LOG,
    MUCH_STORE_MEMORY,
    STORE_LOG,
    attach_published,
    damage_reported,
    offsets_in,
    refuse_cut,
)
from actionledger.ledger.storage.files import LedgerFiles, forgetting_sentence, one_sentence, sync_to_disk
from actionledger.ledger.storage.hosts import claim
from actionledger.ledger.storage.loading import Loader
from actionledger.ledger.storage.preparation import Prepared
from actionledger.ledger.storage.publishing import DIRECT_SECONDS, StoppedError, due_in, is_behind, publish
from actionledger.ledger.storage.rollups.state import PIECES, keep_rolled_up
from actionledger.ledger.storage.schema import SCHEMA_VERSION
from actionledger.ledger.storage.segments import batches, has_live_writer, remove_finished, segment_sizes
from actionledger.ledger.storage.spare import note
from actionledger.ledger.storage.store import IngestReport, Publishing
from actionledger.ledger.storage.working_file import opened, wants_memory, with_store
from actionledger.ledger.upkeep.forgetting.intent import intent_of
from actionledger.ledger.upkeep.forgetting.records import finish_records
from actionledger.ledger.upkeep.migrations import version_of_copy


class _Published(NamedTuple):
    """The state of the published copy."""

    head: Head | None
    offsets: Mapping[str, int]


def ingest(
    files: LedgerFiles,
    publishing: Publishing,
    *,
    patience: float = 0.0,
    is_stopped: Callable[[], bool] = lambda: False,
) -> IngestReport:
    """Ingest all segments."""
    lock = FileLock(files.ingest_lock)
    with one_sentence(f"The ledger {files.published} can't load what was recorded"):
        if not begin_ingest(files, lock, patience):
            return IngestReport(was_busy=True)
        try:
            is_news = is_behind(files) or not files.published.exists() or bool(segment_sizes(files.segments))
            if not is_news:
                refuse_cut(files)
            # The caller also relies on this to detect that another file has replaced the published one.
            if not is_news and (publishing is not Publishing.AT_THE_END or not files.store.exists()):
                return IngestReport()
            return with_store(files, lambda connection: Ingest(files, connection, is_stopped).run(publishing))
        finally:
            lock.release()


def begin_ingest(files: LedgerFiles, lock: FileLock, patience: float) -> bool:
    """Become the ingester, and do what must come first."""
    if files.published.exists() or files.folder.exists():
        files.make_folders()  # they may have been deleted: the published copy has all that is published
    if not lock.acquire(patience):
        return False
    try:
        claim(files)
        spare.go_on_with_leftover(files)
        files.remove_leftovers()
        # Complete a pending erasure before anything else, so that nobody publishes half of one.
        intent = intent_of(files)
        if intent is not None and intent.is_beside_done:
            with forgetting_sentence(files):
                finish_records(
                    files, intent, lambda connection: Ingest(files, connection, lambda: False).take_in_all()
                )
    except BaseException:
        lock.release()
        raise
    return True


def forget(files: LedgerFiles, *, patience: float = 60.0) -> bool:
    """Complete a pending erasure in the records, once everything next to the records is erased."""
    lock = FileLock(files.ingest_lock)
    with forgetting_sentence(files):
        if not begin_ingest(files, lock, patience):
            return False
        lock.release()
        return True


class Ingest:
    """One ingest, by the holder of the lock; ``is_stopped`` is asked between small steps, and True leaves the rest to the next one."""

    def __init__(
        self, files: LedgerFiles, connection: DuckDBPyConnection, is_stopped: Callable[[], bool]
    ) -> None:
        self._files = files
        self._connection = connection
        self._is_stopped = is_stopped
        self._chain = Chain(connection)
        self._loader = Loader(connection, chain=self._chain)
        self._taken_in = offsets_in(connection)
        self._published = _published(connection, files)
        self._has_published = False

    def run(self, publishing: Publishing) -> IngestReport:
        """Ingest all segments, and publish as requested."""
        try:
            self._publish_if_due()
            self._take_in()
            if self._wants_copy(publishing):
                self._publish(pieces=None if publishing is Publishing.AT_THE_END else PIECES)
        except StoppedError:
            pass
        remove_finished(self._files.segments, self._published.offsets)
        remove_free(self._files.sessions)
        tally = self._loader.tally
        return IngestReport(
            events=tally.events,
            duplicates=tally.duplicates,
            quarantined=tally.quarantined,
            forgotten=tally.forgotten,
            published=self._has_published,
            due_in=due_in(self._files) if self._is_behind() else None,
        )

    def take_in(self, prepared: Prepared) -> None:
        """Ingest events that are in no segment. Publish if live writers wait for a copy, or if one has long been due."""
        if not self._files.unpublished.exists():
            # Before the rows are added, so that after a kill the copy is known to be out of date.
            self._files.unpublished.touch(mode=0o600)
            sync_to_disk(self._files.folder)
        self._loader.load_prepared(prepared)
        if due_in(self._files, at_least=0.0 if self._lacks_lines() else DIRECT_SECONDS) == 0:
            self._publish()

    def take_in_all(self) -> None:
        """Ingest all segments without publishing."""
        for batch in batches(self._files.segments, dict(self._taken_in), finish=True):
            self._loader.load(batch)
            self._taken_in |= {line.segment: line.end for line in batch}

    def _take_in(self) -> None:
        for batch in batches(self._files.segments, dict(self._taken_in), finish=True):
            if self._is_stopped():
                raise StoppedError
            self._loader.load(batch)
            self._taken_in |= {line.segment: line.end for line in batch}
            self._publish_if_due()

    def _publish_if_due(self) -> None:
        if self._is_behind() and due_in(self._files) == 0:
            self._publish()

    def _publish(self, pieces: int | None = PIECES) -> None:
        # Keep this table as small as the folder: a segment's name is never reused.
        gone = self._taken_in.keys() - segment_sizes(self._files.segments).keys()
        if gone:
            self._connection.execute(
                "DELETE FROM segments WHERE name IN (SELECT unnest(?::VARCHAR[]))", [list(gone)]
            )
            self._taken_in = {name: end for name, end in self._taken_in.items() if name not in gone}
        # Data in memory only would stay there in addition to the rollup's own.
        self._connection.execute("CHECKPOINT")
        keep_rolled_up(self._files, self._connection, pieces=pieces, is_stopped=self._is_stopped)
        self._connection.execute("CHECKPOINT")
        note(self._files, self._connection)
        publish(self._files, self._is_stopped)
        self._files.unpublished.unlink(missing_ok=True)
        self._published = _Published(self._chain.head, dict(self._taken_in))
        self._has_published = True

    def _is_behind(self) -> bool:
        """Whether the published copy differs from the working file."""
        return is_behind(self._files) or self._published.head != self._chain.head or self._lacks_lines()

    def _lacks_lines(self) -> bool:
        """Whether the published copy lacks lines of segments that the working file has."""
        offsets = self._published.offsets
        return any(offset > offsets.get(name, 0) for name, offset in self._taken_in.items())

    def _wants_copy(self, publishing: Publishing) -> bool:
        if not self._is_behind():
            return False
        match publishing:
            case Publishing.AT_THE_END:
                return True
            case Publishing.UNLESS_OTHERS_WRITE:
                return not has_live_writer(self._files.segments)
            case Publishing.WHEN_DUE:
                return False


def _published(connection: DuckDBPyConnection, files: LedgerFiles) -> _Published:
    """Return the state of the published copy, over this connection, since starting another DuckDB takes longer than the query."""
    if not files.published.exists():
        return _Published(None, {})
    with damage_reported(files.published):
        attach_published(connection, files, may_write=True)
        try:
            # A copy of an older version has no chain.
            is_older = version_of_copy(connection, files.published) < SCHEMA_VERSION
            head = None if is_older else head_in(connection, BASE)
            return _Published(head, offsets_in(connection, BASE))
        finally:
            connection.execute(f"DETACH {BASE}")


OPEN_SECONDS = 4.0
"""Seconds that a working file stays open between two pieces, if closing it takes no time."""

LONGEST_OPEN_SECONDS = 15.0
"""The maximum seconds that it stays open, however long closing takes."""

_SHARE_OF_CLOSING = 10
"""It stays open at least this many times as long as the last closing took: 10 instead of 23 closings for half a million turns on a busy machine."""

SMALL_BYTES = 5 * 1024 * 1024
"""A piece with fewer bytes of rows is small; a process that parses for another one hands over larger ones."""

_LITTLE = (LITTLE_STORE_MEMORY, STORE_LOG)
_MUCH = (MUCH_STORE_MEMORY, MUCH_STORE_LOG)
"""The memory and log size for small pieces and for others. Half a million turns take a sixth less processor time than with a quarter of the log."""


class FileIntake:
    """Puts pieces into the working file of a ledger in one file; see ``Intake``."""

    least_bytes = 0

    def __init__(self, files: LedgerFiles) -> None:
        self._files = files
        self._lock = FileLock(files.ingest_lock)
        self._store: ExitStack | None = None
        self._ingest: Ingest | None = None
        self._largest = 0
        self._opened_at = 0.0
        self._open_seconds = OPEN_SECONDS

    def take_in(self, prepared: Prepared, *, patience: float = 0.0) -> bool:
        """Ingest events that are in no segment."""
        with self._one_sentence():
            if self._ingest is None and not self._open(prepared, patience):
                return False
            assert self._ingest is not None
            try:
                self._ingest.take_in(prepared)
            except duckdb.Error as error:
                self._take_in_alone(prepared, error)
            except BaseException:
                self.close()
                raise
            if time.monotonic() - self._opened_at >= self._open_seconds:
                self.close()
                time.sleep(2 * POLL_SECONDS)  # else a waiting process finds the lock free only by chance
            return True

    def close(self) -> None:
        """Close the working file, and let others be the ingester."""
        if self._store is None:
            return
        store, self._store, self._ingest = self._store, None, None
        begin = time.monotonic()
        try:
            with self._one_sentence():
                _close(self._files, store)
        finally:
            self._lock.release()
            took = time.monotonic() - begin
            self._open_seconds = min(max(OPEN_SECONDS, _SHARE_OF_CLOSING * took), LONGEST_OPEN_SECONDS)

    def _open(self, prepared: Prepared, patience: float) -> bool:
        if not begin_ingest(self._files, self._lock, patience):
            return False
        store = ExitStack()
        try:
            self._largest = max(self._largest, prepared.size)  # the last piece of a file may be small
            bounds = _LITTLE if self._largest < SMALL_BYTES else _MUCH
            connection = store.enter_context(opened(self._files, *bounds))
            self._ingest = Ingest(self._files, connection, lambda: False)
        except BaseException:
            # Close the file first, since the next ingester opens it.
            store.close()
            self._lock.release()
            raise
        self._store, self._opened_at = store, time.monotonic()
        return True

    def _take_in_alone(self, prepared: Prepared, error: Exception) -> None:
        """Ingest a piece for which there was not enough memory; the parts already ingested are known."""
        if not wants_memory(error):
            self.close()
            raise error
        assert self._store is not None
        store, self._store, self._ingest = self._store, None, None
        try:
            _close(self._files, store)
            with_store(self._files, lambda found: Ingest(self._files, found, lambda: False).take_in(prepared))
        finally:
            self._lock.release()

    def _one_sentence(self) -> AbstractContextManager[None]:
        return one_sentence(f"The ledger {self._files.published} can't load what was recorded")


def _close(files: LedgerFiles, store: ExitStack) -> None:
    try:
        store.close()
    except duckdb.Error as error:
        if not wants_memory(error):
            raise
        with_store(files, lambda connection: connection.execute("CHECKPOINT"))
