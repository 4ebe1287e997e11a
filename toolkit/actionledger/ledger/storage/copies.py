"""Export whole sessions and load them into a new ledger: every table, as one database or as one file per table.

Rows are written into a file with a bounded part of them in memory.
"""

import csv
import errno
import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias
from uuid import uuid4

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.core.errors import LedgerError, MemoryNeededError
from actionledger.core.text import FORMULA, sql_text
from actionledger.ledger.ledger import Ledger
from actionledger.ledger.opening import open_ledger
from actionledger.ledger.queries.marks import PICKED, Picking, Selection
from actionledger.ledger.stopping import stoppable
from actionledger.ledger.storage.connections import attach_to_write
from actionledger.ledger.storage.memory import export_limits, within_reading_limit
from actionledger.ledger.storage.schema import OF_SESSION, PROVEN_SINCE, TABLES, Table, lacking
from actionledger.ledger.storage.stored import begin_anew

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


TableForm: TypeAlias = Literal["parquet", "jsonl"]
"""File formats from which a table can be read again without loss."""

_LONGEST_LINE = 1 << 30
_PICKED = "picked_sessions"

_RUNS = f"""run_id IN (
    SELECT run_id FROM session_starts SEMI JOIN {_PICKED} USING (session_id)
    UNION SELECT run_id FROM parse_attempts SEMI JOIN {_PICKED} USING (session_id))"""
_OF_SESSIONS = f"session_id IN (SELECT session_id FROM {_PICKED})"
_ENDS_OF_SESSIONS = f"{OF_SESSION} IN (SELECT session_id FROM {_PICKED})"
_CONDITIONS = {
    "run_starts": _RUNS,
    "run_ends": _RUNS,
    "left_out": _RUNS,
    "parsers": f"parser_id IN (SELECT parser_id FROM parse_attempts WHERE {_OF_SESSIONS})",
    "tools": f"tools_hash IN (SELECT tools_hash FROM turn_starts WHERE {_OF_SESSIONS})",
    # Ends recorded before ends named their session.
    "execution_ends": f"{_ENDS_OF_SESSIONS} OR execution_id IN (SELECT execution_id FROM execution_starts WHERE {_OF_SESSIONS})",
    "approval_ends": f"{_ENDS_OF_SESSIONS} OR approval_id IN (SELECT approval_id FROM approval_starts WHERE {_OF_SESSIONS})",
    "events": f"session_id IN (SELECT session_id FROM {_PICKED}) OR session_id IS NULL AND {_RUNS}",
}
"""Conditions for a table's rows of the sessions, for tables whose rows don't name one."""


def write_database(ledger: Ledger, file: Path, session_ids: Sequence[str] | None = None) -> dict[str, int]:
    """Write sessions (None: all) into a new database that any tool opens, which appears only when complete; return each table's rows, counted in the file."""

    def fill(into: DuckDBPyConnection) -> None:
        for table in TABLES:
            into.execute(
                f"INSERT INTO made.{table.name} BY NAME SELECT * FROM {table.name} WHERE {_of(table)}"
            )

    counts = _make(file, fill, lambda: _picking(ledger, session_ids))
    with _picking(ledger, session_ids) as connection:
        wanted = {table.name: _count(connection, f"{table.name} WHERE {_of(table)}") for table in TABLES}
    if counts != wanted:
        file.unlink()
        raise LedgerError(f"The ledger was written to while {file} was made; try again.")
    return counts


