"""Rows on their way into a database, put into each table in one statement."""

from collections import defaultdict
from collections.abc import Collection

from duckdb import DuckDBPyConnection

from actionledger.ledger.storage.arrow import arrow_of, insert_arrow
from actionledger.ledger.storage.columns import Values
from actionledger.ledger.storage.projection import Row
from actionledger.ledger.storage.schema import QUARANTINE, TABLES

_TABLES = {table.name: table for table in (*TABLES, QUARANTINE)}


class Staging:
    """Collects rows, then puts them into a database in the order in which they came."""

    def __init__(self) -> None:
        self._rows: defaultdict[str, list[Values]] = defaultdict(list)

    def add(self, row: Row) -> None:
        """Put a row behind those of its table."""
        self._rows[row.table].append(row.values)

    @property
    def tables(self) -> Collection[str]:
        """The tables that there are rows of."""
        return self._rows.keys()

    def insert(self, connection: DuckDBPyConnection, link: int | None) -> None:
        """Put all rows into the tables of the connection's current database."""
        for name, rows in self._rows.items():
            table, columns = _TABLES[name], list(zip(*rows, strict=True))
            insert_arrow(connection, table, arrow_of(table, columns, range(len(rows))), link)
