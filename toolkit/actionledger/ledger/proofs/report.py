"""What comes of verifying a ledger."""

from dataclasses import dataclass
from datetime import datetime

from actionledger.ledger.proofs.chain import Head


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not as it was taken in.

    Args:
        sentence: what is so, with the place.
        table: where; empty where that can't be told, or no table is meant.
        link: which link took it in; None where no link is meant.
        session_id, turn_id: whose it is; None where that can't be told.
        key: what tells the row from others of the table: a row's place in the file.
    """

    sentence: str
    table: str = ""
    link: int | None = None
    session_id: str | None = None
    turn_id: str | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """What comes of verifying a ledger.

    Args:
        faults: what is not as it was taken in, the first place first; none where all is.
        notes: what could not be looked at, or is no proof, a sentence each.
        head: how far the chain has come; None where there is none.
        links: how many links were looked at.
        rows: how many rows they hold.
        unproven: how many rows were recorded before proofs were kept.
        since: when the chain began, UTC without a zone; None where there is none.
        superseded: how many cells went with turns that a later state of a recording took the place of.
        forgotten: how many cells went with sessions that were forgotten.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     _ = ledger.record_turn("s1", "<execute>1 + 1</execute>", profile="mint")
        ...     found = ledger.verify()
        >>> found.faults
        ()
    """

    faults: tuple[Fault, ...]
    notes: tuple[str, ...]
    head: Head | None
    links: int = 0
    rows: int = 0
    unproven: int = 0
    since: datetime | None = None
    superseded: int = 0
    forgotten: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether all that could be looked at is as it was taken in."""
        return not self.faults
