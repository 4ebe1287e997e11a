"""A stranger's SQL: one statement that reads, within a time and a memory, that reaches no file, network or other process.

It runs on a connection of its own, whose settings are locked before the statement is looked at.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

import duckdb
from duckdb import DuckDBPyConnection

from actionledger.common.extras import require
from actionledger.errors import LedgerError, UsageError
from actionledger.ledger.reaching import refuse_reaching
from actionledger.ledger.results import distinct
from actionledger.ledger.stopping import limited, stoppable

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

SECONDS = 60.0
"""How long a statement may take if not said otherwise."""

MEMORY = "1GB"
"""How much memory a statement may take; beyond it, it spills into a folder of its own."""

_ALLOWED = frozenset({"SELECT", "EXPLAIN", "MULTI"})
"""DuckDB's types of statements that read: DESCRIBE, SHOW and SUMMARIZE are SELECTs to it, PIVOT is several in one."""

_ZONED = " WITH TIME ZONE"
_BATCH = 1000


@dataclass(frozen=True, slots=True)
class Answer:
    """What a statement gives.

    Args:
        names: the columns' names, no two of them the same.
        rows: the rows, each with a value for each column, as they are fetched; times with a zone are UTC without one.
    """

    names: tuple[str, ...]
    rows: Iterator[tuple[Any, ...]]


class GuardedSql:
    """Answers one statement at a time over a connection that nothing else uses.

    Args:
        connect: makes the connection, every table in it.
        seconds: how long a statement may take, its rows included.
        folders: where the tables' files are, if they are anywhere else than in what is attached; a lake's are.
    """

    def __init__(
        self,
        connect: Callable[[], DuckDBPyConnection],
        *,
        seconds: float = SECONDS,
        folders: Sequence[str] = (),
    ) -> None:
        self._seconds = seconds
        self._is_of_lake = bool(folders)
        self._folder = tempfile.mkdtemp(prefix="actionledger-sql-")
        self._cursor: DuckDBPyConnection | None = None
        try:
            self._cursor = connect()
            _lock(self._cursor, self._folder, folders)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection and of what it spilled."""
        if self._cursor is not None:
            self._cursor.close()
            self._cursor = None
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def ask(self, statement: str) -> Iterator[Answer]:
        """Give what a statement gives; its time runs until the context is left.

        Args:
            statement: one SELECT, EXPLAIN, DESCRIBE, SHOW or SUMMARIZE.

        Raises:
            UsageError: it is none, it is wrong, or it takes too long or too much memory.
        """
        cursor = self._opened()
        with self._bounded(cursor):
            only = self._only(cursor, statement)
            stoppable(cursor, lambda: cursor.execute(only))
            kinds = [str(column[1]) for column in cursor.description]
            names = tuple(distinct([str(column[0]) for column in cursor.description]))
            if any(_ZONED in kind for kind in kinds):
                # In Python a time with a zone needs one more package; without one it needs none.
                stoppable(cursor, lambda: cursor.execute(_without_zones(only, kinds)))
            yield Answer(names, _fetched(cursor))

    def df(self, statement: str) -> "pd.DataFrame":
        """Return what a statement gives as a pandas data frame.

        Args:
            statement: as for ``ask``.

        Raises:
            MissingPackageError: pandas is not installed.
            UsageError: as for ``ask``.
        """
        require("A data frame of pandas", "notebook", "pandas")
        with self._relation(statement) as (names, relation):
            frame: pd.DataFrame = stoppable(self._opened(), relation.df)
            return frame.set_axis(list(names), axis=1)

    def pl(self, statement: str) -> "pl.DataFrame":
        """Return what a statement gives as a polars data frame.

        Args:
            statement: as for ``ask``.

        Raises:
            MissingPackageError: polars or pyarrow is not installed.
            UsageError: as for ``ask``, or polars has no type for a column.
        """
        require("A data frame of polars", "notebook", "polars", "pyarrow")
        import polars as pl  # noqa: PLC0415 - optional

        table = self.arrow(statement)
        columns: dict[str, pl.Series] = {}
        for name, values in zip(table.column_names, table.columns, strict=True):
            try:
                columns[name] = pl.Series(name, values)
            except pl.exceptions.PolarsError as error:
                raise UsageError(
                    f"polars has no type for the column {name!r} ({values.type}); give it another, such as {name}::VARCHAR."
                ) from error
        return pl.DataFrame(columns)

    def arrow(self, statement: str) -> "pa.Table":
        """Return what a statement gives as an Arrow table.

        Args:
            statement: as for ``ask``.

        Raises:
            MissingPackageError: pyarrow is not installed.
            UsageError: as for ``ask``.
        """
        require("A table of Arrow", "notebook", "pyarrow")
        with self._relation(statement) as (names, relation):
            table: pa.Table = stoppable(self._opened(), relation.to_arrow_table)
            return table.rename_columns(list(names))

    def write_parquet(self, statement: str, file: Path) -> None:
        """Write what a statement gives to a Parquet file, which is there only when it is whole.

        Args:
            statement: as for ``ask``.
            file: where to; what is there is replaced.

        Raises:
            UsageError: as for ``ask``, or the file can't be written.
        """
        cursor = self._opened()
        made = Path(self._folder, "answer.parquet")
        with self._bounded(cursor):
            only = self._only(cursor, statement)
            copy = f"COPY (FROM ({only}\n)) TO {_quoted(made)} (FORMAT parquet)"
            stoppable(cursor, lambda: cursor.execute(copy))
        try:
            beside = file.with_name(f".{file.name}-{uuid4().hex}")
            shutil.move(made, beside)
            beside.replace(file)
        except OSError as error:
            raise UsageError(
                f"The file {str(file)!r} can't be written: {error.strerror}; take another."
            ) from error

    @contextmanager
    def _relation(self, statement: str) -> Iterator[tuple[tuple[str, ...], duckdb.DuckDBPyRelation]]:
        """Give what a statement gives as a relation, times with a zone as UTC without one, and its columns' names."""
        cursor = self._opened()
        with self._bounded(cursor):
            only = self._only(cursor, statement)
            relation = cursor.sql(only)
            names, kinds = tuple(distinct(relation.columns)), [str(kind) for kind in relation.types]
            zoned = any(_ZONED in kind for kind in kinds)
            yield names, cursor.sql(_without_zones(only, kinds)) if zoned else relation

    def _only(self, cursor: DuckDBPyConnection, statement: str) -> str:
        only = _only(cursor, statement)
        if self._is_of_lake:
            refuse_reaching(cursor, only)
        return only

    def _opened(self) -> DuckDBPyConnection:
        if self._cursor is None:
            raise LedgerError("This connection is closed; open another.")
        return self._cursor

    @contextmanager
    def _bounded(self, cursor: DuckDBPyConnection) -> Iterator[None]:
        """Keep nothing that a statement changes, interrupt what takes too long, and say in a sentence what DuckDB says of it.

        EXPLAIN ANALYZE runs whatever it explains, so that a statement's type alone doesn't show that it reads.
        """
        try:
            with limited(cursor, self._seconds):
                cursor.execute("BEGIN TRANSACTION READ ONLY")
                yield
        except duckdb.InterruptException as error:
            raise UsageError(
                f"The statement took longer than {self._seconds:g} seconds and was stopped; ask for less, or give it more time."
            ) from error
        except duckdb.OutOfMemoryException as error:
            raise UsageError(
                f"The statement needs more memory than it may take: {_said_of(error)}"
            ) from error
        except (duckdb.Error, UnicodeError) as error:
            raise UsageError(f"The statement can't be run: {_said_of(error)}") from error
        finally:
            with suppress(duckdb.Error):
                cursor.execute("ROLLBACK")


