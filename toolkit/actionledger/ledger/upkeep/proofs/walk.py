"""Goes through a chain, link by link, and says where it is not what it says of itself."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any

from duckdb import DuckDBPyConnection

from actionledger.core.plurals import counted
from actionledger.ledger.storage.cells import MARK_BYTES
from actionledger.ledger.storage.chain import FIRST, SPAN, Head, Link, host_of
from actionledger.ledger.storage.stored import StoredCell
from actionledger.ledger.upkeep.proofs.comparing import Said, Stored, compared, stored_of
from actionledger.ledger.upkeep.proofs.report import Fault, ProvenChain

_AT_A_TIME = 50_000
"""About how many cells are held at a time."""

_MOST_FAULTS = 100

_NO_NUMBER = 2**62
"""Beyond the number of any link."""


@dataclass(slots=True)
class Walk:
    """What was found on the way.

    Args:
        faults: what is not as it was taken in.
        heads: the head of each link, as the database says it.
        host: whose chain it is, in a lake.
        rows: how many rows were looked at.
        unproven: how many of them were there before a chain was kept.
        since: when the chain began; None where it is gone.
    """

    faults: list[Fault] = field(default_factory=list)
    heads: dict[int, str] = field(default_factory=dict)
    host: str = ""
    rows: int = 0
    unproven: int = 0
    since: datetime | None = None

    @property
    def proven(self) -> tuple[ProvenChain, ...]:
        """What the chain proves; nothing where it is gone."""
        if self.since is None:
            return ()
        head = Head(*max(self.heads.items()))
        return (ProvenChain(head, self.host, len(self.heads), self.rows, self.unproven, self.since),)


def walk(connection: DuckDBPyConnection) -> list[Walk]:
    """Go through the chains of the current database; of none it looks for more when it has found a hundred faults."""
    links = _links(connection)
    # One that is numbered beyond all that there can be is of no chain.
    last = links[-1][0] // SPAN + 1 if links else 0
    walks = [Walk() for _ in range(max(min(last, len(links)), 1))]
    for number, made_at, seed, head, _ in links:
        found = _of(walks, number)
        if found.since is None:
            found.since, found.host = made_at, host_of(seed or "")
        if number in found.heads:
            found.faults.append(Fault(f"The link {number} stands twice in the table links.", "links", number))
        found.heads[number] = head
    for chain, found in enumerate(walks):
        found.faults += _gaps(found, chain * SPAN)
    if not links:
        return walks
    for first, last, group in _groups(links):
        stored = stored_of(connection, first, last)
        for link in group:
            _go_on(connection, _of(walks, link[0]), link, stored)
        for number, cells in stored.cells.items():
            _of(walks, number).faults += _strays(number, cells)
    return walks


def _of(walks: Sequence[Walk], number: int) -> Walk:
    """Return the walk through a link's chain; what is of no chain is the first one's."""
    chain = number // SPAN
    return walks[chain if 0 <= chain < len(walks) else 0]


def _strays(number: int, cells: Sequence[StoredCell]) -> Iterator[Fault]:
    """Yield which tables have rows of a link that there is not."""
    rows: Counter[str] = Counter()
    for cell in cells:
        rows[cell.table] += cell.rows
    for table, count in rows.items():
        yield Fault(
            f"The table {table} has {counted(count, 'row')} of link {number}, which there is not.",
            table,
            number,
        )


def _go_on(connection: DuckDBPyConnection, found: Walk, link: tuple[Any, ...], stored: Stored) -> None:
    """Look at the next link of a chain."""
    number, made_at, seed, head, marks = link
    here = stored.cells.pop(number, [])
    rows = sum(cell.rows for cell in here)
    found.rows += rows
    if number == FIRST:
        found.unproven = rows
    if len(found.faults) < _MOST_FAULTS:
        said = Said(Link(number, made_at, (), (), seed or ""), head, marks, found.heads.get(number - 1, ""))
        found.faults += compared(connection, said, here, stored)


def _links(connection: DuckDBPyConnection) -> list[tuple[int, datetime, str | None, str, bytes]]:
    # What is NULL now was something else, and is found by its link's head; a row without a number is a link that is gone.
    return connection.execute(
        "SELECT link, coalesce(made_at, TIMESTAMP '1970-01-01'), seed, coalesce(head, ''), coalesce(marks, ''::BLOB) "
        "FROM links WHERE link IS NOT NULL ORDER BY link"
    ).fetchall()


def _gaps(found: Walk, first: int) -> Iterator[Fault]:
    """Yield the first link that is gone from a chain, or the chain."""
    if not found.heads:
        what = (
            f"The chain from link {first} on is gone"
            if first
            else "The table links is empty: the whole chain is gone"
        )
        yield Fault(f"{what}.", "links", first)
    for place, number in enumerate(found.heads, first):
        if number != place:
            yield Fault(f"The link {place} is gone from the table links.", "links", place)
            return


def _groups(links: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, int, Sequence[tuple[Any, ...]]]]:
    """Yield links that are looked at together, behind the first and the last number that there is of theirs up to others': all numbers are somebody's."""
    begins, size = [0], 0
    for place, link in enumerate(links):
        if size >= _AT_A_TIME:
            begins.append(place)
            size = 0
        size += len(link[4]) // MARK_BYTES
    for begin, end in pairwise([*begins, len(links)]):
        first = links[begin][0] if begin else -_NO_NUMBER
        last = links[end][0] - 1 if end < len(links) else _NO_NUMBER
        yield first, last, links[begin:end]
