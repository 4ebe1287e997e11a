"""What comes of verifying a ledger."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from actionledger.core.errors import UsageError
from actionledger.core.patterns import regex
from actionledger.ledger.storage.chain import Head


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
class ProvenChain:
    """What one chain proves.

    Args:
        head: how far it has come.
        host: whose commits it is of, in a lake; empty for the chain of a file, and in a lake for what was there before its hosts had any.
        links: how many links were looked at.
        rows: how many rows they hold.
        unproven: how many of those were recorded before proofs were kept.
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
    """What comes of verifying a ledger.

    Args:
        faults: what is not as it was taken in, the first place first; none where all is.
        notes: what could not be looked at, or is no proof, a sentence each.
        chains: what was looked at, chain by chain: one of a file, one of each host in a lake; none where there is none.
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
    chains: tuple[ProvenChain, ...] = ()
    superseded: int = 0
    forgotten: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether all that could be looked at is as it was taken in."""
        return not self.faults

    @property
    def head(self) -> str:
        """How far all chains have come, as it is to be kept elsewhere; empty where there is none."""
        return " ".join(str(each.head) for each in self.chains)

    @property
    def links(self) -> int:
        """How many links were looked at."""
        return sum(each.links for each in self.chains)

    @property
    def rows(self) -> int:
        """How many rows they hold."""
        return sum(each.rows for each in self.chains)

    @property
    def unproven(self) -> int:
        """How many rows were recorded before proofs were kept."""
        return sum(each.unproven for each in self.chains)

    @property
    def since(self) -> datetime | None:
        """When the first chain began, UTC without a zone; None where there is none."""
        return min((each.since for each in self.chains), default=None)


_HEAD = regex(r"(\d{1,18}):([0-9a-f]{64})")


def heads_in(text: str) -> tuple[Head, ...]:
    """Return the heads that a text names, one of each chain."""
    found = [_HEAD.fullmatch(word) for word in text.split()]
    heads = tuple(Head(int(each[1]), each[2]) for each in found if each is not None)
    if len(heads) < len(found):
        raise UsageError(
            f"{text!r} is not a head of a ledger; give one as 'actionledger verify --head' prints it: a number, a colon and 64 digits, and as many of "
            "them as it prints."
        )
    return heads


def faults_since(kept: Iterable[Head], heads: Mapping[int, str]) -> Iterator[Fault]:
    """Yield where a chain has no longer what it had when a head of it was kept."""
    for head in kept:
        if heads.get(head.link) == head.value:
            continue
        if head.link not in heads:
            ends = f"ends at link {max(heads)}" if heads else "is gone"
            sentence = f"The head that was kept is of link {head.link}, and its chain {ends}: an older state is in the ledger's place."
        else:
            sentence = f"The head that was kept is another one than that of link {head.link}: the records up to there were made anew."
        yield Fault(sentence, "links", head.link)
