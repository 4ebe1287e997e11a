"""Which events can't go the short way: one that may hold a secret, or a value that DuckDB does not give back as it is."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from actionledger.core.errors import UsageError
from actionledger.core.events import Event, ResponseParsed, SessionDescribed, SessionFinished
from actionledger.core.privacy import may_hold_secrets
from actionledger.ledger.storage.encoding import encoded
from actionledger.ledger.storage.fitting import INTEGERS, SURROGATE_ESCAPE
from actionledger.ledger.storage.identifiers import identifier_bytes
from actionledger.ledger.storage.projection import REPAIR_CHARACTERS, Columns
from actionledger.ledger.storage.schema import TABLES, Table

_TOGETHER = 512
"""So many texts are asked together what secrets they may hold."""

_TABLES = {table.name: table for table in TABLES}
_TEXTS = {
    table.name: [
        place for place, name in enumerate(table.staged) if table.columns[name] in {"VARCHAR", "JSON"}
    ]
    for table in TABLES
}
"""Where the texts of a table's rows stand."""

_HALF_CHARACTER = re.compile(SURROGATE_ESCAPE.pattern.encode())


class OddValueError(Exception):
    """A value is of a type that its field is not of, and no text can be made of it."""


def hides_something(event: Event) -> bool:
    """Return whether an event's line has texts that its rows have otherwise: a secret could be seen in the line alone."""
    if isinstance(event, SessionFinished):
        return bool(event.scores or event.labels)
    if isinstance(event, SessionDescribed):
        return bool(event.pull_requests)
    return isinstance(event, ResponseParsed) and any(
        len(repair.before) > REPAIR_CHARACTERS or len(repair.after) > REPAIR_CHARACTERS
        for block in event.blocks
        for repair in block.repairs
    )


def doubtful(events: Sequence[Event], tables: Mapping[str, Columns]) -> set[int]:
    """Return the places of events that hold a secret, or a value that DuckDB may not give back as it is."""
    try:
        places = {place for name, rows in tables.items() for place in _unfit(_TABLES[name], rows)}
        secret, halved = _asked(_texts_in(tables))
        if halved:
            places |= _places_of(halved, tables)
        if secret:
            places |= {place for place in _places_of(secret, tables) if not encoded(events[place])[1]}
    except (PydanticSerializationError, TypeError, UsageError) as error:
        raise OddValueError from error
    return places


def _texts_in(tables: Mapping[str, Columns]) -> list[str]:
    """Return each text of some rows once: most stand in several."""
    texts: set[Any] = set()
    for name, rows in tables.items():
        texts.update(*(rows.columns[place] for place in _TEXTS[name]))
    return list(texts - {None})


def _asked(texts: Sequence[str]) -> tuple[set[str], set[str]]:
    """Return those texts that may hold a secret, and those that may hold half a character."""
    secret: set[str] = set()
    halved: set[str] = set()
    for first in range(0, len(texts), _TOGETHER):
        group = texts[first : first + _TOGETHER]
        lines = [to_json(text) for text in group]
        secret.update(group[number] for number in may_hold_secrets(lines))
        together = b"".join(lines)
        if b"\\u" in together and _HALF_CHARACTER.search(together):
            halved.update(
                text for text, line in zip(group, lines, strict=True) if _HALF_CHARACTER.search(line)
            )
    return secret, halved


def _places_of(texts: Collection[str], tables: Mapping[str, Columns]) -> set[int]:
    """Return the places of events that have any of some texts."""
    return {
        place
        for name, rows in tables.items()
        for column in _TEXTS[name]
        for place, text in zip(rows.places, rows.columns[column], strict=True)
        if text in texts
    }


def _unfit(table: Table, rows: Columns) -> Iterator[int]:
    """Yield the places of events with a value that DuckDB does not give back as it is."""
    for name, column in zip(table.staged, rows.columns, strict=True):
        kind = table.columns[name]
        if not _is_plain(kind, column):
            for place, value in zip(rows.places, column, strict=True):
                if not _is_plain(kind, [value]):
                    yield place


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
"""Which Python types a column of each DuckDB type takes as they are."""
