"""A reader's own statement, answered within bounds as values that a page can show, and the tables that it can ask."""

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
"""How many rows of an answer are kept; the command line gives all."""

SECONDS = 15.0
"""How long a statement may take."""

MAX_BYTES = 64 * 2**20
"""How much a statement may give, all rows that are kept together, in bytes."""

LONGEST_CELL = 2000
"""How many characters of a cell are kept."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a statement gave.

    Args:
        statement: the statement.
        names: the columns' names, no two of them the same.
        rows: the first rows.
        has_more: whether there are more than those.
        seconds: how long it took.
    """

    statement: str
    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    has_more: bool
    seconds: float

    def values(self, name: str) -> list[Any]:
        """Return the values of a column."""
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def is_number(self, name: str) -> bool:
        """Return whether a column holds numbers and nothing else."""
        values = [value for value in self.values(name) if value is not None]
        return bool(values) and all(_is_number(value) for value in values)


def answer(statement: str) -> Asked:
    """Return what a statement gives."""
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
    """Return the rows as those of a file."""
    return [
        {name: json_text(value) if isinstance(value, dict | list) else value for name, value in zip(asked.names, row, strict=True)}
        for row in asked.rows
    ]  # fmt: skip


def _is_number(value: object) -> bool:
    # Beyond 53 bits a browser would round it; so would it what is no number to JSON.
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
