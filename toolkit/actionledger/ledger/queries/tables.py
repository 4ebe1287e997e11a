"""Which tables and views a ledger has, what their rows and columns mean, and how many rows there are."""

from collections import defaultdict
from dataclasses import dataclass

from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.storage.comments import column_meanings, row_meaning
from actionledger.ledger.storage.schema import QUARANTINE, TABLES, VIEWS


@dataclass(frozen=True, slots=True)
class ColumnDescription:
    """A column as people read it.

    Args:
        name: its name.
        sql_type: its DuckDB type.
        meaning: what it is, with its unit.
    """

    name: str
    sql_type: str
    meaning: str


@dataclass(frozen=True, slots=True)
class TableDescription:
    """A table or view as people read it.

    Args:
        name: its name.
        meaning: what a row is.
        rows: how many there are.
        columns: its columns, in order.
    """

    name: str
    meaning: str
    rows: int
    columns: tuple[ColumnDescription, ...]


_HALVES = {f"{view[:-1]}_{half}" for view in VIEWS for half in ("starts", "ends", "details")}
NAMES = tuple(
    sorted({table.name for table in TABLES if table.name not in _HALVES} | {*VIEWS, QUARANTINE.name})
)
"""What people ask: of what starts and later ends the view, and not its halves."""

_COLUMNS = """
SELECT table_name, column_name, data_type FROM duckdb_columns()
WHERE database_name = current_database() AND list_contains($names, table_name) ORDER BY table_name, column_index"""

_COUNTS = "\nUNION ALL ".join(f"SELECT '{name}' AS name, count(*) AS rows FROM {name}" for name in NAMES)


def tables(ledger: Queryable) -> list[TableDescription]:
    """Return the tables and views that people ask, by name.

    Args:
        ledger: what to ask.
    """
    columns: dict[str, list[ColumnDescription]] = defaultdict(list)
    for table, name, sql_type in ledger.sql(_COLUMNS, {"names": list(NAMES)}).fetchall():
        meaning = column_meanings(table).get(name, "")
        columns[table].append(ColumnDescription(name, sql_type, meaning))
    counts = dict(ledger.sql(_COUNTS).fetchall())
    return [
        TableDescription(name, row_meaning(name), counts[name], tuple(columns[name]))
        for name in NAMES
        if name in columns
    ]
