"""Events made ready to be taken in, away from the ledger: the rows of their tables, and what proves them.

It is the same road as a segment's line takes, for what comes by the thousand: the rows are those that ``projection.py`` makes. An
event that was not masked, has nothing to mask and fits its columns need not become a line to be read again; whichever may be
otherwise does. What has to be asked of the ledger, of events of other kinds, is left to whoever takes it in.
"""

import re
from collections import defaultdict
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
"""So many events are asked together what secrets they may hold, and whether their values fit."""

_TABLES = {table.name: table for table in TABLES}
_HALF_CHARACTER = re.compile(SURROGATE_ESCAPE.pattern.encode())
_UUID_CHARACTERS = 36


@dataclass(frozen=True, slots=True)
class Prepared:
    """Events as rows.

    Args:
        events: how many there are, but for ``others``.
        rows: their rows, table by table.
        salts: what is drawn for each session or run, to salt its rows with.
        cells: the digests of all rows.
        others: the lines of events whose rows depend on what a ledger has.
    """

    events: int
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
    preparing = _Preparing()
    for first in range(0, len(events), _TOGETHER):
        preparing.add(events[first : first + _TOGETHER], first)
    return preparing.finish()


class _Made(NamedTuple):
    """An event's rows, and what each is proven by."""

    place: int
    event: Event
    rows: Sequence[Row]
    lines: Sequence[bytes]


class _Preparing:
    """Gathers what ``prepare`` returns."""

    def __init__(self) -> None:
        self._rows: defaultdict[str, list[Values]] = defaultdict(list)
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        self._cells = Cells()
        self._others: list[bytes] = []
        self._events = 0

    def add(self, events: Sequence[Event], first: int) -> None:
        """Add events, the first of which has a place among all of them."""
        made = {place: _plainly(place, event) for place, event in enumerate(events, first)}
        plain = [each for each in made.values() if each is not None]
        is_odd, may_hide = _odd(plain), _with_secrets(plain)
        for (place, each), event in zip(made.items(), events, strict=True):
            if each is None or place in is_odd or (place in may_hide and not self._is_the_same(each)):
                self._add_as_recorded(place, event)
            else:
                self._take(each)

    def finish(self) -> Prepared:
        salts = draw_salts(self._cells.salted_by)
        cells = tuple(self._cells.digests(salts))
        rows = tuple(arrow_of(_TABLES[name], rows, self._places[name]) for name, rows in self._rows.items())
        return Prepared(self._events, rows, salts, cells, tuple(self._others))

    def _is_the_same(self, made: _Made) -> bool:
        """Return whether an event's line reads as the event does: nothing in it had to be masked."""
        return _encoded(made.place, made.event)[1]

    def _add_as_recorded(self, place: int, event: Event) -> None:
        """Add an event as its line says it."""
        line, _ = _encoded(place, event)
        if type(event) not in PREPARED:
            self._others.append(line)
            return
        try:
            recorded = decode(Line(DIRECT, 0, line))
            rows = [fit(row) for row in rows_of(recorded)]  # type: ignore[arg-type] # of a kind of today
        except ValueError:
            self._others.append(line)  # whoever takes it in says what is wrong with it
            return
        self._take(_Made(place, event, rows, [line_of(row.values) for row in rows]))

    def _take(self, made: _Made) -> None:
        self._events += 1
        place, event = made.place, made.event
        owners: dict[str, Owner] = {}  # of an event all rows in a table are somebody's
        for (name, values), line in zip(made.rows, made.lines, strict=True):
            self._rows[name].append(values)
            self._places[name].append(place)
            group = name if name in ENDS else "turns" if name in OF_TURNS else "others"
            owner = owners.get(group)
            if owner is None:
                owner = owners[group] = owner_of(_TABLES[name], values, event)
            self._cells.add_line(name, owner, line)


def _encoded(place: int, event: Event) -> tuple[bytes, bool]:
    try:
        return encoded(event)
    except UsageError as error:
        raise UnwritableEventError(place, error) from error


def _plainly(place: int, event: Event) -> _Made | None:
    """Return an event's rows as it stands; None where it has to be masked and read before anybody can tell."""
    if type(event) not in PREPARED or _hides_something(event):
        return None
    try:
        rows = tuple(rows_of(event))
        return _Made(place, event, rows, [line_of(row.values) for row in rows])
    except (PydanticSerializationError, TypeError, AttributeError):
        return None  # a value of another type than its field's


def _hides_something(event: Event) -> bool:
    """Return whether an event's line has texts that its rows have otherwise: a secret could be seen in the line alone."""
    if isinstance(event, SessionFinished):
        return bool(event.scores or event.labels)
    return isinstance(event, ResponseParsed) and any(
        len(repair.before) > REPAIR_CHARACTERS or len(repair.after) > REPAIR_CHARACTERS
        for block in event.blocks
        for repair in block.repairs
    )


def _with_secrets(made: Sequence[_Made]) -> set[int]:
    """Return the places of events that may hold a secret."""
    places = [each.place for each in made for _ in each.lines]
    return {places[number] for number in may_hold_secrets([line for each in made for line in each.lines])}


def _odd(made: Sequence[_Made]) -> set[int]:
    """Return the places of events with values that DuckDB may not give back as they are."""
    rows: defaultdict[str, list[tuple[int, Values]]] = defaultdict(list)
    for each in made:
        for name, values in each.rows:
            rows[name].append((each.place, values))
    odd = {place for name, of_table in rows.items() for place in _not_fitting(_TABLES[name], of_table)}
    whole = b"\n".join(line for each in made for line in each.lines)
    if b"\\u" in whole and _HALF_CHARACTER.search(whole):
        odd.update(each.place for each in made if any(map(_HALF_CHARACTER.search, each.lines)))
    return odd


def _not_fitting(table: Table, rows: Sequence[tuple[int, Values]]) -> Iterator[int]:
    """Yield the places of events with rows whose values may not be what DuckDB gives back: all rows are looked at together first."""
    if _fits(table, [values for _, values in rows]):
        return
    for place, values in rows:
        if not _fits(table, [values]):
            yield place


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
