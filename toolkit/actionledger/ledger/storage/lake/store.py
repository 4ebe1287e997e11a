"""A ledger in a lake: many hosts write to it, each through its own ingester, and all of them read the same tables."""

import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.errors import LedgerError
from actionledger.core.ids import utc
from actionledger.core.processes import FileLock, abandon, watch
from actionledger.ledger.storage.connections import BASE, offsets_in
from actionledger.ledger.storage.files import LedgerFiles, one_sentence
from actionledger.ledger.storage.lake.connection import (
    connect_lake,
    connect_reader,
    filled_tables_of,
    size_of,
)
from actionledger.ledger.storage.lake.place import GRACE_SECONDS, BlankLakeError, LakePlace, PrivateFiles
from actionledger.ledger.storage.lake.tables import (
    committed_heads,
    is_blank,
    is_conflict,
    is_older_than_chains,
    make_tables,
    refuse_other_versions,
    tried_again,
)
from actionledger.ledger.storage.memory import Instance
from actionledger.ledger.storage.schema import SCHEMA_VERSION, lacking
from actionledger.ledger.storage.segments import qualified_name, segment_sizes
from actionledger.ledger.storage.store import AsOf, IngestReport, Intake, Publishing

if TYPE_CHECKING:
    from actionledger.ledger.storage.chain import Head
    from actionledger.ledger.storage.lake.ingester import HostIngester
    from actionledger.ledger.upkeep.proofs.report import Verification
from collections.abc import Iterator

from actionledger.ledger.storage.chain import SPAN, Head
from actionledger.ledger.storage.lake.tables import create_everything
from actionledger.ledger.storage.stored import withdrawn_in
from actionledger.ledger.upkeep.migrations import version_in
from actionledger.ledger.upkeep.proofs.file import shape_of
from actionledger.ledger.upkeep.proofs.report import Fault, Verification, faults_since
from actionledger.ledger.upkeep.proofs.walk import ChainWalk, walk

_OLDER = (
    "The lake was recorded before its hosts kept proofs. Whoever opens it for writing begins a chain with what is there, and from then on it is "
    "proven."
)


