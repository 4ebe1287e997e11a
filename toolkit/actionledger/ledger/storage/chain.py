"""A hash chain with a link for each transaction that adds or removes rows.

A ledger in one file has one chain. In a lake each host has its own, so that concurrent commits of hosts don't wait for each other.
The link numbers of successive chains are ``SPAN`` apart.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from hashlib import blake2b, md5
from secrets import token_hex
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from duckdb import DuckDBPyConnection

from actionledger.core.events import Event
from actionledger.core.ids import now
from actionledger.ledger.storage.columns import Values
from actionledger.ledger.storage.schema import ENDS, OF_SESSION, OF_TURN, Table

OF_TURNS = frozenset(OF_TURN)
"""The tables whose rows name their turn."""

OF_THEMSELVES = {"tools": ("tools_hash",), "quarantine": ("segment", "byte_offset")}
"""The tables whose rows belong to no turn, session or run, and their key columns."""

MARK_BYTES = 4
"""The bytes of each cell's digest that a link keeps, to find a changed cell; the proof is the link's head."""

_DIGEST_BYTES = 32


class Owner(NamedTuple):
    """The owner of rows."""

    identity: str  # the turn, session or run; a derived id for a row that belongs to none
    salted_by: str  # the owner of their salt: the session, if there is one


def owner_of(table: Table, values: Values, event: Event | None) -> Owner:
    """Return the owner of a row."""
    name, place = table.name, table.place
    if name in OF_THEMSELVES:
        # The derived id of a row that belongs to no turn, session or run; ``stored.py`` has the same in SQL.
        own = str(
            UUID(
                md5(
                    ":".join(map(str, ([values[place[column]] for column in OF_THEMSELVES[name]]))).encode(),
                    usedforsecurity=False,
                ).hexdigest()
            )
        )
        return Owner(own, own)
    session = getattr(event, "session_id", None)
    if session is None:
        run = values[place["run_id"]]
        return Owner(run, run)
    session = session.lower()
    if name in ENDS:
        return Owner(values[place[ENDS[name]]], session)
    return Owner(values[place["turn_id"]] if name in OF_TURNS else session, session)


class Cells:
    """Gathers rows by table and owner."""

    def __init__(self) -> None:
        # By table, identity and salt owner, as plain tuples: making an ``Owner`` takes as long as adding a row.
        self._lines: dict[tuple[str, str, str], list[bytes]] = {}

    def add(self, table: Table, values: Values, event: Event | None) -> None:
        """Add a row."""
        owner = owner_of(table, values, event)
        self._lines.setdefault((table.name, *owner), []).append(line_of(values))

    def add_lines(self, table: Table, columns: Sequence[Sequence[Any]], lines: Sequence[bytes]) -> None:
        """Add many rows of a table, all of sessions, with values as DuckDB returns them."""
        name, place = table.name, table.place
        sessions = columns[place[OF_SESSION if OF_SESSION in place else "session_id"]]
        identities = sessions
        if name in ENDS or name in OF_TURNS:
            identities = columns[place[ENDS.get(name, "turn_id")]]
        for identity, session, line in zip(identities, sessions, lines, strict=True):
            self._lines.setdefault((name, identity, session), []).append(line)

    @property
    def salted_by(self) -> set[str]:
        """The owners of the salts."""
        return {salted_by for _, _, salted_by in self._lines}

    def digests(self, salts: Mapping[str, UUID]) -> Iterator[bytes]:
        keys = {salted_by: salt.bytes for salted_by, salt in salts.items()}
        for (table, _, salted_by), lines in self._lines.items():
            yield digest(table, keys[salted_by], lines)

    def __bool__(self) -> bool:
        return bool(self._lines)


def line_of(values: Sequence[Any]) -> bytes:
    """Return a row in the form that its cell's digest covers."""
    return _to_json()(values, inf_nan_mode="null")


def lines_of(rows: Iterable[Sequence[Any]]) -> list[bytes]:
    """Return ``line_of`` each row."""
    to_json = _to_json()
    return [to_json(values, inf_nan_mode="null") for values in rows]


@cache
def _to_json() -> Callable[..., bytes]:
    from pydantic_core import to_json  # noqa: PLC0415 - slow to load, and a reader proves nothing

    return to_json


def digest(table: str, salt: bytes, lines: list[bytes]) -> bytes:
    """Return a cell's digest."""
    whole = lines[0] if len(lines) == 1 else b"\n".join(sorted(lines))
    return blake2b(b"%b\n%b" % (table.encode(), whole), key=salt, digest_size=_DIGEST_BYTES).digest()


FIRST = 0
"""The link of all rows from before the chain began; it has none in a new ledger."""

SPAN = 1_000_000_000_000
"""The maximum number of links of a chain: more than a file's column can count, and than a host ever commits."""


class Head(NamedTuple):
    """The head of a chain."""

    link: int  # the number of the last link
    value: str  # its hash, in hexadecimal digits

    def __str__(self) -> str:
        return f"{self.link}:{self.value}"


@dataclass(frozen=True, slots=True)
class Link:
    """A link of the chain: the rows that one transaction has added and removed."""

    number: int  # its number in the chain
    made_at: datetime  # its time, UTC without a zone
    cells: Sequence[bytes]  # the digests of the cells that it added
    withdrawn: Sequence[bytes] = ()  # the digests of the cells that it removed
    # only in the first link, a random value unique to this chain; in a lake after the name of its host
    seed: str = ""

    def head(self, before: str) -> str:
        """Return the hash of this link and of all links before it."""
        made = blake2b(
            f"{before}\n{self.seed}\n{self.number}\n{self.made_at.isoformat()}\n".encode(), digest_size=32
        )
        for part in (self.cells, self.withdrawn):
            made.update(len(part).to_bytes(8))
            made.update(b"".join(sorted(part)))
        return made.hexdigest()


class Chain:
    """Adds links to a chain of the current database; the caller must be its only writer."""

    def __init__(self, connection: DuckDBPyConnection, head: Head | None = None) -> None:
        self._connection = connection
        self.head = head or head_in(connection)

    def write(self, cells: Sequence[bytes], withdrawn: Sequence[bytes] = ()) -> Head:
        """Write the next link and return its head. Once the transaction is committed, the caller sets ``head`` to that."""
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
    """Return a random salt for each owner."""
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
    """Return the host in a chain's seed; empty for the chain of a file."""
    return seed.rpartition(" ")[0]


def head_in(connection: DuckDBPyConnection, catalog: str = "") -> Head:
    """Return the head of a file's only chain."""
    table = f"{catalog}.links" if catalog else "links"
    found = connection.execute(f"SELECT link, head FROM {table} ORDER BY link DESC LIMIT 1").fetchone()  # noqa: S608
    return Head(*found) if found else Head(-1, "")
