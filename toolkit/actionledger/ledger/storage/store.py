"""What a ledger asks of the place where its tables lie, whichever that is.

What was recorded lies in segments on this host until the ingester takes it in: rows, and how far each segment was taken in, in one
transaction. Readers see what is committed, at one state of it, and add what the segments hold beyond that state's offsets.
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
    """When an ingest leaves a new published copy behind, if there is anything new."""

    AT_THE_END = auto()
    WHEN_DUE = auto()
    UNLESS_OTHERS_WRITE = auto()


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did.

    Args:
        events: how many events were taken in.
        duplicates: how many were passed over, since an event of the same identifier is known.
        quarantined: how many lines could not be read.
        forgotten: how many were passed over, since their session is forgotten.
        was_busy: whether somebody else is the ingester right now; then nothing was done.
        published: whether there is a new published copy.
        due_in: in how many seconds what is taken in and not published yet is due to be; None where all is published.
        shipped: how much was shipped to a lake's committer, in bytes of lines, which takes it in within a minute.

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
    """Takes in events that are in no segment, piece by piece; of one thread."""

    @property
    def least_bytes(self) -> int:
        """How much it is worth to gather for one piece, in bytes of lines; 0 where it is no matter."""

    def take_in(self, prepared: "Prepared", *, patience: float = 0.0) -> bool:
        """Take in events, all of them or none."""

    def close(self) -> None:
        """Let others take in what they have; asked again, it goes on."""


class Store(Protocol):
    """The tables of one ledger, as one host sees them."""

    @property
    def files(self) -> LedgerFiles:
        """What this host has of the ledger: its name, the segments, the locks."""

    @property
    def folders(self) -> tuple[str, ...]:
        """Where readers find what is not in ``files``, for whoever says what may be read; none where all of it is there."""

    @property
    def host(self) -> str:
        """What the names of this host's segments begin with in the tables; empty where there is but one host."""

    @property
    def as_of(self) -> AsOf | None:
        """The state of the past that is read; None for the newest."""

    @property
    def has_tail(self) -> bool:
        """Whether readers see what the segments hold beyond the committed tables: of a state of the past they don't."""

    def ingest(
        self, publishing: Publishing, *, patience: float = 0.0, is_stopped: Callable[[], bool] = lambda: False
    ) -> IngestReport:
        """Take in all that this host's segments hold."""

    def intake(self) -> Intake:
        """Return what takes in much that is in no segment; to be closed after use."""

    def forget(self, *, patience: float = 0.0) -> bool:
        """Have nothing left in the records of the sessions that are being forgotten, once all is gone that lies beside them."""

    def verify(self, kept: "Sequence[Head]") -> "Verification":
        """Look whether the tables, as readers see them, hold what was taken in, and the segments what was not yet; nothing is changed."""

    def due_in(self) -> float:
        """Return in how many seconds what is new is due to be seen by readers; 0 where it is due now."""

    def is_behind(self) -> bool:
        """Whether what readers see has to be made anew, whatever segments hold."""

    def exists(self) -> bool:
        """Whether there is something for readers to see."""

    def is_blank(self) -> bool:
        """Whether it certainly holds nothing, so that nobody need ask."""

    def state(self) -> Hashable:
        """Return what tells the state that readers see now from every other one."""

    def holds(self, state: Hashable, since: float) -> bool:
        """Return whether the segments have kept all that came after a state."""

    def close(self) -> None:
        """Let go of what asking has opened; asked again, it is opened again."""

    def connect(self, *, may_write: bool) -> Instance:
        """Return a DuckDB in memory with the committed tables attached for reading, under the name of ``BASE``."""
