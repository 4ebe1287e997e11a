"""Rows as Arrow columns, which DuckDB reads from memory without parsing."""

from binascii import unhexlify
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from io import BytesIO
from typing import Any, Self

import duckdb
import nanoarrow
from duckdb import DuckDBPyConnection
from nanoarrow.c_array import ArrayFromIterableBuilder, c_array_from_buffers
from nanoarrow.ipc import StreamWriter

from actionledger.ledger.storage.schema import LINK, Table

_CHARACTERS = 36
_BYTES = 16
_HYPHENS = (8, 13, 18, 23)


def identifier_bytes(texts: Collection[str]) -> bytes:
    """Return identifiers as concatenated bytes."""
    together = "".join(texts)
    hyphens = "-" * len(texts)
    if (
        set(map(len, texts)) <= {_CHARACTERS}
        and together == together.lower()
        and all(together[place::_CHARACTERS] == hyphens for place in _HYPHENS)
    ):
        made = unhexlify(together.encode("ascii").translate(None, b"-"))
        if len(made) == _BYTES * len(texts):
            return made
    raise ValueError("a UUID has 36 characters: hyphens, digits and the letters a to f.")


PLACE = "of_event"
"""The column with the index of a row's event within its batch; no table has it."""

_ROWS = "rows_in_arrow"
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC, and without a zone as all times are here
_MICROSECOND = timedelta(microseconds=1)

_TYPES = {
    "INTEGER": nanoarrow.int32(),
    "BIGINT": nanoarrow.int64(),
    "TIMESTAMP": nanoarrow.int64(),
    "DOUBLE": nanoarrow.float64(),
    "BOOLEAN": nanoarrow.bool_(),
}
_TEXT = nanoarrow.string()
_IDENTIFIER = nanoarrow.extension_type(nanoarrow.fixed_size_binary(16), "arrow.uuid", b"")
_NO_IDENTIFIER = "00000000-0000-0000-0000-000000000000"
"""The placeholder for a missing identifier."""


@dataclass(frozen=True, slots=True)
class ArrowRows:
    """Rows of one table."""

    table: str  # the table's name
    constants: dict[str, Any]  # the columns with the same value in all rows
    varying_names: frozenset[str]  # the columns with several values. A column without any value is in neither
    varying: nanoarrow.Array  # these columns and `PLACE`; between processes they are an Arrow stream

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        written = BytesIO()
        with StreamWriter.from_writable(written) as writer:
            writer.write_stream(self.varying)
        return self._from_stream, (self.table, self.constants, self.varying_names, written.getvalue())

    @classmethod
    def _from_stream(
        cls, table: str, constants: dict[str, Any], varying_names: frozenset[str], stream: bytes
    ) -> Self:
        varying = nanoarrow.Array(nanoarrow.ArrayStream.from_readable(stream).read_all())
        return cls(table, constants, varying_names, varying)


def arrow_of(table: Table, columns: Sequence[Sequence[Any]], places: Sequence[int]) -> ArrowRows:
    constants: dict[str, Any] = {}
    children = {PLACE: _array_from(places, nanoarrow.int32())}
    for name, column in zip(table.staged, columns, strict=True):
        kind, first = table.columns[name], column[0]
        # Zero and minus zero are equal, but have different digests.
        if column.count(first) < len(column) or (kind == "DOUBLE" and first is not None):
            children[name] = _column_of(kind, column)
        elif first is not None:
            constants[name] = first
    names = frozenset(children) - {PLACE}
    return ArrowRows(table.name, constants, names, _array_of(children, len(places)))


@contextmanager
def _registered(connection: DuckDBPyConnection, rows: ArrowRows) -> Iterator[None]:
    """Register rows under ``_ROWS``. DuckDB 2.0 requires the result of each statement to be fetched before and after."""
    connection.register(_ROWS, rows.varying)
    try:
        yield
    finally:
        with suppress(duckdb.Error):  # a statement failed, and the transaction's end unregisters it
            connection.unregister(_ROWS)


def insert_arrow(
    connection: DuckDBPyConnection, table: Table, rows: ArrowRows, link: int | None, condition: str = "true"
) -> None:
    """Insert rows into a table of the connection's current database."""
    given = rows.constants if link is None else {**rows.constants, LINK: link}
    with _registered(connection, rows):
        statement = _insertion(table, rows.varying_names, tuple(given), condition)
        connection.execute(statement, [*given.values()]).fetchall()


@lru_cache(maxsize=512)
def _insertion(table: Table, varying: frozenset[str], given: tuple[str, ...], condition: str) -> str:
    """Return the statement that inserts rows with some varying and some constant columns."""
    names = [name for name in table.staged if name in varying]
    values = [_value(f'"{name}"', table.columns[name]) for name in names]
    values += [
        _value(f"${number}", table.columns.get(name, "INTEGER")) for number, name in enumerate(given, 1)
    ]
    columns = ", ".join(f'"{name}"' for name in (*names, *given))
    return f"INSERT INTO {table.name} ({columns}) SELECT {', '.join(values)} FROM {_ROWS} WHERE {condition}"  # noqa: S608 (our own names)


def select_arrow(
    connection: DuckDBPyConnection, table: Table, rows: ArrowRows, names: Sequence[str], into: str
) -> None:
    """Copy some columns of rows, and their ``PLACE``, into a temporary table."""
    given = [name for name in names if name in rows.constants]
    values = {name: f'"{name}"' for name in rows.varying_names}
    values |= {name: f"${number}" for number, name in enumerate(given, 1)}
    kinds = table.columns
    selected = ", ".join(f'{_value(values.get(name, "NULL"), kinds[name])} AS "{name}"' for name in names)
    with _registered(connection, rows):
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {into} AS SELECT {PLACE}, {selected} FROM {_ROWS}",  # noqa: S608 (our own names)
            [rows.constants[name] for name in given],
        ).fetchall()


def _value(value: str, kind: str) -> str:
    """Return the SQL expression for a column's value."""
    match kind:
        case "UUID":
            return f"{value}::UUID"
        case "JSON":
            # Recorded as JSON text; a text that isn't JSON is kept as a JSON string.
            return f"coalesce(TRY_CAST({value} AS JSON), to_json({value}))"
        case "TIMESTAMP":
            return f"make_timestamp({value})" if not value.startswith("$") else f"{value}::TIMESTAMP"
    return value


def _column_of(kind: str, column: Sequence[Any]) -> Any:
    if kind == "UUID":
        there: Any = None
        texts: Sequence[Any] = column
        if None in column:
            there = nanoarrow.c_buffer([text is not None for text in column], nanoarrow.bool_())
            texts = [_NO_IDENTIFIER if text is None else text for text in column]
        return c_array_from_buffers(_IDENTIFIER, len(column), [there, identifier_bytes(texts)])
    if kind == "TIMESTAMP":
        column = [None if at is None else (at - _EPOCH) // _MICROSECOND for at in column]
    return _array_from(column, _TYPES.get(kind, _TEXT))


def _array_from(values: Sequence[Any], kind: Any) -> Any:
    """Return what ``nanoarrow.c_array`` returns, without garbage.

    A builder refers to a method of its own, so that it and its memory would stay until a full collection, which comes after ten minutes.
    """
    builder = ArrayFromIterableBuilder(kind)
    try:
        return builder.build_c_array(values)
    finally:
        vars(builder).clear()


def _array_of(children: dict[str, Any], count: int) -> nanoarrow.Array:
    schema = nanoarrow.struct({name: nanoarrow.Schema(each.schema) for name, each in children.items()})
    return nanoarrow.Array(c_array_from_buffers(schema, count, [None], children=list(children.values())))
