"""Events made ready to be taken in, away from the ledger: the rows of their tables, and what proves them.

It is the same road as a segment's line takes, for what comes by the thousand: the rows are those that ``projection.py`` makes. An
event that was not masked, has nothing to mask and fits its columns need not become a line to be read again; whichever may be
otherwise does. What has to be asked of the ledger, of events of other kinds, is left to whoever takes it in.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple
from uuid import UUID

from pydantic_core import PydanticSerializationError

from actionledger.errors import UsageError
from actionledger.events import (
    Event,
    ExecutionRecorded,
    ResponseParsed,
    ResponseReceived,
    SessionFinished,
    SessionStarted,
    TurnFinished,
)
from actionledger.ledger.arrow import ArrowRows, arrow_of
from actionledger.ledger.columns import Values
from actionledger.ledger.decoding import decode
from actionledger.ledger.encoding import encoded
from actionledger.ledger.fitting import INTEGERS, SURROGATE_ESCAPE, fit
from actionledger.ledger.projection import REPAIR_CHARACTERS, Row, rows_of
from actionledger.ledger.proofs.cells import ENDS, OF_TURNS, Cells, Owner, line_of, owner_of
from actionledger.ledger.proofs.chain import draw_salts
from actionledger.ledger.schema import TABLES, Table
from actionledger.ledger.segments import Line
from actionledger.privacy import may_hold_secrets

DIRECT = "import"
"""What stands in the place of a segment's name where a line was never in one."""

PREPARED = frozenset(
    {SessionStarted, SessionFinished, ResponseReceived, TurnFinished, ResponseParsed, ExecutionRecorded}
)
"""The kinds of events that come by the thousand, and ask nothing of a ledger but whether it knows them."""

_TOGETHER = 256
"""So many events are asked together what secrets they may hold."""

_TABLES = {table.name: table for table in TABLES}
_HALF_CHARACTER = re.compile(SURROGATE_ESCAPE.pattern.encode())
_UUID_CHARACTERS = 36


@dataclass(frozen=True, slots=True)
class Prepared:
    """Events as rows.

    Args:
        events: how many there are, but for ``others``.
        size: about how many bytes their rows take.
        rows: their rows, table by table.
        salts: what is drawn for each session or run, to salt its rows with.
        cells: the digests of all rows.
        others: the lines of events whose rows depend on what a ledger has.
    """

    events: int
    size: int
    rows: tuple[ArrowRows, ...]
    salts: dict[str, UUID]
    cells: tuple[bytes, ...]
    others: tuple[bytes, ...]


class UnwritableEventError(UsageError):
    """An event holds a value that JSON has no form for.

    Args:
        place: its place among the events.
        error: what says so.
    """

    def __init__(self, place: int, error: UsageError) -> None:
        super().__init__(str(error))
        self.place = place


def prepare(events: Sequence[Event]) -> Prepared:
    """Make events ready to be taken in.

    Args:
        events: the events, each once.

    Raises:
        UnwritableEventError: one of them holds a value that JSON has no form for.
    """
    made = [_plainly(place, event) for place, event in enumerate(events)]
    plain = [each for each in made if each is not None]
    doubtful = {place for place, each in enumerate(made) if each is None} | _doubtful(plain)
    others: list[bytes] = []
    if doubtful:
        plain = [each for each in plain if each.place not in doubtful]
        for place in sorted(doubtful):
            each = _as_recorded(place, events[place])
            if isinstance(each, bytes):
                others.append(each)
            else:
                plain.append(each)
    cells = _cells_of(plain)
    salts = draw_salts(cells.salted_by)
    size = sum(len(line) for each in plain for line in each.lines)
    return Prepared(
        len(plain), size, tuple(_in_arrow(plain)), salts, tuple(cells.digests(salts)), tuple(others)
    )


class _Made(NamedTuple):
    """An event's rows, and what each is proven by."""

    place: int
    event: Event
    rows: Sequence[Row]
    lines: Sequence[bytes]


def _plainly(place: int, event: Event) -> _Made | None:
    """Return an event's rows as it stands; None where it has to be masked and read before anybody can tell."""
    if type(event) not in PREPARED or _hides_something(event):
        return None
    try:
        rows = tuple(rows_of(event))
        return _Made(place, event, rows, [line_of(values) for _, values in rows])
    except (PydanticSerializationError, TypeError, AttributeError):
        return None  # a value of another type than its field's


def _as_recorded(place: int, event: Event) -> _Made | bytes:
    """Return an event's rows as its line says them; the line where it is left to whoever takes it in."""
    line, _ = _encoded(place, event)
    if type(event) not in PREPARED:
        return line
    try:
        recorded = decode(Line(DIRECT, 0, line))
        rows = [fit(row) for row in rows_of(recorded)]  # type: ignore[arg-type] # of a kind of today
    except ValueError:
        return line  # whoever takes it in says what is wrong with it
    return _Made(place, event, rows, [line_of(values) for _, values in rows])


