"""A chain: one link more for each transaction that takes something in, or takes something away.

A ledger in one file has one. In a lake each host has its own, so that hosts that commit side by side don't wait for each other: the
numbers of one chain's links lie ``SPAN`` from those of the next.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from secrets import token_hex
from typing import NamedTuple
from uuid import UUID, uuid4

from duckdb import DuckDBPyConnection

from actionledger.core.clock import now
from actionledger.ledger.storage.cells import MARK_BYTES

FIRST = 0
"""The link of all that was there before a chain was kept: nothing in a new ledger."""

SPAN = 1_000_000_000_000
"""How many links a chain can have: more than a file's column counts, and than a host ever commits."""


class Head(NamedTuple):
    """How far a chain has come.

    Args:
        link: the last link's number.
        value: its hash, in hexadecimal digits.
    """

    link: int
    value: str

    def __str__(self) -> str:
        return f"{self.link}:{self.value}"


@dataclass(frozen=True, slots=True)
class Link:
    """What one transaction took in and took away.

    Args:
        number: its place in the chain.
        made_at: when, UTC without a zone.
        cells: the digests of what it took in.
        withdrawn: those of what it took away.
        seed: of the first link alone, what tells this chain from every other one; in a lake behind the name of its host.
    """

    number: int
    made_at: datetime
    cells: Sequence[bytes]
    withdrawn: Sequence[bytes] = ()
    seed: str = ""

    def head(self, before: str) -> str:
        """Return the hash of this link and of all before it."""
        made = blake2b(
            f"{before}\n{self.seed}\n{self.number}\n{self.made_at.isoformat()}\n".encode(), digest_size=32
        )
        for part in (self.cells, self.withdrawn):
            made.update(len(part).to_bytes(8))
            made.update(b"".join(sorted(part)))
        return made.hexdigest()


class Chain:
    """Adds links to a chain of the current database; of whoever may write to it.

    Args:
        connection: its current database has a chain that has begun.
        head: how far the chain has come; None for the one chain of a file.
    """

    def __init__(self, connection: DuckDBPyConnection, head: Head | None = None) -> None:
        self._connection = connection
        self.head = head or head_in(connection)

    def write(self, cells: Sequence[bytes], withdrawn: Sequence[bytes] = ()) -> Head:
        """Write the next link; where its transaction is committed, ``head`` is to become what this returns."""
        link = Link(self.head.link + 1, now(), cells, withdrawn)
        head = link.head(self.head.value)
        insert_link(self._connection, link, head)
        return Head(link.number, head)

    def write_salts(self, salts: Mapping[str, UUID]) -> None:
        """Write the salts of the next link."""
        self._connection.execute(
            "INSERT INTO salts SELECT ?, unnest(string_split(?, ','))::UUID, unnest(string_split(?, ','))::UUID",
            [self.head.link + 1, ",".join(salts), ",".join(map(str, salts.values()))],
        )


def draw_salts(owners: Iterable[str]) -> dict[str, UUID]:
    """Return a salt that nobody can guess for each owner."""
    return {owner: uuid4() for owner in sorted(owners)}


def insert_link(connection: DuckDBPyConnection, link: Link, head: str) -> None:
    """Write a link with its head."""
    marks = b"".join(sorted(cell[:MARK_BYTES] for cell in link.cells))
    connection.execute(
        "INSERT INTO links VALUES (?, ?, ?, ?, ?)",
        [link.number, link.made_at, link.seed or None, head, marks],
    )


def begin(
    connection: DuckDBPyConnection, cells: Iterable[bytes] = (), *, number: int = FIRST, host: str = ""
) -> Head:
    """Begin a chain in the current database."""
    link = Link(number, now(), list(cells), seed=f"{host} {token_hex(16)}".lstrip())
    head = link.head("")
    insert_link(connection, link, head)
    return Head(number, head)


def host_of(seed: str) -> str:
    """Return whose chain it is that begins with a seed; empty for the chain of a file."""
    return seed.rpartition(" ")[0]


def head_in(connection: DuckDBPyConnection, catalog: str = "") -> Head:
    """Return how far the one chain of a file has come."""
    table = f"{catalog}.links" if catalog else "links"
    found = connection.execute(f"SELECT link, head FROM {table} ORDER BY link DESC LIMIT 1").fetchone()  # noqa: S608
    return Head(*found) if found else Head(-1, "")
