"""Derive the rows of an event. Pure: the ingester and every reader derive the same rows from the same event."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple, cast

from pydantic_core import to_json

from actionledger.core.events import ApprovalDecided, Event, ExecutionRecorded, ResponseParsed, SystemNoted
from actionledger.core.ids import UUID_CHARACTERS, has_form_of_uuid, utc
from actionledger.core.patterns import regex
from actionledger.core.text import writable
from actionledger.core.values import FieldError, Repair
from actionledger.core.vocabulary import Reason
from actionledger.ledger.storage.columns import Values, take
from actionledger.ledger.storage.schema import IN_ATTEMPT, TABLES

REPAIR_CHARACTERS = 500
"""The characters of a repair's text that are kept."""

HEAD = ("event_id", "kind", "run_id", "session_id", "turn_id", "recorded_at")
"""The fields that ``events`` has of every event, if its kind has them."""

_BY_NAME = {table.name: table for table in TABLES}
_OF_EVENT = {table.source: table.name for table in TABLES if len(table.parts) == 1}
_EVENTS = _BY_NAME["events"]


class Row(NamedTuple):
    """One row of one table."""

    table: str  # the table's name
    values: Values  # its values, in the order of the table's `staged`


@dataclass(slots=True)
class Columns:
    """Rows of one table, column by column."""

    places: list[int]  # the index of each row's event among the events
    columns: Sequence[Sequence[Any]]  # the values, in the order of the table's `staged`


class _Head:
    """Makes the row in ``events`` for an event of a kind."""

    def __init__(self, kind: type) -> None:
        self._part = take(kind, *(name for name in HEAD if hasattr(kind, name)))
        places = {name: place for place, name in enumerate(self._part.staged)}
        self._picked: Callable[[Sequence[Any]], Values] = itemgetter(
            *(places.get(name, -1) for name in _EVENTS.staged)
        )

    def values(self, event: Event) -> Values:
        return self._picked((*self._part.values(event), None))

    def by_column(self, events: Sequence[Event]) -> Sequence[Sequence[Any]]:
        columns: Sequence[Sequence[Any]] = self._picked([*self._part.by_column(events), [None] * len(events)])
        return columns


_HEADS = {kind: _Head(kind) for kind in (*_OF_EVENT, ExecutionRecorded)}


def rows_of(event: Event) -> Iterator[Row]:
    """Derive the rows of an event."""
    yield Row("events", _head(event))
    for table in _tables_of(type(event)):
        yield Row(table, _BY_NAME[table].values(event))
    if isinstance(event, ResponseParsed):
        for table, things in _found_in(event):
            yield Row(table, _BY_NAME[table].values(*things))


def columns_of(events: Sequence[Event]) -> dict[str, Columns]:
    """Derive the rows of many events at once: the same rows as ``rows_of``, in half the time."""
    by_kind: defaultdict[type, list[int]] = defaultdict(list)
    for place, event in enumerate(events):
        by_kind[type(event)].append(place)
    made: defaultdict[str, tuple[list[int], list[tuple[Any, ...]]]] = defaultdict(lambda: ([], []))
    for kind, places in by_kind.items():
        of_kind = [events[place] for place in places]
        for table in _tables_of(kind):
            made[table] = places, list(zip(of_kind))
    for place in by_kind.get(ResponseParsed, ()):
        for table, things in _found_in(cast("ResponseParsed", events[place])):
            made[table][0].append(place)
            made[table][1].append(things)
    beside = {
        table: Columns(places, _BY_NAME[table].by_column(rows)) for table, (places, rows) in made.items()
    }
    return {"events": _heads(events, by_kind)} | beside if events else {}


def _heads(events: Sequence[Event], by_kind: Mapping[type, Sequence[int]]) -> Columns:
    """Return the rows in ``events``, grouped by kind."""
    columns: list[list[Any]] = [[] for _ in _EVENTS.staged]
    for kind, places in by_kind.items():
        of_kind = _HEADS[kind].by_column([events[place] for place in places])
        for column, more in zip(columns, of_kind, strict=True):
            column.extend(more)
    return Columns([place for places in by_kind.values() for place in places], columns)