def _cells_of(made: Sequence[_Made]) -> Cells:
    cells = Cells()
    for _, event, rows, lines in made:
        owners: dict[str, Owner] = {}  # of an event all rows in a table are somebody's
        for (name, values), line in zip(rows, lines, strict=True):
            group = name if name in ENDS else "turns" if name in OF_TURNS else "others"
            owner = owners.get(group)
            if owner is None:
                owner = owners[group] = owner_of(_TABLES[name], values, event)
            cells.add_line(name, owner, line)
    return cells


def _in_arrow(made: Sequence[_Made]) -> Iterator[ArrowRows]:
    for name, (rows, places) in _by_table(made).items():
        yield arrow_of(_TABLES[name], rows, places)


def _by_table(made: Sequence[_Made]) -> dict[str, tuple[list[Values], list[int]]]:
    """Return the rows of each table, and the places of their events."""
    found: dict[str, tuple[list[Values], list[int]]] = {}
    for place, _, rows, _ in made:
        for name, values in rows:
            of_table = found.get(name)
            if of_table is None:
                of_table = found[name] = ([], [])
            of_table[0].append(values)
            of_table[1].append(place)
    return found


def _encoded(place: int, event: Event) -> tuple[bytes, bool]:
    try:
        return encoded(event)
    except UsageError as error:
        raise UnwritableEventError(place, error) from error


def _hides_something(event: Event) -> bool:
    """Return whether an event's line has texts that its rows have otherwise: a secret could be seen in the line alone."""
    if isinstance(event, SessionFinished):
        return bool(event.scores or event.labels)
    return isinstance(event, ResponseParsed) and any(
        len(repair.before) > REPAIR_CHARACTERS or len(repair.after) > REPAIR_CHARACTERS
        for block in event.blocks
        for repair in block.repairs
    )


def _doubtful(made: Sequence[_Made]) -> set[int]:
    """Return the places of events that hold a secret, or a value that DuckDB may not give back as it is."""
    doubtful: set[int] = set()
    for first in range(0, len(made), _TOGETHER):
        group = made[first : first + _TOGETHER]
        doubtful.update(_with_secrets(group), _with_halves(group))
    for name, (rows, places) in _by_table(made).items():
        if not _fits(_TABLES[name], rows):
            doubtful.update(
                place
                for place, values in zip(places, rows, strict=True)
                if not _fits(_TABLES[name], [values])
            )
    return doubtful


def _with_secrets(made: Sequence[_Made]) -> Iterator[int]:
    """Yield the places of events in whose lines something is masked."""
    numbers = [number for number, each in enumerate(made) for _ in each.lines]
    for number in {
        numbers[line] for line in may_hold_secrets([line for each in made for line in each.lines])
    }:
        place, event, _, _ = made[number]
        if not _encoded(place, event)[1]:
            yield place


def _with_halves(made: Sequence[_Made]) -> Iterator[int]:
    """Yield the places of events that hold half a character in a JSON text."""
    whole = b"\n".join(line for each in made for line in each.lines)
    if b"\\u" in whole and _HALF_CHARACTER.search(whole):
        yield from (each.place for each in made if any(map(_HALF_CHARACTER.search, each.lines)))


def _fits(table: Table, rows: Sequence[Values]) -> bool:
    columns = zip(*rows, strict=True)
    return all(
        _is_plain(table.columns[name], column) for name, column in zip(table.staged, columns, strict=True)
    )


def _is_plain(kind: str, column: Sequence[Any]) -> bool:
    """Return whether DuckDB gives the values of a column back as they are."""
    types = set(map(type, column))
    if types == {type(None)}:
        return True
    if not all(issubclass(each, _PLAIN[kind]) for each in types) or (bool in types and kind != "BOOLEAN"):
        return False
    if kind in INTEGERS:
        numbers = [number for number in column if number is not None]
        return min(numbers) in INTEGERS[kind] and max(numbers) in INTEGERS[kind]
    if kind == "TIMESTAMP":
        return set(map(attrgetter("tzinfo"), filter(None, column))) == {None}
    return kind != "UUID" or _are_identifiers(set(column) - {None})


def _are_identifiers(texts: set[str]) -> bool:
    """Return whether texts look like identifiers in small letters; DuckDB refuses those that are none."""
    together = "".join(texts)
    return set(map(len, texts)) == {_UUID_CHARACTERS} and together == together.lower()


_PLAIN: dict[str, tuple[type, ...]] = {
    "VARCHAR": (str, type(None)),
    "JSON": (str, type(None)),
    "UUID": (str, type(None)),
    "INTEGER": (int, type(None)),
    "BIGINT": (int, type(None)),
    "DOUBLE": (float, type(None)),
    "BOOLEAN": (bool, type(None)),
    "TIMESTAMP": (datetime, type(None)),
}
"""Which Python types a column of each DuckDB type takes as they are."""
