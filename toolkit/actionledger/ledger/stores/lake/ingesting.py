"""The ingester of one host: its segments go into the lake, a batch and its offsets in one commit, and readers see it at once."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from duckdb import DuckDBPyConnection

from actionledger.ledger.connections import BASE, offsets_in
from actionledger.ledger.files import LedgerFiles, forgetting_sentence, one_sentence, sync_to_disk
from actionledger.ledger.forgetting.intent import intent_of
from actionledger.ledger.ingest import IngestReport, Publishing
from actionledger.ledger.preparing import Prepared
from actionledger.ledger.segments import (
    Line,
    batches,
    has_live_writer,
    remove_finished,
    segment_sizes,
)
from actionledger.ledger.stores.lake.chains import OwnChain
from actionledger.ledger.stores.lake.connecting import connect_lake
from actionledger.ledger.stores.lake.forgetting import forget_in_lake, vacuum
from actionledger.ledger.stores.lake.loading import LakeLoader
from actionledger.ledger.stores.lake.own import OwnSessions
from actionledger.ledger.stores.lake.place import LakePlace
from actionledger.system.locks import FileLock, remove_free

BATCH_BYTES = 16 * 1024 * 1024
"""How much goes into one commit, in bytes of lines."""

GRACE_SECONDS = 60.0
"""How long a segment stays that was taken in whole: a reader that sees the state before still needs it."""


@dataclass(frozen=True, slots=True)
class LakeIntake:
    """Takes in events that are in no segment, a commit for each piece; see ``Intake``.

    Args:
        ingester: the host's ingester.
    """

    ingester: "LakeIngester"

    def take_in(self, prepared: Prepared, *, patience: float = 0.0) -> bool:
        """Commit events; return whether it was done."""
        return self.ingester.take_in(prepared, patience=patience)

    def close(self) -> None:
        """Nothing is held open between commits."""


@dataclass(frozen=True, slots=True)
class LakeIngester:
    """Takes in what one host has recorded.

    Args:
        place: where the lake is.
        files: what this host has of the ledger.
        chain: the host's own.
        own: the live sessions that are known to be this host's own.
    """

    place: LakePlace
    files: LedgerFiles
    chain: OwnChain
    own: OwnSessions = field(default_factory=OwnSessions)

    def ingest(
        self, publishing: Publishing, *, patience: float, is_stopped: Callable[[], bool]
    ) -> IngestReport:
        """Take in all that this host's segments hold; what may wait waits until a commit is due."""
        with self._elected(patience) as is_elected:
            if not is_elected:
                return IngestReport(was_busy=True)
            sizes = segment_sizes(self.files.segments)
            if not sizes:
                return IngestReport()
            if self._may_wait(publishing) and (due := self.due_in()) > 0:
                return IngestReport(due_in=due)
            with closing(self._connect()) as connection:
                return self._run(connection, is_stopped)

    def take_in(self, prepared: Prepared, *, patience: float) -> bool:
        """Take in events that are in no segment; return whether it was done."""
        with self._elected(patience) as is_elected:
            if is_elected:
                with closing(self._connect()) as connection, self.chain.gone_on_with(connection) as chain:
                    LakeLoader(connection, chain, self.own).load_prepared(prepared)
            return is_elected

    def forget(self, *, patience: float) -> bool:
        """Have nothing left of what is being forgotten; return whether it was done."""
        with self._elected(patience) as is_elected:
            return is_elected

    def due_in(self) -> float:
        """Return in how many seconds another commit is due; 0 where it is due now."""
        try:
            age = time.time() - self._committed.stat().st_mtime
        except FileNotFoundError:
            return 0.0
        # A clock that was set back must not stop it.
        seconds = self.place.commit_seconds
        return seconds - age if 0 <= age < seconds else 0.0

    def _run(self, connection: DuckDBPyConnection, is_stopped: Callable[[], bool]) -> IngestReport:
        with self.chain.gone_on_with(connection) as chain:
            loader = LakeLoader(connection, chain, self.own)
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
        """Commit what the segments hold; return how far each was taken in, and whether there was anything."""
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
        """Forget what is being forgotten before anything else."""
        intent = intent_of(self.files)
        if intent is None or not intent.is_beside_done:
            return
        with forgetting_sentence(self.files):
            with closing(self._connect()) as connection, self.chain.gone_on_with(connection) as chain:
                known, _ = self._load(connection, LakeLoader(connection, chain, self.own), lambda: False)
                forget_in_lake(connection, self.place, self.files, intent, known, chain=chain)
            vacuum(self.place)
            self.files.forgetting.unlink(missing_ok=True)
            sync_to_disk(self.files.folder)

    def _note_commit(self, batch: Sequence[Line]) -> None:
        self._committed.touch(mode=0o600)
        for segment in {line.segment for line in batch}:
            # Its grace begins now, however long it has waited.
            os.utime(self.files.segments / segment.removeprefix(f"{self.place.host}/"))

    def _may_wait(self, publishing: Publishing) -> bool:
        if publishing is Publishing.UNLESS_OTHERS_WRITE:
            return has_live_writer(self.files.segments)
        return publishing is Publishing.WHEN_DUE

    def _connect(self) -> DuckDBPyConnection:
        connection = connect_lake(self.place, writes=True)
        connection.execute(f"USE {BASE}")
        return connection

    @property
    def _committed(self) -> Path:
        return self.files.folder / "committed"

    @contextmanager
    def _elected(self, patience: float) -> Iterator[bool]:
        lock = FileLock(self.files.ingest_lock)
        with one_sentence(f"The ledger {self.files.published} can't take in what was recorded"):
            if not lock.acquire(patience):
                yield False
                return
            try:
                self.files.remove_leftovers()
                self._go_on_forgetting()
                yield True
            finally:
                lock.release()
