"""Read tables with DuckDB: each row of a CSV or Parquet file or of a data frame is a turn (``sources.rows``)."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.compressed import BrokenOffError, TooMuchError, unpacked
from actionledger.core.errors import SourceError, UsageError
from actionledger.imports.sources.base import Recorded, Refusal
from actionledger.imports.sources.containers import OnRead, opened, shown, told, wide_encoding_of
from actionledger.imports.sources.json_values import MAX_LINE
from actionledger.imports.sources.rows import FIELDS, REQUIRED, Numbered, checked, renamed, sessions_of

# How DuckDB reads a CSV: with the quotes that are used in it, or not at all if they are ambiguous.
_FOUND_OUT = "all_varchar = true, store_rejects = true, null_padding = false"
_SIZES = f"max_line_size = {MAX_LINE}, buffer_size = {2 * MAX_LINE}"
_SNIFF = f"SELECT Delimiter, Quote FROM sniff_csv(?, header = true, {_FOUND_OUT}, {_SIZES})"  # noqa: S608 - our own options
_QUOTED = "quote = '\"'"
_SINGLE = "'"


def csv_query(connection: DuckDBPyConnection, path: Path, name: str, columns: Mapping[str, str]) -> str:
    """Return the query that reads a CSV, with the file's name as its parameter."""
    plain, quoted = _reading(), _reading(_QUOTED)
    try:
        delimiter, quote = connection.execute(_SNIFF, [name]).fetchall()[0]
        if quote == _SINGLE:
            query = plain
        else:
            query = quoted
            if _names(connection, quoted, name) != _names(connection, plain, name):
                raise SourceError(_unclosed(path, delimiter))
        # The column names in the file: DuckDB renames a second column of the same name.
        written = [
            f"{key} = '{value.replace(_SINGLE, 2 * _SINGLE)}'"
            for key, value in (("delim", delimiter), ("quote", (quote if quote == _SINGLE else '"')))
        ]
        [row] = connection.execute(f"{_reading(*written, header='false')} LIMIT 1", [name]).fetchall()
        header = tuple(cell or "" for cell in row)
    except duckdb.Error:  # the query itself reports why
        return plain
    _refuse_twice(header, columns, path)
    return query


def _reading(*more: str, header: str = "true") -> str:
    return f"FROM read_csv(?, {', '.join((f'header = {header}', _FOUND_OUT, *more, _SIZES))})"


def _names(connection: DuckDBPyConnection, query: str, name: str) -> list[str]:
    return [row[0] for row in connection.execute(f"DESCRIBE SELECT * {query}", [name]).fetchall()]


def _refuse_twice(header: tuple[str, ...], columns: Mapping[str, str], path: Path) -> None:
    times = Counter(cell.casefold() for cell in header)
    for field in FIELDS:
        wanted = columns.get(field, field)
        if times[wanted.casefold()] > 1:
            same = ", ".join(repr(cell) for cell in header if cell.casefold() == wanted.casefold())
            raise SourceError(
                f"{shown(path)!r} names a column twice ({same}), and which of them holds {field!r} is not known: rename one in its first line."
            )


def _unclosed(path: Path, delimiter: str) -> str:
    line = _broken_line(path, delimiter)
    where = f" in line {line:,}" if line else ""
    return (
        f"{shown(path)!r} can't be read as a table: a quote{where} isn't closed, or its text goes on behind it. A text that has a quote in it is written "
        'within quotes, each of its own twice: "he said ""hi""".'
    )


def _broken_line(path: Path, delimiter: str) -> int:
    """Return the line of the first row with broken quotes; 0 if unknown."""
    with (
        opened(path, only_lines=False) as file,
        closing(io.TextIOWrapper(file, "utf-8-sig", "replace", newline="")) as text,
    ):
        rows = csv.reader(text, delimiter=delimiter, strict=True)
        line = 1
        try:
            for _row in rows:
                line = rows.line_num + 1
        except csv.Error as error:
            return 0 if "limit" in str(error) else line
    return 0


# A table's rows in pieces that fit into memory: a Parquet file of a few kilobytes may hold gigabytes of text.
_CHUNK = 2048
"""How many rows DuckDB decodes and returns at once, or a row group's if it has fewer."""

_CHUNK_BYTES = 64 * 2**20
"""The most text in such a chunk, in bytes, to read it without pieces."""

