"""Walk a chain link by link, and report where the link or its rows differ from the link's head."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple

from duckdb import DuckDBPyConnection

from actionledger.core.text import counted
from actionledger.ledger.storage.chain import FIRST, MARK_BYTES, SPAN, Head, Link, host_of
from actionledger.ledger.storage.schema import ENDS
from actionledger.ledger.storage.stored import StoredCell, rows_of_links, stored_cells
from actionledger.ledger.upkeep.proofs.report import Fault, ProvenChain

_OF_KINDS = {
    "turn_starts": ("response_received", "turn_id"),
    "turn_ends": ("turn_finished", "turn_id"),
    "parse_attempts": ("response_parsed", "turn_id"),
    "execution_starts": ("execution_started", "turn_id"),
    "approval_starts": ("approval_requested", "turn_id"),
    "reversals": ("action_reversed", "turn_id"),
    "resumptions": ("turn_resumed", "turn_id"),
    "session_starts": ("session_started", "session_id"),
    "session_ends": ("session_finished", "session_id"),
    "session_details": ("session_described", "session_id"),
    "run_starts": ("run_started", "run_id"),
    "run_ends": ("run_finished", "run_id"),
}
"""By table, the kind of event that each row comes from, and its key. If ``events`` has the event and the table no row, a row is missing."""

_MISSING = """
SELECT DISTINCT e.run_id::VARCHAR, e.session_id::VARCHAR, e.turn_id::VARCHAR FROM events AS e
ANTI JOIN superseded AS s ON s.turn_id = e.turn_id
ANTI JOIN {table} AS t ON t.{key} = e.{key}
WHERE e.link IS NOT DISTINCT FROM ? AND e.kind = ? ORDER BY ALL LIMIT 10"""

_COUNTED = {"blocks": "block_count", "actions": "action_count", "repairs": "repair_count"}
"""The tables whose row counts a parse attempt records."""

_TOO_FEW = """
SELECT p.run_id::VARCHAR, p.session_id::VARCHAR, p.turn_id::VARCHAR FROM parse_attempts AS p
LEFT JOIN (SELECT attempt_id, count(*) AS there FROM {table} GROUP BY attempt_id) AS t USING (attempt_id)
WHERE p.link IS NOT DISTINCT FROM ? AND p.{counted} > coalesce(t.there, 0) ORDER BY ALL LIMIT 10"""


def missing_rows(connection: DuckDBPyConnection, link: int, count: int) -> Iterator[Fault]:
    """Yield the missing rows of a link, as far as they can be identified."""
    number = link or None
    asked = [
        (table, _MISSING.format(table=table, key=key), [number, kind])
        for table, (kind, key) in _OF_KINDS.items()
    ]
    asked += [
        (table, _TOO_FEW.format(table=table, counted=each), [number]) for table, each in _COUNTED.items()
    ]
    told = 0
    for table, statement, parameters in asked:
        for run_id, session_id, turn_id in connection.execute(statement, parameters).fetchall():
            told += 1
            whose = (
                f"turn {turn_id} of session {session_id}"
                if turn_id
                else f"session {session_id or ''} of run {run_id}"
            )
            sentence = f"What link {link} took into the table {table} of {whose} is gone."
            yield Fault(sentence, table, link, session_id, turn_id)
    if told < count:
        yield Fault(
            f"Of {count - told:,} more turns, sessions or runs that link {link} took in, all rows of a table are gone; which, nothing that is left "
            "says.",
            "",
            link,
        )


class StoredLinks(NamedTuple):
    """The stored data of some links, by link: their cells, the digests of their deleted cells, and the digests of cells that they deleted."""

    cells: dict[int, list[StoredCell]]
    gone: dict[int, list[bytes]]
    taken: dict[int, list[bytes]]


def stored_of(connection: DuckDBPyConnection, first: int, last: int) -> StoredLinks:
    """Return the stored data of some links in the current database."""
    cells: dict[int, list[StoredCell]] = {}
    for cell in stored_cells(connection, rows_of_links(first, last)):
        cells.setdefault(cell.link, []).append(cell)
    gone, taken = (_digests(connection, column, first, last) for column in ("link", "by_link"))
    return StoredLinks(cells, gone, taken)


def _digests(connection: DuckDBPyConnection, column: str, first: int, last: int) -> dict[int, list[bytes]]:
    asked = f"SELECT {column}, coalesce(digest, ''::BLOB) FROM withdrawn WHERE {column} BETWEEN ? AND ?"  # noqa: S608 (our own names)
    digests: dict[int, list[bytes]] = {}
    for link, digest in connection.execute(asked, [first, last]).fetchall():
        digests.setdefault(link, []).append(digest)
    return digests


class Said(NamedTuple):
    """A link as recorded: its time and seed, its head, its cells' marks, and the previous head."""

    link: Link
    head: str
    marks: bytes
    before: str


