"""One link beside what a database has of it, and where the two are not the same."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.cells import ENDS, MARK_BYTES
from actionledger.ledger.storage.chain import Link
from actionledger.ledger.storage.stored import StoredCell, rows_of_links, stored_cells
from actionledger.ledger.upkeep.proofs.missing import missing_rows
from actionledger.ledger.upkeep.proofs.report import Fault


class Stored(NamedTuple):
    """What a database has of some links: their cells, and the digests of what is gone of them and of what they took away, by link."""

    cells: dict[int, list[StoredCell]]
    gone: dict[int, list[bytes]]
    taken: dict[int, list[bytes]]


def stored_of(connection: DuckDBPyConnection, first: int, last: int) -> Stored:
    """Return what the current database has of some links."""
    cells: dict[int, list[StoredCell]] = {}
    for cell in stored_cells(connection, rows_of_links(first, last)):
        cells.setdefault(cell.link, []).append(cell)
    gone, taken = (_digests(connection, column, first, last) for column in ("link", "by_link"))
    return Stored(cells, gone, taken)


def _digests(connection: DuckDBPyConnection, column: str, first: int, last: int) -> dict[int, list[bytes]]:
    asked = f"SELECT {column}, coalesce(digest, ''::BLOB) FROM withdrawn WHERE {column} BETWEEN ? AND ?"  # noqa: S608 (our own names)
    digests: dict[int, list[bytes]] = {}
    for link, digest in connection.execute(asked, [first, last]).fetchall():
        digests.setdefault(link, []).append(digest)
    return digests


class Said(NamedTuple):
    """What a link says of itself: when it was made and by what seed, its head, its cells' marks, and the head before it."""

    link: Link
    head: str
    marks: bytes
    before: str


def compared(
    connection: DuckDBPyConnection, said: Said, cells: list[StoredCell], stored: Stored
) -> list[Fault]:
    """Return where a link is not what it says of itself; nothing where it is."""
    link, known = said.link, _marks(said.marks)
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


def _marks(marks: bytes) -> Counter[bytes]:
    return Counter(marks[place : place + MARK_BYTES] for place in range(0, len(marks), MARK_BYTES))


def _places(
    connection: DuckDBPyConnection,
    link: int,
    known: Counter[bytes],
    cells: list[StoredCell],
    gone: list[bytes],
) -> Iterator[Fault]:
    """Yield where a link is not what it was: its cells that it does not know, and then what it knows and has not."""
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
        f"{what} of {place} in the table {cell.table} was changed, added or lost since it was taken in by link {cell.link}.",
        cell.table,
        cell.link,
        session,
        of_turn,
    )