def _lock(cursor: DuckDBPyConnection, folder: str, folders: Sequence[str]) -> None:
    """Take away from a connection all that reaches beyond it, for good.

    What it may spill to is the only folder that it keeps, so that must be nobody else's.
    """
    if folders:
        allowed = ", ".join(map(_quoted, folders))
        cursor.execute(f"SET allowed_directories = [{allowed}]")
    for name, value in (
        ("TimeZone", "UTC"),
        ("temp_directory", folder),
        ("memory_limit", MEMORY),
        ("python_enable_replacements", "false"),
        ("autoinstall_known_extensions", "false"),
        ("autoload_known_extensions", "false"),
        ("enable_external_access", "false"),
        ("lock_configuration", "true"),
    ):
        cursor.execute(f"SET {name} = {_quoted(value)}")


def _only(cursor: DuckDBPyConnection, statement: str) -> str:
    """Return a text's one statement, if it is one that reads.

    Raises:
        UsageError: it holds none, several, or another one.
    """
    statement.encode()  # A lone surrogate: DuckDB's client doesn't know what it is.
    found = cursor.extract_statements(statement)
    if len(found) != 1:
        what = f"{len(found)} statements" if found else "no statement"
        raise UsageError(f"One statement is run at a time, and here is {what}; give one SELECT.")
    kind = found[0].type.name
    if kind not in _ALLOWED:
        raise UsageError(
            f"A statement of the kind {kind} is not run: a ledger is asked, not changed. Give one SELECT, EXPLAIN, DESCRIBE, "
            "SHOW or SUMMARIZE."
        )
    return _bare(str(found[0].query))


def _bare(statement: str) -> str:
    """Return a statement without the semicolon at its end and the comments behind it: it is made a part of another one."""
    text = statement.encode()
    end = len(text)
    for start, kind in reversed(duckdb.tokenize(statement)):
        if text.startswith(b";", start):
            end = start  # DuckDB 1.5 has no tokens for comments: all behind it is one
        elif kind is not duckdb.token_type.comment:
            break
    return text[:end].decode().rstrip()


def _without_zones(statement: str, kinds: Sequence[str]) -> str:
    """Return a statement that gives the same, its times with a zone as UTC without one."""
    names = [f"c{place}" for place in range(len(kinds))]
    columns = ", ".join(
        f"{name}::{kind.replace(_ZONED, '')}" if _ZONED in kind else name
        for name, kind in zip(names, kinds, strict=True)
    )
    return f"SELECT {columns} FROM ({statement}\n) AS answer({', '.join(names)})"  # noqa: S608 - the statement is theirs


def _fetched(cursor: DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while batch := stoppable(cursor, lambda: cursor.fetchmany(_BATCH)):
        yield from batch


def _quoted(text: object) -> str:
    return "'{}'".format(str(text).replace("'", "''"))


def _said_of(error: Exception) -> str:
    """Return what DuckDB says of a statement, on one line: what is wrong, what is called alike, and in which of several lines."""
    said, _, place = str(error).strip().partition("\n\nLINE ")
    lines = list(takewhile(lambda line: line and not line.startswith("\t"), said.splitlines()))
    number = place.partition(":")[0]
    where = f" (line {number})" if number not in {"", "1"} else ""
    return " ".join(lines) + where if lines else type(error).__name__
