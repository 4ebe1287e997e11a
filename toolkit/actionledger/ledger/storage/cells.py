"""Cells: whose a row is, and the digest of all rows of one owner in one table. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b, md5
from typing import Any, NamedTuple
from uuid import UUID

from pydantic_core import to_json

from actionledger.core.events import Event
from actionledger.ledger.storage.columns import Values
from actionledger.ledger.storage.schema import OF_SESSION, OF_TURN, Table

OF_TURNS = frozenset(OF_TURN)
"""The tables whose rows name the turn that they go with."""

ENDS = {"execution_ends": "execution_id", "approval_ends": "approval_id"}
"""The tables whose rows go with a turn that their starts name, and what start and end have in common."""

OF_THEMSELVES = {"tools": ("tools_hash",), "quarantine": ("segment", "byte_offset")}
"""The tables whose rows belong to nothing that is recorded, and what tells one from the other."""

MARK_BYTES = 4
"""How much of each cell's digest a link keeps, to find the cell that is not as it was; what proves it is the link's head."""

_DIGEST_BYTES = 32


class Owner(NamedTuple):
    """Whose rows are.

    Args:
        identity: the turn, session or run, or what stands for a row that belongs to none.
        salted_by: what they are forgotten with: the session where there is one.
    """

    identity: str
    salted_by: str


def owner_of(table: Table, values: Values, event: Event | None) -> Owner:
    """Return whose a row is."""
    name, place = table.name, table.place
    if name in OF_THEMSELVES:
        own = own_identity([values[place[column]] for column in OF_THEMSELVES[name]])
        return Owner(own, own)
    session = getattr(event, "session_id", None)
    if session is None:
        run = values[place["run_id"]]
        return Owner(run, run)
    session = session.lower()
    if name in ENDS:
        return Owner(values[place[ENDS[name]]], session)
    return Owner(values[place["turn_id"]] if name in OF_TURNS else session, session)


def own_identity(values: list[Any]) -> str:
    """Return what stands for a row that belongs to nothing that is recorded; ``stored.py`` has the same in SQL."""
    return str(UUID(md5(":".join(map(str, values)).encode(), usedforsecurity=False).hexdigest()))


class Cells:
    """Gathers rows by table and owner."""

    def __init__(self) -> None:
        # By table, identity and what it is salted by, as they are: to make an ``Owner`` of them takes as long as to add a row.
        self._lines: dict[tuple[str, str, str], list[bytes]] = {}

    def add(self, table: Table, values: Values, event: Event | None) -> None:
        """Add a row."""
        owner = owner_of(table, values, event)
        self._lines.setdefault((table.name, *owner), []).append(line_of(values))

    def add_lines(self, table: Table, columns: Sequence[Sequence[Any]], lines: Sequence[bytes]) -> None:
        """Add many rows of a table, of sessions and as DuckDB gives them back."""
        name, place = table.name, table.place
        sessions = columns[place[OF_SESSION if OF_SESSION in place else "session_id"]]
        identities = sessions
        if name in ENDS or name in OF_TURNS:
            identities = columns[place[ENDS.get(name, "turn_id")]]
        for identity, session, line in zip(identities, sessions, lines, strict=True):
            self._lines.setdefault((name, identity, session), []).append(line)

    @property
    def salted_by(self) -> set[str]:
        """What each salt is for."""
        return {salted_by for _, _, salted_by in self._lines}

    def digests(self, salts: Mapping[str, UUID]) -> Iterator[bytes]:
        """Yield the cells' digests."""
        keys = {salted_by: salt.bytes for salted_by, salt in salts.items()}
        for (table, _, salted_by), lines in self._lines.items():
            yield digest(table, keys[salted_by], lines)

    def __bool__(self) -> bool:
        return bool(self._lines)


def line_of(values: Sequence[Any]) -> bytes:
    """Return a row as it goes into its cell's digest."""
    return to_json(values, inf_nan_mode="null")


def digest(table: str, salt: bytes, lines: list[bytes]) -> bytes:
    """Return a cell's digest."""
    whole = b"\n".join(sorted(lines) if len(lines) > 1 else lines)
    return blake2b(b"%b\n%b" % (table.encode(), whole), key=salt, digest_size=_DIGEST_BYTES).digest()
