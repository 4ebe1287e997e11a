"""The viewer's own SQL statement, answered within limits as values that a page can show, and the tables to query."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from actionledger.core.canonical import json_text
from actionledger.ledger.queries import TableDescription
from actionledger_dashboard.components.controls import mount_of
from actionledger_dashboard.data import opened

ROWS = 5000
"""The number of rows that are kept of an answer; the command line returns all."""

SECONDS = 15.0
"""The time limit of a statement, in seconds."""

MAX_BYTES = 64 * 2**20
"""The size limit of a statement's kept rows together, in bytes."""

LONGEST_CELL = 2000
"""The number of characters that are kept of a cell."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The answer to a statement."""

    statement: str  # the statement
    names: tuple[str, ...]  # the columns' names, all different
    rows: tuple[tuple[Any, ...], ...]  # the first rows
    has_more: bool  # whether there are more rows
    seconds: float  # the duration

    def values(self, name: str) -> list[Any]:
        """Return the values of a column."""
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def is_number(self, name: str) -> bool:
        """Return whether a column has only numbers."""
        values = [value for value in self.values(name) if value is not None]
        return bool(values) and all(_is_number(value) for value in values)


def answer(statement: str) -> Asked:
    """Return the answer to a statement."""
    began = time.monotonic()
    with (
        opened().guarded(seconds=SECONDS, max_bytes=MAX_BYTES) as guarded,
        guarded.ask(statement) as answered,
    ):
        rows = tuple(islice(answered.rows, ROWS))
        has_more = next(answered.rows, None) is not None
        return Asked(statement, answered.names, rows, has_more, time.monotonic() - began)


def shown(value: object) -> str | float | None:
    """Return a value as a cell shows it: numbers as such, anything else as text."""
    if value is None or _is_number(value):
        return value  # type: ignore[return-value]
    text = json_text(value) if isinstance(value, dict | list) else str(value)
    return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…"


def as_rows(asked: Asked) -> Sequence[Mapping[str, object]]:
    """Return the rows for a file."""
    return [
        {name: json_text(value) if isinstance(value, dict | list) else value for name, value in zip(asked.names, row, strict=True)}
        for row in asked.rows
    ]  # fmt: skip


def _is_number(value: object) -> bool:
    # A browser would round integers beyond 53 bits, and JSON has no NaN or infinity.
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return abs(value) < 2**53
    return isinstance(value, float) and json.dumps(value) not in {"NaN", "Infinity", "-Infinity"}


_mount_catalogue = mount_of("catalogue")


def show_catalogue(tables: Sequence[TableDescription]) -> None:
    """Show the tables."""
    drawn = [
        {
            "name": table.name,
            "rows": table.rows,
            "meaning": table.meaning,
            "columns": [
                {"name": column.name, "type": column.sql_type, "meaning": column.meaning}
                for column in table.columns
            ],
        }
        for table in tables
    ]
    _mount_catalogue(key="catalogue", data={"tables": drawn})
