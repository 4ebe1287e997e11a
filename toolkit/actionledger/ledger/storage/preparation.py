"""Prepare events for ingestion outside the ledger: the rows of their tables, and their digests.

It does for many events at once what is done for a segment's line; the rows are those of ``projection.py``. An event that was not masked, has
nothing to mask and fits its columns need not be encoded as a line and decoded again. Any other does (``unsafe_events`` finds them). Steps that need
the ledger, for other kinds of events, are left to the ingester.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import compress
from operator import attrgetter, is_not
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

from actionledger.core.errors import UsageError
from actionledger.core.events import (
    EVENT,
    Event,
    ExecutionRecorded,
    ResponseParsed,
    ResponseReceived,
    SessionDescribed,
    SessionFinished,
    SessionStarted,
    TurnFinished,
)
from actionledger.core.ids import is_uuid
from actionledger.core.patterns import regex
from actionledger.core.privacy import mask_lines
from actionledger.core.text import utf8_with_halves
from actionledger.ledger.storage.arrow import ArrowRows, arrow_of, identifier_bytes
from actionledger.ledger.storage.chain import Cells, draw_salts, lines_of
from actionledger.ledger.storage.columns import Values, as_json
from actionledger.ledger.storage.encoding import encoded
from actionledger.ledger.storage.old_events import ReversalAsTry, reversal_as_try
from actionledger.ledger.storage.projection import (
    INTEGERS,
    REPAIR_CHARACTERS,
    SURROGATE_ESCAPE,
    Columns,
    Row,
    columns_of,
    fit,
    rows_of,
)
from actionledger.ledger.storage.schema import TABLES, Table
from actionledger.ledger.storage.segments import Line


def decode(line: Line) -> Event | ReversalAsTry:
    """Return a line's event, or an older version's form of one: its identifier is a UUID, its other fields are as written."""
    if line.is_cut_off:
        raise ValueError("cut off")
    event: Event | ReversalAsTry
    try:
        event = line.event or reversal_as_try(line.data) or EVENT.validate_json(line.data)
    except ValidationError as error:
        raise ValueError(_reason(error)) from None
    if not is_uuid(event.event_id):
        raise ValueError(f"bad field: event_id is not a UUID: {event.event_id[:100]!r}")
    return event


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    match first["type"]:
        case "json_invalid":
            return f"bad JSON: {first['msg']}"
        case "union_tag_invalid":
            return f"unknown kind: {first['ctx']['tag']!r}"[:200]
        case _:
            place = ".".join(str(part) for part in first["loc"])
            return f"bad field: {place}: {first['msg']}" if place else f"no event: {first['msg']}"


DIRECT = "import"
"""The segment name of a line that was never in a segment."""

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
"""The kinds of events that come by the thousand, and need nothing from a ledger except whether it knows them."""

_TABLES = {table.name: table for table in TABLES}


@dataclass(frozen=True, slots=True)
class Prepared:
    """Events as rows."""

    events: int  # the number of events, without `others`
    size: int  # about how many bytes their rows have
    rows: tuple[ArrowRows, ...]  # their rows, by table
    salts: dict[str, UUID]  # the salt of each session or run
    cells: tuple[bytes, ...]  # the digests of all rows
    others: tuple[bytes, ...]  # the lines of events whose rows depend on what a ledger has


class UnwritableEventError(UsageError):
    """An event holds a value that JSON can't represent."""

    def __init__(self, place: int, error: UsageError) -> None:
        super().__init__(str(error))
        self.place = place


def prepare(events: Sequence[Event]) -> Prepared:
    """Prepare events for ingestion."""
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
        lines = lines_of(zip(*rows.columns, strict=True))
        cells.add_lines(_TABLES[name], rows.columns, lines)
        size += sum(map(len, lines))
    salts = draw_salts(cells.salted_by)
    in_arrow = (arrow_of(_TABLES[name], rows.columns, rows.places) for name, rows in tables.items())
    count = len(events) - len(others)
    return Prepared(count, size, tuple(in_arrow), salts, tuple(cells.digests(salts)), tuple(others))


def _plainly(events: Sequence[Event]) -> tuple[dict[str, Columns], list[int]]:
    """Return the rows of unchanged events, and the indexes of events that must first be masked and decoded."""
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
    """Return the rows of events, and the indexes of those that are not safe."""
    try:
        tables = columns_of(events)
    except (TypeError, AttributeError) as error:
        raise OddValueError from error
    return tables, unsafe_events(tables)


def _is_odd(event: Event) -> bool:
    try:
        _looked_at([event])
    except OddValueError:
        return True
    return False