def write_tables(
    ledger: Ledger, folder: Path, form: TableForm, session_ids: Sequence[str] | None = None
) -> dict[str, int]:
    """Write sessions (None: all) into a new or empty folder, a file for each table; return each table's rows, counted in its file."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise LedgerError(f"The folder {folder} is not empty; give a new one.")
        with _picking(ledger, session_ids) as connection:
            return {table.name: _write_table(connection, table, folder, form) for table in TABLES}
    except (OSError, duckdb.Error) as error:
        raise LedgerError(f"The folder {folder} can't be written to: {error}") from error


def read_tables(folder: Path, file: Path) -> dict[str, int]:
    """Make a new ledger from the files of ``write_tables``; return each table's rows."""
    form: TableForm = "jsonl" if (folder / f"{TABLES[0].name}.jsonl").exists() else "parquet"
    there = [table for table in TABLES if (folder / f"{table.name}.{form}").exists()]
    if missing := {table.name for table in TABLES} - {table.name for table in there} - lacking(PROVEN_SINCE):
        raise LedgerError(
            f"The folder {folder} has no file of the table {min(missing)}; give one that export made."
        )

    def fill(into: DuckDBPyConnection) -> None:
        for table in there:
            rows = _rows_in(table, folder / f"{table.name}.{form}", form)
            into.execute(f"INSERT INTO made.{table.name} BY NAME SELECT * FROM {rows}")

    return _make(file, fill, duckdb.connect)


def _make(
    file: Path, fill: Callable[[DuckDBPyConnection], None], connect: Callable[[], DuckDBPyConnection]
) -> dict[str, int]:
    """Make a blank ledger, fill it, then move it to its path; return its row counts."""
    if file.exists():
        raise LedgerError(f"The file {file} already exists; give another name.")
    try:
        with (
            tempfile.TemporaryDirectory(dir=file.parent, prefix=".export-") as folder,
            connect() as connection,
        ):
            made = Path(folder, "made.duckdb")
            open_ledger(made, in_background=False).close()
            connection.execute(attach_to_write(made, "made"))
            fill(connection)
            counts = {table.name: _count(connection, f"made.{table.name}") for table in TABLES}
            connection.execute("DETACH made")
            begin_anew(made)
            made.replace(file)
            return counts
    except (OSError, duckdb.Error) as error:
        raise LedgerError(f"The ledger {file} can't be made: {error}") from error


def _picking(ledger: Ledger, session_ids: Sequence[str] | None) -> DuckDBPyConnection:
    """Return a connection to a ledger with a temporary table of the picked sessions."""
    connection = ledger.snapshot()
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {_PICKED} (session_id UUID)")
    if session_ids is None:
        connection.execute(f"INSERT INTO {_PICKED} SELECT session_id FROM session_starts")
    else:
        connection.execute(
            f"INSERT INTO {_PICKED} SELECT unnest(string_split($ids, ' '))::UUID WHERE $ids <> ''",
            {"ids": " ".join(session_ids)},
        )
    return connection


def _write_table(connection: DuckDBPyConnection, table: Table, folder: Path, form: TableForm) -> int:
    file = folder / f"{table.name}.{form}"
    rows = f"FROM {table.name} WHERE {_of(table)}"
    written_as = f"SELECT {_exact(table)} {rows}" if form == "jsonl" else rows
    connection.execute(f"COPY ({written_as}) TO {sql_text(file)} ({FORMS[form]})")
    written, wanted = count_rows(file, form), _count(connection, f"({rows})")
    if written != wanted:
        raise LedgerError(f"The file {file} has {written:,} rows where the ledger has {wanted:,}.")
    return written


def _exact(table: Table) -> str:
    """Return a table's columns with JSON as its exact text: rewritten JSON could have other escapes."""
    texts = [f"{name}::VARCHAR AS {name}" for name, kind in table.columns.items() if kind == "JSON"]
    return f"* REPLACE ({', '.join(texts)})" if texts else "*"


def _rows_in(table: Table, file: Path, form: TableForm) -> str:
    if form == "parquet":
        return f"read_parquet({sql_text(file)})"
    read_as = {name: "VARCHAR" if kind == "JSON" else kind for name, kind in table.columns.items()}
    kinds = ", ".join(f"{name}: {sql_text(kind)}" for name, kind in read_as.items())
    return (
        f"read_json({sql_text(file)}, format='newline_delimited', columns={{{kinds}}}, "
        f"maximum_object_size={_LONGEST_LINE})"
    )


def _of(table: Table) -> str:
    return _CONDITIONS.get(table.name, _OF_SESSIONS)


def _count(connection: DuckDBPyConnection, rows: str) -> int:
    [(count,)] = connection.execute(f"SELECT count(*) FROM {rows}").fetchall()
    return int(count)