def verify_lake(connection: DuckDBPyConnection, kept: Sequence[Head]) -> Verification:
    """Verify that a state of a lake holds what was ingested up to it."""
    if is_older_than_chains(connection):
        return Verification(tuple(faults_since(kept, {})), (_OLDER,))
    shape = shape_of(connection, create_everything, lacks=lacking(version_in(connection) or SCHEMA_VERSION))
    if not shape.can_be_walked:
        return Verification(shape.faults, shape.notes)
    walks = walk(connection)
    beyond = [head for head in kept if head.link // SPAN >= len(walks)]
    of_chains = (fault for chain, found in enumerate(walks) for fault in _of_chain(chain, found, kept))
    counts = withdrawn_in(connection)
    return Verification(
        faults=(*shape.faults, *of_chains, *faults_since(beyond, {})),
        notes=shape.notes,
        chains=tuple(proven for found in walks for proven in found.proven),
        superseded=counts.get("superseded", 0),
        forgotten=counts.get("forgotten", 0),
    )


def _of_chain(chain: int, found: ChainWalk, kept: Sequence[Head]) -> Iterator[Fault]:
    """Yield the faults of a chain, with the name of its host."""
    of_host = f"Of host {found.host}: " if found.host else ""
    since = faults_since([head for head in kept if head.link // SPAN == chain], found.heads)
    for fault in (*found.faults, *since):
        yield replace(fault, sentence=f"{of_host}{fault.sentence}")


_MADE_TWICE = ("already exists", "duplicate key value")
"""Errors that a catalog raises if another process has just created the tables."""

_NEWEST = f"SELECT max(snapshot_id) FROM __ducklake_metadata_{BASE}.ducklake_snapshot"
"""Selects the number of the newest state, before each statement of a reader: ``current_snapshot()`` takes two and a half times as long."""

_PATIENCE_SECONDS = 30.0
"""Seconds to wait for another process that turns the same blank lake into a ledger."""


class LakeStore:
    """A ledger in a lake as of a state, or the newest one plus this host's uncommitted events; see ``Store`` for what each method does."""

    def __init__(self, place: LakePlace, *, as_of: AsOf | None = None) -> None:
        self.files = LedgerFiles.at(place.path)
        self.place = place
        self.folders: tuple[str, ...] = (place.data_path,)
        self.host = place.host
        self.has_tail = as_of is None
        self._lock = Lock()
        self._watching: DuckDBPyConnection | None = None
        watch(self)
        self._fixed = None if as_of is None else self._snapshot_of(as_of)
        self.as_of: AsOf | None = self._fixed

    @cached_property
    def _ingester(self) -> "HostIngester":
        """The ingester of this host, with modules that a reader doesn't need."""
        from actionledger.ledger.storage.lake.ingester import LakeIngester  # noqa: PLC0415 - see above
        from actionledger.ledger.storage.lake.shipping import Shipper  # noqa: PLC0415

        committing = LakeIngester.of(self.place, self.files)
        return Shipper(committing) if self.place.queue_path else committing

    def make(self) -> None:
        """Turn the lake into a ledger if it is blank."""
        self.files.make_folders()
        if self._is_made():
            return
        lock = FileLock(self.files.making_lock)
        lock.acquire(_PATIENCE_SECONDS)
        try:
            with self._one_sentence("opened"):
                self._make()
        finally:
            lock.release()

    def _is_made(self) -> bool:
        """Return whether there is nothing to make, over the kept connection, since each new one reads the catalog anew."""
        try:
            version = self._version()
        except LedgerError as error:
            if self.place.queue_path and not isinstance(error, BlankLakeError):
                raise
            return False
        if self.place.queue_path:
            return True  # shipping needs no right to write to the lake
        with self._one_sentence("opened"), self._lock:
            return version == SCHEMA_VERSION and not is_older_than_chains(self._watched(), BASE)

    def _make(self) -> None:
        # Another host, or this one under another name of the same lake, may be making it all the same.
        private = PrivateFiles(self.place)
        private.begin()
        for attempt in tried_again(_is_in_the_way, seconds=_PATIENCE_SECONDS):
            with attempt, closing(connect_lake(self.place, writes=True)) as connection:
                make_tables(connection, self.place)
        private.tighten()

    def check(self) -> None:
        """Raise if the lake can't be read by this version."""
        self._version()

    def _version(self) -> int:
        try:
            with self._one_sentence("opened"), self._lock:
                return refuse_other_versions(self._watched(), self.place)
        except LedgerError as error:
            self.close()
            # If this host has committed before, the lake existed.
            if self.files.heads.exists() or not is_blank(self.place, error):
                raise
            raise BlankLakeError(
                f"The lake of {self.place.path} does not exist yet; the next process that opens it for writing makes it."
            ) from error

    def ingest(
        self, publishing: Publishing, *, patience: float = 0.0, is_stopped: Callable[[], bool] = lambda: False
    ) -> IngestReport:
        """Commit this host's segments; readers see them at once."""
        return self._ingester.ingest(publishing, patience=patience, is_stopped=is_stopped)

    def intake(self) -> Intake:
        """Return an intake that commits events that are in no segment, or leaves them to the segments if hosts ship these."""
        return self._ingester.intake()

    def forget(self, *, patience: float = 0.0) -> bool:
        """Delete the rows, and every state and file that has them."""
        return self._ingester.forget(patience=patience)

    def verify(self, kept: "Sequence[Head]") -> "Verification":
        """Verify every host's chain in the state that is read; for the newest one also this host's kept heads and its segments."""
        from actionledger.ledger.upkeep.proofs.file import faults_of_segments  # noqa: PLC0415

        # The kept heads are read before the state, so that the state has their commits.
        own = committed_heads(self.files) if self.has_tail else ()
        snapshot = self.state()
        assert isinstance(snapshot, int)
        with (
            self._one_sentence("verified"),
            closing(connect_lake(self.place, snapshot=snapshot)) as connection,
        ):
            refuse_other_versions(connection, self.place)
            connection.execute(f"USE {BASE}")
            found = verify_lake(connection, (*kept, *own))
            if not self.has_tail:
                return found
            files = self.files
            prefix = qualified_name(self.host, "")
            offsets = offsets_in(connection)
            of_host = faults_of_segments(
                files,
                {name.removeprefix(prefix): end for name, end in offsets.items() if name.startswith(prefix)},
            )
            return replace(found, faults=(*found.faults, *of_host))

    def due_in(self) -> float:
        """Return the seconds until the next commit is due."""
        return self._ingester.due_in()

    def is_behind(self) -> bool:
        """Return False, since readers see what is committed."""
        return False

    def exists(self) -> bool:
        """Return True, since a lake that could be opened exists."""
        return True

    def is_blank(self) -> bool:
        """Return whether nothing was ever committed, as the catalog alone tells, and no segment of this host is left."""
        with self._one_sentence("read"), self._lock:
            filled = self._watched().execute(f"{filled_tables_of(BASE)} WHERE table_name IN ('events', 'forgotten')")  # fmt: skip
            return not filled.fetchall() and not segment_sizes(self.files.segments)

    def state(self) -> Hashable:
        """Return the number of the snapshot that is read."""
        return self._fixed if self._fixed is not None else self._newest()

    def holds(self, state: Hashable, since: float) -> bool:  # noqa: ARG002 - any state will do here
        """Whether the segments still hold what came after a state: they do for a minute, whichever process commits meanwhile."""
        return time.monotonic() - since < GRACE_SECONDS / 2

    def connect(self, *, may_write: bool) -> Instance:
        """Attach the lake at one snapshot. A writer queries it little, so it gets no copy in memory."""
        snapshot = self.state()
        assert isinstance(snapshot, int)
        connection = connect_reader(self.place, snapshot, self._size(), may_hold=not may_write)
        try:
            lacks = lacking(refuse_other_versions(connection, self.place))
        except BaseException:
            connection.close()
            raise
        return Instance(connection, lacks=lacks)

    def start_over(self) -> None:
        """Abandon the parent's connection in a forked child."""
        if self._watching is not None:
            abandon(self._watching)
        self._watching = None
        self._lock = Lock()

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            if self._watching is not None:
                self._watching.close()
            self._watching = None

    def _newest(self) -> int | None:
        with self._one_sentence("read"):
            try:
                return self._snapshot_id(_NEWEST)
            except duckdb.Error:
                self.close()  # the catalog database may have been restarted
                return self._snapshot_id(_NEWEST)

    def _snapshot_of(self, as_of: AsOf) -> int:
        with self._one_sentence("read"):
            asked = "SELECT max(snapshot_id) FROM base.snapshots() WHERE "
            if isinstance(as_of, int):
                found = self._snapshot_id(asked + "snapshot_id = ?", as_of)
            else:
                found = self._snapshot_id(
                    asked + "snapshot_time <= ?::TIMESTAMPTZ", f"{utc(as_of).isoformat()}+00"
                )
        if found is None:
            raise LedgerError(
                f"The lake of {self.place.path} has no snapshot of {as_of}: it is younger, or that one was let go of."
            )
        return found

    def _snapshot_id(self, query: str, *values: object) -> int | None:
        with self._lock:
            # Fetch all rows, since a remaining one keeps the transaction open, and with it the state that it sees.
            [(value,)] = self._watched().execute(query, list(values)).fetchall()
        found: int | None = value
        return found

    def _size(self) -> int:
        with self._one_sentence("read"), self._lock:
            return size_of(self._watched())

    def _watched(self) -> DuckDBPyConnection:
        if self._watching is None:
            self._watching = connect_lake(self.place)
        return self._watching

    def _one_sentence(self, what: str) -> AbstractContextManager[None]:
        return one_sentence(f"The ledger {self.files.published} can't be {what}")


def _is_in_the_way(error: BaseException) -> bool:
    """Return whether another process is turning the lake into a ledger, so that its catalog can't be read yet."""
    made_twice = isinstance(error, duckdb.Error) and any(words in str(error) for words in _MADE_TWICE)
    return made_twice or is_conflict(error) or isinstance(error, duckdb.TransactionException)
