"""The ingester of one host: it commits the host's segments to the lake, each batch with its offsets, and readers see them at once."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Self

from duckdb import DuckDBPyConnection

from actionledger.core.processes import FileLock, remove_free
from actionledger.ledger.storage.connections import BASE, offsets_in
from actionledger.ledger.storage.files import LedgerFiles, forgetting_sentence, one_sentence, sync_to_disk
from actionledger.ledger.storage.lake.connection import connect_lake
from actionledger.ledger.storage.lake.forgetting import forget_in_lake, vacuum
from actionledger.ledger.storage.lake.loading import LakeLoader, OwnSessions
from actionledger.ledger.storage.lake.place import GRACE_SECONDS, LakePlace, PrivateFiles
from actionledger.ledger.storage.lake.tables import OwnChain
from actionledger.ledger.storage.preparation import Prepared
from actionledger.ledger.storage.segments import (
    Line,
    batches,
    has_live_writer,
    remove_finished,
    segment_sizes,
)
from actionledger.ledger.storage.store import IngestReport, Intake, Publishing
from actionledger.ledger.upkeep.forgetting.intent import intent_of

BATCH_BYTES = 16 * 1024 * 1024
"""The size of a commit, in bytes of lines."""

PIECE_BYTES = 12 * 1024 * 1024
"""The size of an import's commit, in bytes of lines: each commit queries what is known, and writes files for each table."""


class HostIngester(Protocol):
    """Ingests the records of one host: commits them, or ships them to the committer."""

    def ingest(
        self, publishing: Publishing, *, patience: float, is_stopped: Callable[[], bool]
    ) -> IngestReport:
        """See ``Store.ingest``."""

    def intake(self) -> Intake:
        """See ``Store.intake``."""

    def forget(self, *, patience: float) -> bool:
        """See ``Store.forget``."""

    def due_in(self) -> float:
        """See ``Store.due_in``."""


class LakeIntake:
    """Ingests events that are in no segment, one commit per piece, over one connection; see ``Intake``."""

    least_bytes = PIECE_BYTES

    def __init__(self, ingester: "LakeIngester") -> None:
        self._ingester = ingester
        self._connection: DuckDBPyConnection | None = None

    def take_in(self, prepared: Prepared, *, patience: float = 0.0) -> bool:
        """Commit events; return whether that was done."""
        with self._ingester.elected(patience) as is_elected:
            if is_elected:
                try:
                    # Keep the connection, which caches what it knows of the catalog.
                    self._connection = self._connection or self._ingester.connect()
                    with self._ingester.loading(self._connection) as loader:
                        loader.load_prepared(prepared)
                except BaseException:
                    self.close()
                    raise
        return is_elected

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