_PIECE_BYTES = 2 * MAX_LINE
"""The text of a piece otherwise, in bytes."""

_DECODED_BYTES = 96 * 2**20
"""The most that the lists of a chunk may take once they are decoded, in bytes."""

_VALUE_BYTES, _JSON_BYTES = 16, 64
"""What a value of a list takes once it is decoded, and while it becomes JSON, in bytes and without its text."""

_GROUPS = """
    SELECT any_value(row_group_num_rows), sum(CASE WHEN path_in_schema LIKE '%,%' THEN num_values ELSE 0 END),
        sum(CASE WHEN path_in_schema LIKE '%,%' THEN total_uncompressed_size ELSE 0 END)
    FROM parquet_metadata(?) GROUP BY row_group_id ORDER BY row_group_id
"""
"""The rows of each row group, the values in its lists, and their bytes."""


def bounded_rows(
    connection: DuckDBPyConnection,
    picked: Sequence[str],
    query: str,
    parameters: Sequence[str],
    *,
    is_packed: bool,
) -> Iterator[tuple[Any, ...]]:
    """Yield a table's rows, each after the size of its text in bytes; a row above ``MAX_LINE`` has only its size."""
    pieces: list[str] = []
    if is_packed:
        pieces = _row_ranges(connection, parameters) or _pieces(connection, picked, query, parameters)
    for piece in pieces or [""]:
        result = connection.execute(_sized(picked, f"FROM (SELECT * {query}{piece})"), parameters)
        yield from iter(result.fetchone, None)


