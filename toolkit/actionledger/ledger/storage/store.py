"""The interface of a ledger's storage, in a file or in a lake.

Recorded events are in segments on this host until the ingester loads them: rows and the segments' offsets, in one transaction.
Readers see one committed state, and add what the segments hold beyond that state's offsets.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import TYPE_CHECKING, Protocol, TypeAlias

from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.memory import Instance

if TYPE_CHECKING:
    from actionledger.ledger.storage.chain import Head
    from actionledger.ledger.storage.preparation import Prepared
    from actionledger.ledger.upkeep.proofs.report import Verification

AsOf: TypeAlias = int | datetime
"""A state of a lake: the number of a snapshot, or a time."""


class Publishing(Enum):
    """When an ingest publishes a new copy, if there is anything new."""

    AT_THE_END = auto()
    WHEN_DUE = auto()
    UNLESS_OTHERS_WRITE = auto()


@dataclass(frozen=True, slots=True)
class IngestReport:
    """The result of an ingest.

    Args:
        events: the number of ingested events.
        duplicates: the number of events skipped because their identifier is known.
        quarantined: the number of lines that could not be parsed.
        forgotten: the number of events skipped because their session is erased.
        was_busy: whether another process is the ingester now; then nothing was done.
        published: whether there is a new published copy.
        due_in: the seconds until the next publication of unpublished rows is due; None if all are published.
        shipped: the bytes of lines that were shipped to a lake's committer, which ingests them within a minute.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     _ = ledger.record_turn("s1", "<execute>1 + 1</execute>", profile="mint")
        ...     ledger.flush()
        ...     report = ledger.ingest()
        >>> report.quarantined
        0
    """

    events: int = 0
    duplicates: int = 0
    quarantined: int = 0
    forgotten: int = 0
    was_busy: bool = False
    published: bool = False
    due_in: float | None = None
    shipped: int = 0


class Intake(Protocol):
    """Ingests events that are in no segment, piece by piece, in one thread."""

    @property
    def least_bytes(self) -> int:
        """The size worth gathering for one piece, in bytes of lines; 0 if it doesn't matter."""

    def take_in(self, prepared: "Prepared", *, patience: float = 0.0) -> bool:
        """Ingest events, all of them or none; return whether that was done."""

    def close(self) -> None:
        """Let other processes ingest; a later call of ``take_in`` continues."""


class Store(Protocol):
    """The tables of one ledger, as one host sees them."""

    @property
    def files(self) -> LedgerFiles:
        """The ledger's files on this host: its path, the segments, the locks."""

    @property
    def folders(self) -> tuple[str, ...]:
        """Folders outside ``files`` that readers need, for setting access rights; empty if there are none."""

    @property
    def host(self) -> str:
        """The prefix of this host's segment names in the tables; empty if there is only one host."""

    @property
    def as_of(self) -> AsOf | None:
        """The past state that is read; None for the newest."""

    @property
    def has_tail(self) -> bool:
        """Whether readers see segments beyond the committed tables; False for a past state."""

    def ingest(
        self, publishing: Publishing, *, patience: float = 0.0, is_stopped: Callable[[], bool] = lambda: False
    ) -> IngestReport:
        """Ingest all of this host's segments."""

    def intake(self) -> Intake:
        """Return an intake for many events that are in no segment; close it after use."""

    def forget(self, *, patience: float = 0.0) -> bool:
        """Complete a pending erasure in the records, once everything next to the records is erased."""

    def verify(self, kept: "Sequence[Head]") -> "Verification":
        """Verify that the tables, as readers see them, hold what was ingested, and the segments the rest; it changes nothing."""

    def due_in(self) -> float:
        """Return the seconds until new events are due to be visible to readers; 0 if they are due now."""

    def is_behind(self) -> bool:
        """Whether the data that readers see must be made anew, whatever the segments hold."""

    def exists(self) -> bool:
        """Whether there is anything for readers to see."""

    def is_blank(self) -> bool:
        """Whether it is certainly empty, so that no query is needed."""

    def state(self) -> Hashable:
        """Return a value that identifies the state that readers see now."""

    def holds(self, state: Hashable, since: float) -> bool:
        """Return whether the segments have kept everything that came after a state."""

    def close(self) -> None:
        """Close what queries have opened; the next query opens it again."""

    def connect(self, *, may_write: bool) -> Instance:
        """Return an in-memory DuckDB with the committed tables attached for reading, under the name of ``BASE``."""
