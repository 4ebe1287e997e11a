"""Makes the values of a row fit its columns, or says which one can't: what gets past this, DuckDB takes."""

import json
import re
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import Any

from actionledger.core.clock import utc
from actionledger.core.text import writable
from actionledger.ledger.storage.projection import Row
from actionledger.ledger.storage.schema import TABLES

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_UUID_CHARACTERS = 36
SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
"""The escape of half a character in a JSON text, which DuckDB has no form for."""

INTEGERS = {"INTEGER": range(-(2**31), 2**31), "BIGINT": range(-(2**63), 2**63)}
"""What a column of each type of whole numbers holds."""


def is_uuid(text: str) -> bool:
    """Whether ``text`` is a UUID with its hyphens."""
    return len(text) == _UUID_CHARACTERS and _has_the_form(text)


@lru_cache(maxsize=4096)  # the rows of an event, and of its neighbours, have the same run, session and turn
def _has_the_form(text: str) -> bool:
    return _UUID.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def _as_stored(text: str) -> str | None:
    """Return an identifier in small letters, as DuckDB gives it back; None where it is none."""
    return text.lower() if _has_the_form(text) else None


def fit(row: Row) -> Row:
    """Check and convert what a column of its type could not hold."""
    values = list(row.values)
    identifiers, conversions = _CONVERSIONS[row.table]
    for place, column in identifiers:
        text = values[place]
        if text is None:
            continue
        # As is_uuid asks, without a call of it: a row has five of them.
        stored = _as_stored(text) if len(text) == _UUID_CHARACTERS else None
        if stored is None:
            raise ValueError(f"{column} is no UUID: {text[:100]!r}")
        values[place] = stored
    for place, column, convert in conversions:
        if values[place] is not None:
            values[place] = convert(column, values[place])
    return Row(row.table, tuple(values))


def _fit_time(_column: str, value: datetime) -> datetime:
    return utc(value)


def _fit_json(_column: str, value: str) -> str:
    """Replace the escape of half a character, which Python's JSON has and DuckDB's has not."""
    if not SURROGATE_ESCAPE.search(value):
        return value
    try:
        return writable(json.dumps(json.loads(value), ensure_ascii=False))
    except (ValueError, RecursionError):
        return value  # no JSON: it is stored as a JSON string


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
"""Which columns of a table hold identifiers, and which of the others' values are converted, with their places in a row."""
