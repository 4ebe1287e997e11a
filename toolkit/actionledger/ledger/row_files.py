"""Write rows of a ledger into one file, with a bounded part of them in memory."""

import csv
import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias
from uuid import uuid4

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.errors import LedgerError, MemoryNeededError
from actionledger.core.text import FORMULA, sql_text
from actionledger.ledger.ledger import Ledger
from actionledger.ledger.queries.marks import PICKED, Picking, Selection
from actionledger.ledger.stopping import stoppable
from actionledger.ledger.storage.memory import export_limits, within_reading_limit

RowForm: TypeAlias = Literal["parquet", "csv", "jsonl"]
"""The file formats for rows; CSV keeps no types."""

FORMS: dict[RowForm, str] = {
    "parquet": "FORMAT parquet, COMPRESSION zstd",
    "jsonl": "FORMAT json",
    "csv": "FORMAT csv, HEADER",
}
"""The options of DuckDB's ``COPY`` for each format."""

_LONGEST_VALUE = 1 << 30
_FORMULA = " OR ".join(f"starts_with({{name}}::VARCHAR, chr({ord(sign)}))" for sign in FORMULA)
_APOSTROPHE = f"CASE WHEN {_FORMULA} THEN chr(39) || {{name}}::VARCHAR ELSE {{name}}::VARCHAR END AS {{name}}"


def write_rows(ledger: Ledger, selection: Selection | Picking, file: Path, form: RowForm) -> int:
    """Write a statement's rows into one file, which appears only when complete, readable by its owner alone; return their number, counted in the file."""
    made = file.with_name(f".{file.name}-{uuid4().hex}")
    try:
        wanted = _write_with_little(ledger, selection, made, form)
        if (written := count_rows(made, form)) != wanted:
            raise LedgerError(f"The file {file} would have {written:,} rows where there are {wanted:,}.")
        made.replace(file)
    except (OSError, duckdb.Error) as error:
        raise LedgerError(f"The file {file} can't be written: {_why(error)}.") from error
    finally:
        made.unlink(missing_ok=True)
    return written


def count_rows(file: Path, form: str) -> int:
    """Return the number of rows of a Parquet, CSV or JSON lines file, by reading it."""
    if form == "jsonl":
        with file.open("rb") as lines:
            return sum(1 for _ in lines)
    if form == "csv":
        csv.field_size_limit(_LONGEST_VALUE)
        with file.open(encoding="utf-8", newline="") as text:
            return max(0, sum(1 for _ in csv.reader(text)) - 1)
    with duckdb.connect() as connection:
        [(count,)] = connection.execute(f"SELECT count(*) FROM read_parquet({sql_text(file)})").fetchall()
        return int(count)


def _why(error: OSError | duckdb.Error) -> str:
    if os.strerror(errno.ENOSPC) in str(error):
        return (
            "the disk is full, where it lies or in the folder of temporary files, where its rows are put in order "
            f"({tempfile.gettempdir()}); make room, or have TMPDIR name a folder that has more"
        )
    return next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")


def _write_with_little(ledger: Ledger, selection: Selection | Picking, made: Path, form: RowForm) -> int:
    """Write with as little memory as possible; return the number of rows."""
    *little, most = export_limits()
    for limit in little:
        with suppress(MemoryNeededError):
            return _write(ledger, selection, made, form, limit)
    return _write(ledger, selection, made, form, most)


def _write(ledger: Ledger, selection: Selection | Picking, made: Path, form: RowForm, limit: str) -> int:
    with within_reading_limit(), ledger.snapshot() as connection:
        connection.execute("SET memory_limit = ?", [limit])
        # Each further thread sorts and writes a part of its own, which DuckDB can't spill to disk meanwhile.
        connection.execute("SET threads = 1")
        # All statements see the same state. It ends, like the temporary tables, with the connection.
        connection.execute("BEGIN")
        _gather(connection, selection)
        made.touch(0o600)
        written_as = _harmless(connection) if form == "csv" else "FROM exported"
        # DuckDB would otherwise replace an existing file by a new one, which everybody could read.
        copy = f"COPY ({written_as}) TO {sql_text(made)} ({FORMS[form]}, USE_TMP_FILE false)"
        [(count,)] = _ask(connection, "SELECT count(*) FROM exported").fetchall()
        _ask(connection, copy)
    return int(count)


def _gather(connection: DuckDBPyConnection, selection: Selection | Picking) -> None:
    """Create the table ``exported`` with the rows, in order; DuckDB spills to disk what doesn't fit into memory."""
    if isinstance(selection, Picking):
        picked, values = selection.picked
        _ask(connection, f"CREATE TEMP TABLE {PICKED} AS {picked}", values)
        selection = Selection(selection.statement, {})
    _ask(connection, f"CREATE TEMP TABLE exported AS {selection.statement}", selection.parameters)


def _harmless(connection: DuckDBPyConnection) -> str:
    """Return a query for a spreadsheet: a text that looks like a formula gets a leading apostrophe."""
    texts = [
        name
        for name, kind, *_ in connection.execute("DESCRIBE exported").fetchall()
        if kind in {"VARCHAR", "JSON"}
    ]
    parts = (_APOSTROPHE.format(name='"' + name.replace('"', '""') + '"') for name in texts)
    return f"SELECT * REPLACE ({', '.join(parts)}) FROM exported" if texts else "FROM exported"


def _ask(
    connection: DuckDBPyConnection, statement: str, values: dict[str, object] | None = None
) -> DuckDBPyConnection:
    return stoppable(connection, lambda: connection.execute(statement, values))