@dataclass(frozen=True, slots=True)
class LakeIngester:
    """Ingests the records of one host."""

    place: LakePlace
    files: LedgerFiles  # this host's files of the ledger
    chain: OwnChain  # the host's own
    private: PrivateFiles  # restricts access to the files of a lake on a disk
    own: OwnSessions = field(default_factory=OwnSessions)  # the live sessions known to be this host's own

    @classmethod
    def of(cls, place: LakePlace, files: LedgerFiles) -> Self:
        """Return the ingester of a host."""
        return cls(place, files, OwnChain(place, files), PrivateFiles(place))

    def ingest(
        self, publishing: Publishing, *, patience: float, is_stopped: Callable[[], bool]
    ) -> IngestReport:
        """Ingest all of this host's segments; what may wait does so until a commit is due."""
        with self.elected(patience) as is_elected:
            if not is_elected:
                return IngestReport(was_busy=True)
            sizes = segment_sizes(self.files.segments)
            if not sizes:
                return IngestReport()
            if self.may_wait(publishing) and (due := self.due_in()) > 0:
                return IngestReport(due_in=due)
            with closing(self.connect()) as connection:
                return self._run(connection, is_stopped)

    def intake(self) -> LakeIntake:
        """Return an intake for events that are in no segment."""
        return LakeIntake(self)

    def forget(self, *, patience: float) -> bool:
        """Complete a pending erasure; return whether that was done."""
        with self.elected(patience) as is_elected:
            return is_elected

    def due_in(self) -> float:
        """Return the seconds until the next commit is due; 0 if it is due now."""
        try:
            age = time.time() - self.committed.stat().st_mtime
        except FileNotFoundError:
            return 0.0
        # A clock that was set back must not stop commits.
        seconds = self.place.commit_seconds
        return seconds - age if 0 <= age < seconds else 0.0

    @contextmanager
    def loading(self, connection: DuckDBPyConnection) -> Iterator[LakeLoader]:
        """Give a loader that adds lines to the lake in commits of this host's chain."""
        shares = bool(self.place.queue_path)
        with self.chain.continuing_chain(connection) as chain:
            yield LakeLoader(connection, chain, self.own, shares_segments=shares)
        self.private.tighten()

    def _run(self, connection: DuckDBPyConnection, is_stopped: Callable[[], bool]) -> IngestReport:
        with self.loading(connection) as loader:
            known, has_committed = self._load(connection, loader, is_stopped)
        remove_finished(self.files.segments, known, host=self.place.host, older_than=GRACE_SECONDS)
        remove_free(self.files.sessions)
        tally = loader.tally
        return IngestReport(
            events=tally.events,
            duplicates=tally.duplicates,
            quarantined=tally.quarantined,
            forgotten=tally.forgotten,
            published=has_committed,
        )

    def _load(
        self, connection: DuckDBPyConnection, loader: LakeLoader, is_stopped: Callable[[], bool]
    ) -> tuple[dict[str, int], bool]:
        """Commit the segments; return how far each was ingested, and whether anything was committed."""
        known = offsets_in(connection, BASE)
        has_committed = False
        host = self.place.host
        for batch in batches(
            self.files.segments, known, finish=True, host=host, first=BATCH_BYTES, largest=BATCH_BYTES
        ):
            if is_stopped():
                break
            loader.load(batch)
            known |= {line.segment: line.end for line in batch}
            self._note_commit(batch)
            has_committed = True
        return known, has_committed

    def _go_on_forgetting(self) -> None:
        """Complete a pending erasure before anything else."""
        intent = intent_of(self.files)
        if intent is None or not intent.is_beside_done:
            return
        with forgetting_sentence(self.files):
            with closing(self.connect()) as connection:
                with self.loading(connection) as loader:
                    known, _ = self._load(connection, loader, lambda: False)
                with self.chain.continuing_chain(connection) as chain:
                    forget_in_lake(connection, self.place, self.files, intent, known, chain=chain)
            self.private.tighten()
            vacuum(self.place)
            self.files.forgetting.unlink(missing_ok=True)
            sync_to_disk(self.files.folder)

    def _note_commit(self, batch: Sequence[Line]) -> None:
        self.committed.touch(mode=0o600)
        for segment in {line.segment for line in batch}:
            # Its grace period begins now, however old it is.
            os.utime(self.files.segments / segment.removeprefix(f"{self.place.host}/"))

    def may_wait(self, publishing: Publishing) -> bool:
        """Return whether new events may wait until a commit is due."""
        if publishing is Publishing.UNLESS_OTHERS_WRITE:
            return has_live_writer(self.files.segments)
        return publishing is Publishing.WHEN_DUE

    def connect(self) -> DuckDBPyConnection:
        """Return a connection to the lake for writing; close it after use."""
        connection = connect_lake(self.place, writes=True)
        connection.execute(f"USE {BASE}")
        return connection

    @property
    def committed(self) -> Path:
        """The file whose modification time is that of this host's last commit or shipment."""
        return self.files.folder / "committed"

    @contextmanager
    def elected(self, patience: float) -> Iterator[bool]:
        """Be this host's ingester within the context, if no other process is; give whether that is so."""
        lock = FileLock(self.files.ingest_lock)
        with one_sentence(f"The ledger {self.files.published} can't load what was recorded"):
            if not lock.acquire(patience):
                yield False
                return
            try:
                self.files.remove_leftovers()
                self._go_on_forgetting()
                yield True
            finally:
                lock.release()
