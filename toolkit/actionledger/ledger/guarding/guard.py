"""Untrusted SQL: one read-only statement with limits on time, memory and size, and without access to files, network or other processes.

It runs in a process of its own, which is ended when it exceeds a limit, even in the middle of DuckDB's work.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self
from uuid import uuid4

from actionledger.core import errors
from actionledger.core.errors import LedgerError, UsageError, require
from actionledger.core.files import TemporaryFolder, writing
from actionledger.ledger.guarding import MAX_BYTES, SECONDS
from actionledger.ledger.guarding.process import DiedError, GuardProcess, keep_ready
from actionledger.ledger.guarding.statements import ARROW_FILE, MEMORY, PARQUET_FILE
from actionledger.ledger.guarding.wire import REFUSALS, OverLimitError, Place, Setup, WireTimeoutError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

__all__ = ["MAX_BYTES", "MEMORY", "SECONDS", "Answer", "GuardedSql", "Place", "keep_ready"]


class GuardedStatement:
    """One statement that is being answered."""

    def __init__(
        self,
        process: GuardProcess,
        request: tuple[str, str],
        *,
        seconds: float,
        max_bytes: int,
        end: Callable[[], None],
    ) -> None:
        self._process, self._end = process, end
        self._seconds, self._max_bytes = seconds, max_bytes
        self._until = time.monotonic() + seconds
        self._left = max_bytes
        self.is_over = False
        self._tell(request)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the rows, fetching the next ones while some are used."""
        self._tell(("more",))
        while True:
            [rows] = self.hear("rows")
            if not rows:
                self.is_over = True
                return
            self._tell(("more",))
            yield from rows

    def hear(self, expected: str) -> list[Any]:
        """Return the process's next message if it is of the expected kind; else raise an error that says what happened."""
        try:
            (what, *said), length = self._process.hear(self._left, self._until)
        except WireTimeoutError as error:
            self._end()
            raise self._timed_out() from error
        except OverLimitError as error:
            self._end()
            raise UsageError(
                f"The statement gives more than {_amount(self._max_bytes)}; ask for less."
            ) from error
        except DiedError as error:
            self._died(error)
        except BaseException:  # Ctrl-C
            self._end()
            raise
        self._left -= length
        if what == expected:
            return said
        self.is_over = True
        if what == "wrong":
            raise UsageError(str(said[0]))
        self._end()
        raise UsageError(f"The statement can't be run: {said[-1] if said else 'DuckDB has failed'}")

    def _tell(self, request: tuple[str, ...]) -> None:
        try:
            self._process.tell(request)
        except DiedError as error:
            self._died(error)

    def _died(self, error: DiedError) -> NoReturn:
        self._end()
        if time.monotonic() >= self._until:  # the process ended itself
            raise self._timed_out() from error
        raise UsageError(
            f"The statement can't be run: its process {error}. It needs more memory than it may take, or meets a fault of DuckDB; ask "
            "for less at a time."
        ) from error

    def _timed_out(self) -> UsageError:
        return UsageError(
            f"The statement took longer than {self._seconds:g} seconds and was stopped; ask for less, or give it more time."
        )


def _amount(count: int) -> str:
    return f"{count / 2**30:.3g} GB" if count >= 2**30 else f"{count / 2**20:.3g} MB"


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows of a statement."""

    names: tuple[str, ...]  # the columns' names, no two of them the same
    rows: Iterator[tuple[Any, ...]]  # the rows, fetched as needed; times with a zone become UTC without one


class GuardedSql:
    """Answers one statement at a time in a process of its own.

    Args:
        place: the ledger, as recorded until now.
        seconds: the time limit of a statement, including its rows.
        max_bytes: the maximum size of its result, in bytes.
    """

    def __init__(self, place: Place, *, seconds: float = SECONDS, max_bytes: int = MAX_BYTES) -> None:
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._folder = TemporaryFolder("sql")
        self._setup = Setup(place, str(self._folder.path), seconds, max_bytes, dict(os.environ))
        self._process: GuardProcess | None = None
        self._is_closed = False
        try:
            self._opened()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, and remove what it spilled to disk."""
        self._is_closed = True
        self._end()
        self._folder.remove()

    @contextmanager
    def ask(self, statement: str) -> Iterator[Answer]:
        """Run a statement and give its rows; its time runs until the context exits.

        Args:
            statement: one SELECT, EXPLAIN, DESCRIBE, SHOW or SUMMARIZE.

        Raises:
            UsageError: it is not such a statement, it is wrong, or it takes too long or too much memory.
        """
        asked = self._ask("rows", statement)
        [names] = asked.hear("names")
        try:
            yield Answer(tuple(names), asked.rows())
        finally:
            if not asked.is_over:
                self._end()  # its rows may be endless

    def df(self, statement: str) -> "pd.DataFrame":
        """Return a statement's rows as a pandas data frame.

        Args:
            statement: as for ``ask``.

        Raises:
            MissingPackageError: pandas or pyarrow is not installed.
            UsageError: as for ``ask``.
        """
        require("A data frame of pandas", "notebook", "pandas", "pyarrow")
        import duckdb  # noqa: PLC0415 - only here

        table = self.arrow(statement)
        with duckdb.connect() as connection:
            frame: pd.DataFrame = connection.from_arrow(table).df()
        return frame.set_axis(table.column_names, axis=1)

    def pl(self, statement: str) -> "pl.DataFrame":
        """Return a statement's rows as a polars data frame.

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
        """Return a statement's rows as an Arrow table.

        Args:
            statement: as for ``ask``.

        Raises:
            MissingPackageError: pyarrow is not installed.
            UsageError: as for ``ask``.
        """
        require("A table of Arrow", "notebook", "pyarrow")
        import pyarrow as pa  # noqa: PLC0415 - optional

        [names] = self._ask("arrow", statement).hear("names")
        made = self._folder.path / ARROW_FILE
        # The file is unlinked while it is mapped, so that its data lasts as long as the table.
        with pa.memory_map(str(made)) as source, pa.ipc.open_stream(source) as reader:
            made.unlink()
            table: pa.Table = reader.read_all()
        return table.rename_columns(list(names))

    def write_parquet(self, statement: str, file: Path) -> None:
        """Write a statement's rows to a Parquet file, which appears only when complete.

        Args:
            statement: as for ``ask``.
            file: the file; an existing one is replaced.

        Raises:
            UsageError: as for ``ask``, or the file can't be written.
        """
        self._ask("parquet", statement).hear("done")
        beside = file.with_name(f".{file.name}-{uuid4().hex}")
        with writing(file):
            shutil.move(self._folder.path / PARQUET_FILE, beside)
            beside.replace(file)

    def _ask(self, what: str, statement: str) -> GuardedStatement:
        return GuardedStatement(
            self._opened(), (what, statement), seconds=self._seconds, max_bytes=self._max_bytes, end=self._end
        )

    def _opened(self) -> GuardProcess:
        """Return the process, or start a new one if the last has ended."""
        if self._is_closed:
            raise LedgerError("This connection is closed; open another.")
        if self._process is None:
            self._process = GuardProcess()
            try:
                what, *said = self._process.begin(self._setup)
            except DiedError as error:
                self._end()
                raise LedgerError(f"The process that asks the ledger {error}.") from error
            except BaseException:
                self._end()
                raise
            if what != "ready":
                self._end()
                _refuse(*said)
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()


def _refuse(name: str, said: str) -> NoReturn:
    """Raise the error with which the process failed to open the ledger."""
    raise getattr(errors, name if name in REFUSALS else "LedgerError")(said)
