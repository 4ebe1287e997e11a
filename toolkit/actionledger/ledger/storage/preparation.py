"""Events made ready to be taken in, away from the ledger: the rows of their tables, and what proves them.

It is the same road as a segment's line takes, for what comes by the thousand: the rows are those that ``projection.py`` makes, of all
events together. An event that was not masked, has nothing to mask and fits its columns need not become a line to be read again;
whichever may be otherwise (``doubtful.py``) does. What has to be asked of the ledger, of events of other kinds, is left to whoever
takes it in.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any
from uuid import UUID

from actionledger.core.errors import UsageError
from actionledger.core.events import (
    Event,
    ExecutionRecorded,
    ResponseParsed,
    ResponseReceived,
    SessionDescribed,
    SessionFinished,
    SessionStarted,
    TurnFinished,
)
from actionledger.ledger.storage.arrow import ArrowRows, arrow_of
from actionledger.ledger.storage.cells import Cells, line_of
from actionledger.ledger.storage.chain import draw_salts
from actionledger.ledger.storage.columns import Values
from actionledger.ledger.storage.decoding import decode
from actionledger.ledger.storage.doubtful import OddValueError, doubtful, hides_something
from actionledger.ledger.storage.encoding import encoded
from actionledger.ledger.storage.fitting import fit
from actionledger.ledger.storage.projection import Columns, Row, columns_of, rows_of
from actionledger.ledger.storage.schema import TABLES
from actionledger.ledger.storage.segments import Line

DIRECT = "import"
"""What stands in the place of a segment's name where a line was never in one."""

PREPARED = frozenset(
    {
        SessionStarted,
        SessionDescribed,
        SessionFinished,
        ResponseReceived,
        TurnFinished,
        ResponseParsed,
        ExecutionRecorded,
    }
)
"""The kinds of events that come by the thousand, and ask nothing of a ledger but whether it knows them."""

_TABLES = {table.name: table for table in TABLES}


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
    """Make events ready to be taken in."""
    tables, rest = _plainly(events)
    others: list[bytes] = []
    recorded: list[Sequence[Row]] = []
    for place in rest:
        made = _as_recorded(place, events[place])
        if isinstance(made, bytes):
            others.append(made)
        else:
            recorded.append(made)
    _add(tables, recorded, len(events))
    cells, size = Cells(), 0
    for name, rows in tables.items():
        lines = [line_of(values) for values in zip(*rows.columns, strict=True)]
        cells.add_lines(_TABLES[name], rows.columns, lines)
        size += sum(map(len, lines))
    salts = draw_salts(cells.salted_by)
    in_arrow = (arrow_of(_TABLES[name], rows.columns, rows.places) for name, rows in tables.items())
    count = len(events) - len(others)
    return Prepared(count, size, tuple(in_arrow), salts, tuple(cells.digests(salts)), tuple(others))


def _plainly(events: Sequence[Event]) -> tuple[dict[str, Columns], list[int]]:
    """Return the rows of events as they stand, and the places of those that have to be masked and read before anybody can tell."""
    places = [
        place for place, event in enumerate(events) if type(event) in PREPARED and not hides_something(event)
    ]
    try:
        tables, left = _looked_at([events[place] for place in places])
    except OddValueError:
        places = [place for place in places if not _is_odd(events[place])]
        tables, left = _looked_at([events[place] for place in places])
    kept = {place for number, place in enumerate(places) if number not in left}
    return _without(tables, left), [place for place in range(len(events)) if place not in kept]


def _looked_at(events: Sequence[Event]) -> tuple[dict[str, Columns], set[int]]:
    """Return the rows of events, and the places of those that are doubtful."""
    try:
        tables = columns_of(events)
    except (TypeError, AttributeError) as error:
        raise OddValueError from error
    return tables, doubtful(events, tables)


def _is_odd(event: Event) -> bool:
    try:
        _looked_at([event])
    except OddValueError:
        return True
    return False


def _without(tables: dict[str, Columns], places: Collection[int]) -> dict[str, Columns]:
    """Return the rows of all events but some."""
    if not places:
        return tables
    kept: dict[str, Columns] = {}
    for name, rows in tables.items():
        is_kept = [place not in places for place in rows.places]
        if any(is_kept):
            columns = [list(compress(column, is_kept)) for column in rows.columns]
            kept[name] = Columns(list(compress(rows.places, is_kept)), columns)
    return kept


def _as_recorded(place: int, event: Event) -> Sequence[Row] | bytes:
    """Return an event's rows as its line says them; the line where it is left to whoever takes it in."""
    try:
        line, _ = encoded(event)
    except UsageError as error:
        raise UnwritableEventError(place, error) from error
    if type(event) not in PREPARED:
        return line
    try:
        recorded = decode(Line(DIRECT, 0, line))
        return [fit(row) for row in rows_of(recorded)]  # type: ignore[arg-type] # of a kind of today
    except ValueError:
        return line  # whoever takes it in says what is wrong with it


def _add(tables: dict[str, Columns], recorded: Sequence[Sequence[Row]], first: int) -> None:
    """Add the rows of events that were made one by one; these events' places begin with ``first``."""
    found: defaultdict[str, tuple[list[int], list[Values]]] = defaultdict(lambda: ([], []))
    for place, rows in enumerate(recorded, first):
        for name, values in rows:
            found[name][0].append(place)
            found[name][1].append(values)
    for name, (places, more) in found.items():
        columns: list[Sequence[Any]] = list(zip(*more, strict=True))
        there = tables.get(name) or Columns([], [() for _ in columns])
        columns = [(*one, *other) for one, other in zip(there.columns, columns, strict=True)]
        tables[name] = Columns(there.places + places, columns)
