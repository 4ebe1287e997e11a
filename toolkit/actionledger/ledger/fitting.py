"""Makes the values of a row fit its columns, or says which one can't: what gets past this, DuckDB takes."""

import json
import re
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from math import isfinite
from typing import Any

from actionledger.common.clock import utc
from actionledger.common.text import writable
from actionledger.ledger.projection import Row
from actionledger.ledger.schema import TABLES

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_UUID_CHARACTERS = 36
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_INTEGERS = {"INTEGER": range(-(2**31), 2**31), "BIGINT": range(-(2**63), 2**63)}


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
    """Check and convert what a column of its type could not hold.

    Args:
        row: a row as it was derived.

    Returns:
        The row; times are UTC without a zone.

    Raises:
        ValueError: a value can't be held, with the column and the value in its text.
    """
    values = row.values
    identifiers, conversions = _CONVERSIONS[row.table]
    for column in identifiers:
        text = values.get(column)
        if text is None:
            continue
        # As is_uuid asks, without a call of it: a row has five of them.
        stored = _as_stored(text) if len(text) == _UUID_CHARACTERS else None
        if stored is None:
            raise ValueError(f"{column} is no UUID: {text[:100]!r}")
        values[column] = stored
    for column, convert in conversions:
        value = values.get(column)
        if value is not None:
            values[column] = convert(column, value)
    return row


def _fit_time(_column: str, value: datetime) -> datetime:
    return utc(value)


def _fit_float(_column: str, value: float) -> float | None:
    """Return an amount as DuckDB gives it back: whole ones too with their point, and those that no JSON has as NULL."""
    return float(value) if isfinite(value) else None


def _fit_json(_column: str, value: str) -> str:
    """Replace the escape of half a character, which Python's JSON has and DuckDB's has not."""
    if not _SURROGATE_ESCAPE.search(value):
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
    "DOUBLE": _fit_float,
    "JSON": _fit_json,
}


def _conversion(kind: str) -> Callable[[str, Any], Any] | None:
    if kind in _INTEGERS:
        return _fit_integer(_INTEGERS[kind])
    return _CONVERSION_BY_TYPE.get(kind)


_CONVERSIONS = {
    table.name: (
        [column for column, kind in table.columns.items() if kind == "UUID"],
        [
            (column, convert)
            for column, kind in table.columns.items()
            if (convert := _conversion(kind)) is not None
        ],
    )
    for table in TABLES
}
"""Which columns of a table hold identifiers, and which of the others' values are converted."""