def _head(event: Event) -> Values:
    """Return the row in ``events``: all of a note, and for a decision what its own table has no column for."""
    if isinstance(event, SystemNoted):
        return _EVENTS.values(event)
    values = _HEADS[type(event)].values(event)
    if isinstance(event, ApprovalDecided) and event.signature:
        detail = to_json({"approval_id": event.approval_id, "signature": event.signature}).decode()
        place = _EVENTS.place["detail"]
        return (*values[:place], detail, *values[place + 1 :])
    return values


def _tables_of(kind: type) -> tuple[str, ...]:
    """Return the tables besides ``events`` that have one row for each event of a kind."""
    if kind is ExecutionRecorded:
        return ("execution_starts", "execution_ends")
    return () if kind is SystemNoted else (_OF_EVENT[kind],)


def _found_in(event: ResponseParsed) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the table of each row for what was found in a response, and the objects that the row is made from."""
    dimensions = IN_ATTEMPT.values(event)
    for block in event.blocks:
        yield "blocks", (dimensions, block)
        for repair in block.repairs:
            yield "repairs", (dimensions, block, _bounded(repair))
    for issue in event.issues:
        yield "issues", (dimensions, issue)
    for action in event.actions:
        yield "actions", (dimensions, action, event, action)
        for error in action.errors:
            yield "validation_errors", (dimensions, action, error)
        for path, before, after in action.conversions:
            changed = FieldError(Reason.CONVERTED, path, before, after)
            yield "validation_errors", (dimensions, action, changed)


def _bounded(repair: Repair) -> Repair:
    """Return a repair with its texts cut to the kept length."""
    if max(len(repair.before), len(repair.after)) <= REPAIR_CHARACTERS:
        return repair
    return replace(repair, before=repair.before[:REPAIR_CHARACTERS], after=repair.after[:REPAIR_CHARACTERS])


SURROGATE_ESCAPE = regex(r"\\u[dD][89a-fA-F]")
"""The escape of half a character in a JSON text, which DuckDB can't represent."""

INTEGERS = {"INTEGER": range(-(2**31), 2**31), "BIGINT": range(-(2**63), 2**63)}
"""The range of each integer type."""


@lru_cache(maxsize=4096)
def _as_stored(text: str) -> str | None:
    """Return an identifier in lower case, as DuckDB returns it; None if it is not one."""
    return text.lower() if has_form_of_uuid(text) else None


def fit(row: Row) -> Row:
    """Check a row's values, and convert those that their column can't hold."""
    values = list(row.values)
    identifiers, conversions = _CONVERSIONS[row.table]
    for place, column in identifiers:
        text = values[place]
        if text is None:
            continue
        # The same check as is_uuid, without a call: a row has five of them.
        stored = _as_stored(text) if len(text) == UUID_CHARACTERS else None
        if stored is None:
            raise ValueError(f"{column} is not a UUID: {text[:100]!r}")
        values[place] = stored
    for place, column, convert in conversions:
        if values[place] is not None:
            values[place] = convert(column, values[place])
    return Row(row.table, tuple(values))


def _fit_time(_column: str, value: datetime) -> datetime:
    return utc(value)


def _fit_json(_column: str, value: str) -> str:
    """Replace escapes of half characters, which Python's JSON allows and DuckDB's does not."""
    if not SURROGATE_ESCAPE.search(value):
        return value
    try:
        return writable(json.dumps(json.loads(value), ensure_ascii=False))
    except (ValueError, RecursionError):
        return value  # not JSON: it is stored as a JSON string


def _fit_integer(allowed: range) -> Callable[[str, int], int]:
    def convert(column: str, value: int) -> int:
        if value not in allowed:
            raise ValueError(f"{column} is out of range: {value}")
        return value

    return convert


_CONVERSION_BY_TYPE: dict[str, Callable[[str, Any], Any]] = {
    "TIMESTAMP": _fit_time,
    "JSON": _fit_json,
}


def _conversion(kind: str) -> Callable[[str, Any], Any] | None:
    if kind in INTEGERS:
        return _fit_integer(INTEGERS[kind])
    return _CONVERSION_BY_TYPE.get(kind)


_CONVERSIONS = {
    table.name: (
        [(place, column) for place, column in enumerate(table.staged) if table.columns[column] == "UUID"],
        [
            (place, column, convert)
            for place, column in enumerate(table.staged)
            if (convert := _conversion(table.columns[column])) is not None
        ],
    )
    for table in TABLES
}
"""The columns of a table that hold identifiers, and the converters of other columns, with their indexes in a row."""
