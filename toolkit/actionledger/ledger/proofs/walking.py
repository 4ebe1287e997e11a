"""Goes through one database's chain, link by link, and says where it is not what it says of itself."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from duckdb import DuckDBPyConnection

from actionledger.common.plurals import counted
from actionledger.ledger.proofs.cells import ENDS, MARK_BYTES
from actionledger.ledger.proofs.chain import FIRST, Head, Link
from actionledger.ledger.proofs.missing import missing_rows
from actionledger.ledger.proofs.report import Fault
from actionledger.ledger.proofs.stored import PROVEN, StoredCell, rows_of_links, stored_cells
from actionledger.ledger.schema import LINK

_AT_A_TIME = 50_000
"""About how many cells are held at a time."""

_MOST_FAULTS = 100


@dataclass(slots=True)
class Walk:
    """What was found on the way.

    Args:
        faults: what is not as it was taken in.
        heads: the head of each link, as the file says it.
        rows: how many rows were looked at.
        unproven: how many of them belong to the first link.
        since: when the chain began.
    """

    faults: list[Fault] = field(default_factory=list)
    heads: dict[int, str] = field(default_factory=dict)
    rows: int = 0
    unproven: int = 0
    since: datetime | None = None

    @property
    def head(self) -> Head | None:
        """How far the chain has come."""
        return Head(*max(self.heads.items())) if self.heads else None


def walk(connection: DuckDBPyConnection) -> Walk:
    """Go through the chain of the current database; it stops looking for more when it has found a hundred faults.

    Args:
        connection: its current database is a ledger of the newest version; it is asked nothing else meanwhile.
    """
    found = Walk()
    links = _links(connection)
    found.heads = {number: head for number, _, _, head, _ in links}
    if not links:
        found.faults.append(Fault("The table links is empty: the whole chain is gone."))
        return found
    found.since = links[0][1]
    _note_gaps(links, found)
    _note_strays(connection, links, found)
    before = ""
    for group in _groups(links):
        cells = _cells(connection, group[0][0], group[-1][0])
        for number, made_at, seed, head, marks in group:
            here = cells.pop(number, [])
            found.rows += sum(cell.rows for cell in here)
            if number == FIRST:
                found.unproven = sum(cell.rows for cell in here)
            said = _Said(Link(number, made_at, (), (), seed or ""), head, marks, before)
            found.faults += _compared(connection, said, here)
            before = head
            if len(found.faults) >= _MOST_FAULTS:
                return found
    return found


def _links(connection: DuckDBPyConnection) -> list[tuple[int, datetime, str | None, str, bytes]]:
    # What is NULL now was something else, and is found by its link's head; a row without a number is a link that is gone.
    return connection.execute(
        "SELECT link, coalesce(made_at, TIMESTAMP '1970-01-01'), seed, coalesce(head, ''), coalesce(marks, ''::BLOB) "
        "FROM links WHERE link IS NOT NULL ORDER BY link"
    ).fetchall()


def _groups(links: Sequence[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    group: list[tuple[Any, ...]] = []
    size = 0
    for link in links:
        # The first link's rows are told by another condition than those of any other.
        if group and (size >= _AT_A_TIME or group[0][0] == FIRST):
            yield group
            group, size = [], 0
        group.append(link)
        size += len(link[4]) // MARK_BYTES
    yield group


def _cells(connection: DuckDBPyConnection, first: int, last: int) -> dict[int, list[StoredCell]]:
    cells: dict[int, list[StoredCell]] = {}
    for cell in stored_cells(connection, rows_of_links(first, last)):
        cells.setdefault(cell.link, []).append(cell)
    return cells


def _note_gaps(links: Sequence[tuple[Any, ...]], found: Walk) -> None:
    for place, (number, *_rest) in enumerate(links):
        if number != place:
            sentence = f"The link {place} is gone from the table links, or stands there twice."
            found.faults.append(Fault(sentence, "links", place))
            return


def _note_strays(connection: DuckDBPyConnection, links: Sequence[tuple[Any, ...]], found: Walk) -> None:
    """Note rows of links that there are not."""
    last = links[-1][0]
    for name in PROVEN:
        asked = f"SELECT count(*), min({LINK}) FROM {name} WHERE {LINK} > ? OR {LINK} < 0"  # noqa: S608 (our own names)
        [(count, link)] = connection.execute(asked, [last]).fetchall()
        if count:
            sentence = f"The table {name} has {counted(count, 'row')} of a link that there is not ({link}): nobody took that in."
            found.faults.append(Fault(sentence, name, link))


class _Said(NamedTuple):
    """What a link says of itself: when it was made and by what seed, its head, its cells' marks, and the head before it."""

    link: Link
    head: str
    marks: bytes
    before: str


def _compared(connection: DuckDBPyConnection, said: _Said, cells: list[StoredCell]) -> list[Fault]:
    """Return where a link is not what it says of itself; nothing where it is."""
    link, known = said.link, _marks(said.marks)
    gone = _digests(connection, "link", link.number)
    taken = tuple(_digests(connection, "by_link", link.number))
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


def _digests(connection: DuckDBPyConnection, column: str, link: int) -> list[bytes]:
    asked = f"SELECT coalesce(digest, ''::BLOB) FROM withdrawn WHERE {column} = ?"  # noqa: S608 (our own names)
    return [digest for (digest,) in connection.execute(asked, [link]).fetchall()]


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