def _without(tables: dict[str, Columns], places: Collection[int]) -> dict[str, Columns]:
    """Return the rows of all events except some."""
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
    """Return an event's rows as its line gives them; or the line, if it is left to the ingester."""
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
        return line  # the ingester reports what is wrong with it


def _add(tables: dict[str, Columns], recorded: Sequence[Sequence[Row]], first: int) -> None:
    """Add the rows of events that were made one by one; their indexes begin with ``first``."""
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


_TOGETHER = 512
"""The number of texts that are searched for secrets together."""

_OBJECTS = {
    table.name: [
        table.place[column.name] for part in table.parts for column in part.columns if column.read is as_json
    ]
    for table in TABLES
}
"""The indexes of columns in a table's rows whose values are no texts in a line, but its own JSON."""

_TEXTS = {
    table.name: [
        place
        for place, name in enumerate(table.staged)
        if table.columns[name] in {"VARCHAR", "JSON"} and place not in _OBJECTS[table.name]
    ]
    for table in TABLES
}
"""The indexes of text columns in a table's rows, those of JSON as a text among them."""

_HALF_CHARACTER = regex(SURROGATE_ESCAPE.pattern.encode())


class OddValueError(Exception):
    """A value doesn't have its field's type, and can't be made a text."""


def hides_something(event: Event) -> bool:
    """Return whether an event's line has texts that its rows lack or shorten, so that a secret may be in the line alone."""
    if isinstance(event, SessionFinished):
        return bool(event.scores or event.labels)
    if isinstance(event, SessionDescribed):
        return bool(event.pull_requests)
    return isinstance(event, ResponseParsed) and any(
        len(repair.before) > REPAIR_CHARACTERS or len(repair.after) > REPAIR_CHARACTERS
        for block in event.blocks
        for repair in block.repairs
    )


def unsafe_events(tables: Mapping[str, Columns]) -> set[int]:
    """Return the indexes of events that hold a secret, or a value that DuckDB may not return unchanged."""
    try:
        places = {place for name, rows in tables.items() for place in _unfit(_TABLES[name], rows)}
        changed = _changed(_texts_in(tables, _TEXTS), to_json)
        changed |= _changed(_texts_in(tables, _OBJECTS), utf8_with_halves)
        if changed:
            places |= _places_of(changed, tables)
    except (PydanticSerializationError, TypeError, UsageError) as error:
        raise OddValueError from error
    return places


def _texts_in(tables: Mapping[str, Columns], places: Mapping[str, Sequence[int]]) -> list[str]:
    """Return each text in some columns once; most occur several times."""
    texts: set[Any] = set()
    for name, rows in tables.items():
        texts.update(*(rows.columns[place] for place in places[name]))
    return list(texts - {None})


def _changed(texts: Sequence[str], written: Callable[[str], bytes]) -> set[str]:
    """Return the texts that masking changes in a line, or that may hold half a character."""
    changed: set[str] = set()
    for first in range(0, len(texts), _TOGETHER):
        group = texts[first : first + _TOGETHER]
        lines = [written(text) for text in group]
        kept = mask_lines(lines)
        together = b"".join(lines)
        may_be_half = b"\\u" in together and _HALF_CHARACTER.search(together)
        if may_be_half or any(map(is_not, kept, lines)):
            changed.update(
                text
                for text, line, masked in zip(group, lines, kept, strict=True)
                if masked is not line or (may_be_half and _HALF_CHARACTER.search(line))
            )
    return changed


def _places_of(texts: Collection[str], tables: Mapping[str, Columns]) -> set[int]:
    """Return the indexes of events that have any of some texts."""
    return {
        place
        for name, rows in tables.items()
        for column in (*_TEXTS[name], *_OBJECTS[name])
        for place, text in zip(rows.places, rows.columns[column], strict=True)
        if text in texts
    }


def _unfit(table: Table, rows: Columns) -> Iterator[int]:
    """Yield the indexes of events with a value that DuckDB does not return unchanged."""
    for name, column in zip(table.staged, rows.columns, strict=True):
        kind = table.columns[name]
        if not _is_plain(kind, column):
            for place, value in zip(rows.places, column, strict=True):
                if not _is_plain(kind, [value]):
                    yield place


def _is_plain(kind: str, column: Sequence[Any]) -> bool:
    """Return whether DuckDB returns the values of a column unchanged."""
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
    try:
        identifier_bytes(texts)
    except ValueError:
        return False
    return True


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
"""The Python types that a column of each DuckDB type takes unchanged."""