def _row_ranges(connection: DuckDBPyConnection, parameters: Sequence[str]) -> list[str]:
    """Return pieces by the file's own count of its lists' values, each as a part of a query; none if its lists are short.

    Raises:
        MemoryError: the lists of a chunk don't fit into it.
    """
    ranges: list[str] = []
    first, is_long = 0, False
    for rows, values, size in connection.execute(_GROUPS, parameters).fetchall():
        chunk = min(rows, _CHUNK)
        if chunk * values * _VALUE_BYTES > _DECODED_BYTES * rows:
            raise MemoryError
        each = max(1, (values * _JSON_BYTES + size) // max(rows, 1))
        step = max(rows, 1) if chunk * each <= MAX_LINE else max(1, MAX_LINE // each)
        is_long = is_long or step < rows
        for start in range(first, first + rows, step):
            end = min(start + step, first + rows) - 1
            ranges.append(f" WHERE file_row_number BETWEEN {start} AND {end}")
        first += rows
    return ranges if is_long else []


def _pieces(
    connection: DuckDBPyConnection, picked: Sequence[str], query: str, parameters: Sequence[str]
) -> list[str]:
    """Return the pieces to query, each as a part of a query; none if one query can read all rows."""
    result = connection.execute(f"SELECT {_size(picked)} {query}", parameters)
    pieces: list[str] = []
    first = count = size = 0
    has_large = False
    for chunk in _chunks(result):
        has_large = has_large or sum(row[0] for row in chunk) > _CHUNK_BYTES
        for (text,) in chunk:
            # A row that is too large is not fetched, and so takes no memory.
            taken = text if text <= MAX_LINE else 0
            if count and size + taken > _PIECE_BYTES:
                pieces.append(f" LIMIT {count} OFFSET {first}")
                first, count, size = first + count, 0, 0
            count, size = count + 1, size + taken
    return [*pieces, f" OFFSET {first}"] if has_large else []


def _chunks(result: DuckDBPyConnection) -> Iterator[list[Any]]:
    """Yield chunks of rows up to where the table is damaged; the query for the rows themselves reports that."""
    with suppress(duckdb.Error):
        yield from iter(lambda: result.fetchmany(_CHUNK), [])


def _size(picked: Sequence[str]) -> str:
    return " + ".join(f"coalesce(strlen(({each})::VARCHAR), 0)" for each in picked)


def _sized(picked: Sequence[str], query: str) -> str:
    """Return a query for each row's size and the picked columns, or NULLs if the row is too large."""
    names = [f"c{number}" for number in range(len(picked))]
    columns = ", ".join(f"{each} AS {name}" for each, name in zip(picked, names, strict=True))
    kept = ", ".join(f"CASE WHEN size > {MAX_LINE} THEN NULL ELSE {name} END" for name in names)
    return f"SELECT size, {kept} FROM (SELECT *, {_size(names)} AS size FROM (SELECT {columns} {query}))"  # noqa: S608 - the same


_MEMORY = "512MB"
_HEAD = 64 * 1024
_PARQUET = b"PAR1"
_PARQUET_QUERY = "FROM read_parquet(?)"
_NESTED = ("STRUCT", "MAP", "UNION", "JSON")
_AS_THEY_ARE = frozenset({"turn", "success"})
_FRAME = "given_frame"
_LARGE = (
    f"a group of its rows takes more than {_MEMORY} of memory. Write the file with smaller row groups (in PyArrow: row_group_size=100), or "
    "as JSON Lines."
)
_REJECTED = "SELECT line, any_value(error_message) FROM reject_errors GROUP BY line ORDER BY line"


def read_table(
    path: Path, on_read: OnRead | None = None, *, columns: Mapping[str, str] | None = None
) -> Recorded:
    """Yield the sessions of a CSV or Parquet file, and a refusal for each row that can't be read."""
    with closing(_connection()) as connection:
        is_csv, name = not _head(path).startswith(_PARQUET), _literal(path)
        if is_csv:
            # Refuse an encoding that DuckDB would misread, such as one with NULs.
            if encoding := wide_encoding_of(_head(path, is_unpacked=True)):
                packed = (
                    ", which has to be unpacked first,"
                    if _head(path, is_unpacked=True) != _head(path)
                    else ""
                )
                raise SourceError(f"{shown(path)!r} is a table{packed} {told(encoding)}.")
            _refuse_too_much(path)
        query = csv_query(connection, path, name, columns or {}) if is_csv else _PARQUET_QUERY
        rows = _rows(connection, query, [name], columns or {}, shown(path))
        yield from sessions_of(rows, shown(path))
        if is_csv:
            for line, why in connection.execute(_REJECTED).fetchall():
                yield Refusal(shown(path), int(line), f"The row can't be read: {_plain(why)}")
    if on_read:
        on_read(path.stat().st_size)


def columns_of(path: Path) -> tuple[str, ...]:
    """Return a table's column names; none if it can't be read."""
    try:
        with closing(_connection()) as connection:
            name = _literal(path)
            is_csv = not _head(path).startswith(_PARQUET)
            query = csv_query(connection, path, name, {}) if is_csv else _PARQUET_QUERY
            return tuple(_types(connection, query, [name]))
    except (duckdb.Error, OSError, SourceError):
        return ()


def frame_sessions(frame: Any, columns: Mapping[str, str] | None = None) -> Recorded:
    """Yield the sessions of a data frame with one turn per row, for ``import_sessions``.

    Args:
        frame: a pandas or polars data frame, an Arrow table, a DuckDB relation, or anything else that DuckDB reads.
        columns: the column that holds a field, by the field's name: session, text, turn, profile, model, task, at, prompt, feedback, success, reason.
            A field that isn't named has a column of its own name; other columns are kept as the session's metadata.

    Raises:
        UsageError: it is no data frame, or a named or required column is missing.

    Example:
        >>> import pandas
        >>> frame = pandas.DataFrame({"conversation": ["a", "a"], "response": ["<execute>1+1</execute>", "Two."]})
        >>> sessions = al.frame_sessions(frame, {"session": "conversation", "text": "response"})
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     al.import_sessions(ledger, sessions, source="evaluations").turns
        2
    """
    mapping = checked(columns or {})
    with closing(_connection(reaches_files=False)) as connection:
        try:
            connection.register(_FRAME, frame)
        except (duckdb.Error, TypeError) as error:
            raise UsageError(f"A {type(frame).__name__} is not a data frame that DuckDB reads.") from error
        try:
            yield from sessions_of(
                _rows(connection, f"FROM {_FRAME}", [], mapping, "the data frame"), "the data frame"
            )
        except SourceError as error:
            raise UsageError(str(error)) from error


def _rows(
    connection: DuckDBPyConnection,
    query: str,
    parameters: list[str],
    columns: Mapping[str, str],
    what: str,
) -> Iterator[Numbered | Refusal]:
    number = 0
    try:
        types = _types(connection, query, parameters)
        _refuse_missing(types, columns, what)
        fields = {column: name for name, column in columns.items()}
        picked = [_picked(name, kind, fields.get(name, name)) for name, kind in types.items()]
        for row in bounded_rows(connection, picked, query, parameters, is_packed=query == _PARQUET_QUERY):
            number += 1
            if row[0] > MAX_LINE:
                yield Refusal(
                    what, number, f"The row holds {row[0]:,} bytes of text, more than {MAX_LINE:,}."
                )
                continue
            values = dict(zip(types, row[1:], strict=True))
            yield number, renamed({k: v for k, v in values.items() if v is not None}, columns)
    except (duckdb.Error, MemoryError) as error:
        is_large = isinstance(error, MemoryError | duckdb.OutOfMemoryException) and query == _PARQUET_QUERY
        reason = _LARGE if is_large else str(error).strip().splitlines()[0]
        if not number:
            raise SourceError(f"{what!r} can't be read as a table: {reason}") from error
        yield Refusal(what, number + 1, f"The table breaks off here: {reason}")


def _refuse_missing(types: Mapping[str, str], columns: Mapping[str, str], what: str) -> None:
    wanted = {name: columns.get(name, name) for name in REQUIRED} | dict(columns)
    missing = [
        f"{name}=…" if name == column else f"{name}={column}"
        for name, column in wanted.items()
        if column not in types
    ]
    if missing:
        raise SourceError(
            f"{what!r} is a table with the columns {', '.join(map(repr, types))}; which one holds what is not known: "
            f"--map {','.join(missing)} names one that is there (fields: {', '.join(FIELDS)})."
        )


def _types(connection: DuckDBPyConnection, query: str, parameters: list[str]) -> dict[str, str]:
    described = connection.execute(f"DESCRIBE SELECT * {query}", parameters).fetchall()
    return {str(row[0]): str(row[1]) for row in described}


def _picked(name: str, kind: str, field: str) -> str:
    """Return the SQL expression of a column: a text unchanged, a number or time if its field is one, otherwise as text."""
    column = '"' + name.replace('"', '""') + '"'
    if kind.startswith(_NESTED) or kind.endswith("]"):
        return f"to_json({column})::VARCHAR"
    if kind == "TIMESTAMP WITH TIME ZONE":
        return f"({column} AT TIME ZONE 'UTC')"
    if field in _AS_THEY_ARE or (field == "at" and kind.startswith(("TIMESTAMP", "DATE"))):
        return column
    if kind in {"FLOAT", "DOUBLE"} and field == "turn":
        return f"{column}::BIGINT"
    return f"{column}::VARCHAR"


def _connection(*, reaches_files: bool = True) -> DuckDBPyConnection:
    """Return a separate connection that loads nothing from the network."""
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "memory_limit": _MEMORY,
            "threads": "1",
        }
    )
    connection.execute("SET enable_progress_bar = false")  # otherwise it is drawn on the standard output
    if not reaches_files:
        connection.execute("SET enable_external_access = false")
    return connection


