"""The result of verifying a ledger."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from actionledger.core.errors import UsageError
from actionledger.core.patterns import regex
from actionledger.ledger.storage.chain import Head


@dataclass(frozen=True, slots=True)
class Fault:
    """A difference from what was ingested.

    Args:
        sentence: the difference and its place.
        table: the table; empty if unknown, or if it is about no table.
        link: the link that ingested it; None if it is about no link.
        session_id, turn_id: its session and turn; None if unknown.
        key: distinguishes the row from others of the table, such as its place in the file.
    """

    sentence: str
    table: str = ""
    link: int | None = None
    session_id: str | None = None
    turn_id: str | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class ProvenChain:
    """The proven part of one chain.

    Args:
        head: its last head.
        host: in a lake, the host of its commits; empty for a file's chain, and in a lake for rows from before its hosts had chains.
        links: the number of links checked.
        rows: the number of their rows.
        unproven: how many of these were recorded before proofs were kept.
        since: when the chain began, UTC without a zone.
    """

    head: Head
    host: str
    links: int
    rows: int
    unproven: int
    since: datetime


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying a ledger.

    Args:
        faults: the differences from what was ingested, the earliest first.
        notes: what could not be checked, or is not a proof, a sentence each.
        chains: the checked chains: one for a file, one for each host of a lake.
        superseded: how many cells were deleted with turns that a later state of a recording replaced.
        forgotten: how many cells were deleted with erased sessions.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     _ = ledger.record_turn("s1", "<execute>1 + 1</execute>", profile="mint")
        ...     found = ledger.verify()
        >>> found.faults
        ()
    """

    faults: tuple[Fault, ...]
    notes: tuple[str, ...]
    chains: tuple[ProvenChain, ...] = ()
    superseded: int = 0
    forgotten: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether no difference was found."""
        return not self.faults

    @property
    def head(self) -> str:
        """The last heads of all chains, as a text to keep elsewhere; empty if there are none."""
        return " ".join(str(each.head) for each in self.chains)

    @property
    def links(self) -> int:
        """The number of links checked."""
        return sum(each.links for each in self.chains)

    @property
    def rows(self) -> int:
        """The number of their rows."""
        return sum(each.rows for each in self.chains)

    @property
    def unproven(self) -> int:
        """The number of rows recorded before proofs were kept."""
        return sum(each.unproven for each in self.chains)

    @property
    def since(self) -> datetime | None:
        """When the first chain began, UTC without a zone; None if there is none."""
        return min((each.since for each in self.chains), default=None)


_HEAD = regex(r"(\d{1,18}):([0-9a-f]{64})")


def heads_in(text: str) -> tuple[Head, ...]:
    """Parse the heads in a text, one for each chain."""
    found = [_HEAD.fullmatch(word) for word in text.split()]
    heads = tuple(Head(int(each[1]), each[2]) for each in found if each is not None)
    if len(heads) < len(found):
        raise UsageError(
            f"{text!r} is not a head of a ledger; give one as 'actionledger verify --head' prints it: a number, a colon and 64 digits, and as many of "
            "them as it prints."
        )
    return heads


def faults_since(kept: Iterable[Head], heads: Mapping[int, str]) -> Iterator[Fault]:
    """Yield the faults of chains that no longer agree with a kept head."""
    for head in kept:
        if heads.get(head.link) == head.value:
            continue
        if head.link not in heads:
            ends = f"ends at link {max(heads)}" if heads else "is gone"
            sentence = f"The head that was kept is of link {head.link}, and its chain {ends}: an older state is in the ledger's place."
        else:
            sentence = f"The head that was kept is another one than that of link {head.link}: the records up to there were made anew."
        yield Fault(sentence, "links", head.link)
