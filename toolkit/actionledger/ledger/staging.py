"""Rows on their way into a database: a file of JSON lines for each table, read by DuckDB in one statement."""

from collections.abc import Collection
from io import BufferedWriter
from pathlib import Path

from duckdb import DuckDBPyConnection
from pydantic_core import to_json

from actionledger.ledger.projection import Row
from actionledger.ledger.schema import LINK, QUARANTINE, TABLES, Table

_TABLES = {table.name: table for table in (*TABLES, QUARANTINE)}
_SMALLEST_OBJECT_LIMIT = 16 * 1024 * 1024  # DuckDB's default; its buffers are a multiple of it


class Staging:
    """Collects rows, then puts them into a database in the order in which they came.

    Args:
        folder: an empty folder for its files; the caller removes it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, BufferedWriter] = {}
        self._longest = 0

    def add(self, row: Row) -> None:
        """Put a row behind those of its table."""
        file = self._files.get(row.table)
        if file is None:
            file = self._files[row.table] = self._path(row.table).open("wb")
        line = to_json(row.values, inf_nan_mode="null")
        self._longest = max(self._longest, len(line))
        file.write(line)
        file.write(b"\n")

    @property
    def tables(self) -> Collection[str]:
        """The tables that there are rows of."""
        return self._files.keys()

    def insert(self, connection: DuckDBPyConnection, link: int | None) -> None:
        """Put all rows into the tables of the connection's current database.

        Args:
            connection: the connection.
            link: the link of the chain that takes them in; None where none is kept.
        """
        for name, file in self._files.items():
            file.close()
            connection.execute(self._statement(_TABLES[name], link), [str(self._path(name))])

    def close(self) -> None:
        """Close the files, whatever became of them."""
        for file in self._files.values():
            file.close()

    def _path(self, table: str) -> Path:
        return self._folder / f"{table}.ndjson"

    def _statement(self, table: Table, link: int | None) -> str:
        names = ", ".join(f'"{column}"' for column in table.columns)
        values = ", ".join(_value(column, kind) for column, kind in table.columns.items())
        if link is not None:
            names, values = f"{names}, {LINK}", f"{values}, {link}"
        types = ", ".join(f"'{column}': '{_type_in_file(kind)}'" for column, kind in table.columns.items())
        return (
            f"INSERT INTO {table.name} ({names}) SELECT {values} FROM read_json(?, "  # noqa: S608 (our own names)
            f"format='newline_delimited', columns={{{types}}}, maximum_object_size={object_limit(self._longest)})"
        )


def object_limit(longest: int) -> int:
    """Return how long DuckDB is to let a line be, in bytes.

    Args:
        longest: the length of the longest one.
    """
    return max(_SMALLEST_OBJECT_LIMIT, longest + 1024)


def _type_in_file(kind: str) -> str:
    return "VARCHAR" if kind == "JSON" else kind


def _value(column: str, kind: str) -> str:
    return json_or_text(f'"{column}"') if kind == "JSON" else f'"{column}"'


def json_or_text(value: str) -> str:
    """Return the expression for what is recorded as JSON text; what is no JSON after all is kept as a JSON string.

    Args:
        value: the expression for the text.
    """
    return f"CASE WHEN {value} IS NULL OR json_valid({value}) THEN {value}::JSON ELSE to_json({value}) END"