def _plain(why: str) -> str:
    """Return why DuckDB rejects a row, and how to fix it."""
    first = why.splitlines()[0]
    return (
        f"{first} If the file is in Latin-1: iconv -f LATIN1 -t UTF-8 FILE." if "unicode" in first else first
    )


def _refuse_too_much(path: Path) -> None:
    """Refuse a compressed table that unpacks to far more than any recording has, before DuckDB unpacks it."""
    with path.open("rb") as file:
        inside = unpacked(file, file.tell)
        try:
            while inside is not file and inside.read(2**20):
                pass
        except TooMuchError as error:
            raise SourceError(f"{shown(path)!r} can't be read as a table: {error}.") from error
        except BrokenOffError:
            return  # DuckDB reports this, after the complete rows


def _head(path: Path, *, is_unpacked: bool = False) -> bytes:
    """Return a file's first bytes, as stored or unpacked; empty if it is damaged, which DuckDB reports itself."""
    try:
        with path.open("rb") as file:
            return (unpacked(file, file.tell) if is_unpacked else file).read(_HEAD)
    except BrokenOffError:
        return b""
    except OSError as error:
        raise SourceError(
            f"{shown(path)!r} can't be read as a table: it has to be a file on disk."
        ) from error


def _literal(path: Path) -> str:
    """Return a path that DuckDB takes for one file, with pattern characters escaped."""
    return "".join(f"[{each}]" if each in "*?[" else each for each in str(path.resolve()))
