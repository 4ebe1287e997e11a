"""How DuckDB is to read a CSV: its quotes as people write them, and refused where that can't be told.

DuckDB finds out what a file's quotes are by its first 20,480 rows. Where one of them isn't closed it takes all quotes for text, and
the lines of one text for rows; where there is none, those of later rows.
"""

import csv
import io
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.errors import SourceError
from actionledger.imports.sources.containers import opened, shown
from actionledger.imports.sources.lines import MAX_LINE
from actionledger.imports.sources.rows import FIELDS

_FOUND_OUT = "all_varchar = true, store_rejects = true, null_padding = false"
_SIZES = f"max_line_size = {MAX_LINE}, buffer_size = {2 * MAX_LINE}"
_SNIFF = f"SELECT Delimiter, Quote FROM sniff_csv(?, header = true, {_FOUND_OUT}, {_SIZES})"  # noqa: S608 - our own options
_QUOTED = "quote = '\"'"
_SINGLE = "'"


def csv_query(connection: DuckDBPyConnection, path: Path, name: str, columns: Mapping[str, str]) -> str:
    """Return what reads a CSV, to be asked with its name."""
    plain, quoted = _reading(), _reading(_QUOTED)
    try:
        delimiter, quote = connection.execute(_SNIFF, [name]).fetchall()[0]
        if quote == _SINGLE:
            query = plain
        else:
            query = quoted
            if _names(connection, quoted, name) != _names(connection, plain, name):
                raise SourceError(_unclosed(path, delimiter))
        header = _header(connection, name, delimiter, quote if quote == _SINGLE else '"')
    except duckdb.Error:  # whoever reads it says why
        return plain
    _refuse_twice(header, columns, path)
    return query


def _reading(*more: str, header: str = "true") -> str:
    return f"FROM read_csv(?, {', '.join((f'header = {header}', _FOUND_OUT, *more, _SIZES))})"


def _names(connection: DuckDBPyConnection, query: str, name: str) -> list[str]:
    return [row[0] for row in connection.execute(f"DESCRIBE SELECT * {query}", [name]).fetchall()]


def _header(connection: DuckDBPyConnection, name: str, delimiter: str, quote: str) -> tuple[str, ...]:
    """Return the names of the columns as the file has them: DuckDB gives a second one of a name another name."""
    written = [
        f"{key} = '{value.replace(_SINGLE, 2 * _SINGLE)}'"
        for key, value in (("delim", delimiter), ("quote", quote))
    ]
    [row] = connection.execute(f"{_reading(*written, header='false')} LIMIT 1", [name]).fetchall()
    return tuple(cell or "" for cell in row)


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
    """Return the line in which the first row begins whose quotes are broken; 0 where that can't be told."""
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