def compared(
    connection: DuckDBPyConnection, said: Said, cells: list[StoredCell], stored: StoredLinks
) -> list[Fault]:
    """Return the faults of a link whose data doesn't match its head; empty if it matches."""
    link, known = (
        said.link,
        Counter(said.marks[place : place + MARK_BYTES] for place in range(0, len(said.marks), MARK_BYTES)),
    )
    gone, taken = stored.gone.get(link.number, []), stored.taken.get(link.number, [])
    made = [cell.digest if cell.digest[:MARK_BYTES] in known else cell.alternative for cell in cells] + gone
    if Link(link.number, link.made_at, made, taken, link.seed).head(said.before) == said.head:
        return []
    sentence = (
        f"The link {link.number} of {link.made_at:%Y-%m-%d %H:%M:%S} does not hold what its head says: the tables links, salts or "
        "withdrawn were changed there."
    )
    return list(_places(connection, link.number, known, cells, gone)) or [
        Fault(sentence, "links", link.number)
    ]


def _places(
    connection: DuckDBPyConnection,
    link: int,
    known: Counter[bytes],
    cells: list[StoredCell],
    gone: list[bytes],
) -> Iterator[Fault]:
    """Yield the changes to a link: first cells that it doesn't know, then known cells that are missing."""
    left = known - Counter(digest[:MARK_BYTES] for digest in gone)
    strange = []
    for cell in cells:
        mark = next(
            (each[:MARK_BYTES] for each in (cell.digest, cell.alternative) if left[each[:MARK_BYTES]]), None
        )
        if mark is None:
            strange.append(cell)
        else:
            left[mark] -= 1
    for cell in sorted(strange, key=lambda each: (each.table, each.owner)):
        yield _changed(connection, cell)
    missing = left.total() - len(strange)
    if missing > 0:
        yield from missing_rows(connection, link, missing)


def _changed(connection: DuckDBPyConnection, cell: StoredCell) -> Fault:
    session, turn = cell.owner.salted_by, cell.owner.identity
    of_turn = turn if turn != session else None
    if cell.table in ENDS:
        key = ENDS[cell.table]
        asked = f"SELECT turn_id::VARCHAR FROM {cell.table.replace('_ends', '_starts')} WHERE {key} = ?::UUID LIMIT 1"  # noqa: S608
        of_turn = next(iter(connection.execute(asked, [turn]).fetchone() or ()), None)
    asked = "SELECT turn_index FROM turn_starts WHERE turn_id = ?::UUID LIMIT 1"
    index = connection.execute(asked, [of_turn]).fetchone() if of_turn else None
    place = f"turn {index[0]} ({of_turn}) of session {session}" if index else f"session or run {session}"
    what = "The row" if cell.rows == 1 else f"One or more of the {cell.rows} rows"
    return Fault(
        f"{what} of {place} in the table {cell.table} was changed, added or lost since link {cell.link}.",
        cell.table,
        cell.link,
        session,
        of_turn,
    )


_AT_A_TIME = 50_000
"""About how many cells are in memory at a time."""

_MOST_FAULTS = 100

_NO_NUMBER = 2**62
"""A number beyond that of any link."""


@dataclass(slots=True)
class ChainWalk:
    """The findings of a walk along the chain."""

    faults: list[Fault] = field(default_factory=list)  # the differences from what was ingested
    heads: dict[int, str] = field(default_factory=dict)  # the recorded head of each link
    host: str = ""  # the chain's host, in a lake
    rows: int = 0  # the number of rows checked
    unproven: int = 0  # how many of them are from before the chain began
    since: datetime | None = None  # when the chain began; None if the chain is missing

    @property
    def proven(self) -> tuple[ProvenChain, ...]:
        """The proven chain; empty if it is missing."""
        if self.since is None:
            return ()
        head = Head(*max(self.heads.items()))
        return (ProvenChain(head, self.host, len(self.heads), self.rows, self.unproven, self.since),)


def walk(connection: DuckDBPyConnection) -> list[ChainWalk]:
    """Walk the chains of the current database. After a hundred faults in a chain it searches for no more there."""
    links = _links(connection)
    # A link whose number is too high belongs to no chain.
    last = links[-1][0] // SPAN + 1 if links else 0
    walks = [ChainWalk() for _ in range(max(min(last, len(links)), 1))]
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


def _of(walks: Sequence[ChainWalk], number: int) -> ChainWalk:
    """Return the walk of a link's chain; the first one if it belongs to no chain."""
    chain = number // SPAN
    return walks[chain if 0 <= chain < len(walks) else 0]


def _strays(number: int, cells: Sequence[StoredCell]) -> Iterator[Fault]:
    """Yield a fault for each table with rows of a link that doesn't exist."""
    rows: Counter[str] = Counter()
    for cell in cells:
        rows[cell.table] += cell.rows
    for table, count in rows.items():
        yield Fault(
            f"The table {table} has {counted(count, 'row')} of link {number}, which there is not.",
            table,
            number,
        )


def _go_on(
    connection: DuckDBPyConnection, found: ChainWalk, link: tuple[Any, ...], stored: StoredLinks
) -> None:
    """Check the next link of a chain."""
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
    # A value that is now NULL was another one: the link's head shows that. A row without a number is a missing link.
    return connection.execute(
        "SELECT link, coalesce(made_at, TIMESTAMP '1970-01-01'), seed, coalesce(head, ''), coalesce(marks, ''::BLOB) "
        "FROM links WHERE link IS NOT NULL ORDER BY link"
    ).fetchall()


def _gaps(found: ChainWalk, first: int) -> Iterator[Fault]:
    """Yield a fault for the first missing link of a chain, or for a missing chain."""
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
    """Yield groups of links that are checked together, with the first and the last number of each. The groups cover all numbers."""
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
