"""The rows of a table, so many at a time as memory is for: a Parquet file of a few kilobytes may hold gigabytes of text.

DuckDB gives rows by the two thousand, copied, whatever their size. So how large each row is is asked first, which copies nothing, and
where so many of them are large they are asked for in pieces.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.imports.sources.lines import MAX_LINE

_CHUNK = 2048
"""How many rows DuckDB gives at a time."""

_CHUNK_BYTES = 64 * 2**20
"""How much text so many may have, in bytes, to be taken as they come."""

_PIECE_BYTES = 2 * MAX_LINE
"""How much text is asked for at a time elsewhere."""


def bounded_rows(
    connection: DuckDBPyConnection,
    picked: Sequence[str],
    query: str,
    parameters: Sequence[str],
    *,
    is_packed: bool,
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table, before each how many bytes of text it has; of one with more than ``MAX_LINE``, nothing else."""
    pieces = _pieces(connection, picked, query, parameters) if is_packed else []
    for piece in pieces or [""]:
        result = connection.execute(_sized(picked, f"FROM (SELECT * {query}{piece})"), parameters)
        yield from iter(result.fetchone, None)


def _pieces(
    connection: DuckDBPyConnection, picked: Sequence[str], query: str, parameters: Sequence[str]
) -> list[str]:
    """Return which rows to ask for at a time, each as a part of a query; none where all may be asked for at once."""
    result = connection.execute(f"SELECT {_size(picked)} {query}", parameters)
    pieces: list[str] = []
    first = count = size = 0
    has_large = False
    for chunk in _chunks(result):
        has_large = has_large or sum(row[0] for row in chunk) > _CHUNK_BYTES
        for (text,) in chunk:
            # What is too large is not taken along, and so takes no memory.
            taken = text if text <= MAX_LINE else 0
            if count and size + taken > _PIECE_BYTES:
                pieces.append(f" LIMIT {count} OFFSET {first}")
                first, count, size = first + count, 0, 0
            count, size = count + 1, size + taken
    return [*pieces, f" OFFSET {first}"] if has_large else []


def _chunks(result: DuckDBPyConnection) -> Iterator[list[Any]]:
    """Yield rows by the chunk up to where the table is damaged, as whoever asks for the rows themselves is told."""
    with suppress(duckdb.Error):
        yield from iter(lambda: result.fetchmany(_CHUNK), [])


def _size(picked: Sequence[str]) -> str:
    return " + ".join(f"coalesce(strlen(({each})::VARCHAR), 0)" for each in picked)


def _sized(picked: Sequence[str], query: str) -> str:
    """Return a query for the size of each row, and what is picked of it, or nothing where that is too large."""
    names = [f"c{number}" for number in range(len(picked))]
    columns = ", ".join(f"{each} AS {name}" for each, name in zip(picked, names, strict=True))
    kept = ", ".join(f"CASE WHEN size > {MAX_LINE} THEN NULL ELSE {name} END" for name in names)
    return f"SELECT size, {kept} FROM (SELECT *, {_size(names)} AS size FROM (SELECT {columns} {query}))"  # noqa: S608 - the same
