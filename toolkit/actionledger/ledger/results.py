"""The result of a statement: rows one by one, as a data frame, or printed. It is the same on every supported DuckDB.

DuckDB's own result yields each row once, and its method names differ between versions. This one yields all rows every time.
The first read takes the rows of the first run. A later read of a large result runs the statement again, and sees what has been recorded since.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex, TypeAlias, TypeVar

from duckdb import DuckDBPyConnection, Error

from actionledger.core.errors import LedgerError, UsageError, require
from actionledger.ledger.stopping import stoppable
from actionledger.ledger.storage.memory import within_reading_limit

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from actionledger.core.tables import Table


class Row(tuple[Any, ...]):
    """One row: a tuple, with ``row["name"]`` for a value and ``dict(row)`` for all of them."""

    __slots__ = ()
    _columns: ClassVar[tuple[str, ...]] = ()

    def keys(self) -> tuple[str, ...]:
        """Return the columns' names."""
        return self._columns

    def __getitem__(self, key: SupportsIndex | slice | str) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        match self._columns.count(key):
            case 1:
                return super().__getitem__(self._columns.index(key))
            case 0:
                raise KeyError(f"There is no column {key!r}; there are {', '.join(self._columns)}.")
            case several:
                raise KeyError(f"{several} columns are called {key!r}; take them by place.")

    def __reduce__(self) -> tuple[type[tuple[Any, ...]], tuple[tuple[Any, ...]]]:
        return tuple, (tuple(self),)


@lru_cache(maxsize=256)
def _row_of(columns: tuple[str, ...]) -> type[Row]:
    """Return the class of rows with these columns: one for all statements, since a class is freed by a full collection only."""
    return type("Row", (Row,), {"__slots__": (), "_columns": columns})


_Given = TypeVar("_Given")
Parameters: TypeAlias = Sequence[object] | dict[str, object]

_SHOWN = 20
_HEAD = 1000
_BATCH = 10_000
_NOTHING = "The statement gives no rows to make a table of; write a SELECT."


class QueryResult:
    """The rows of a statement, as ``Ledger.sql`` returns them.

    ``df``, ``pl``, ``arrow``, ``len`` and iteration give all rows every time. ``fetchone``, ``fetchmany`` and ``fetchall`` share one walk through
    them. Threads may share the result. It stays readable after its ledger is closed.

    Args:
        cursor: a cursor that nothing else uses.
        query: the statement; it is run at once.
        parameters: the values of ``?`` or, by name, of ``$name``.

    Raises:
        LedgerError: the statement needs more memory than a reader may take, now or when its rows are read.
        duckdb.Error: the statement is wrong.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     result = ledger.sql("SELECT range AS n, range * range AS square FROM range(3)")
        >>> result.columns, len(result), [row["square"] for row in result]
        (('n', 'square'), 3, [0, 1, 4])
        >>> result
        n  square
        -  ------
        0       0
        1       1
        2       4
        (3 rows)
    """

    def __init__(self, cursor: DuckDBPyConnection, query: str, parameters: Parameters | None = None) -> None:
        self._cursor = cursor
        self._query = query
        self._parameters = parameters
        self._lock = Lock()
        self._first = self._run()
        self._walk: DuckDBPyConnection | None = None
        self._head: list[tuple[Any, ...]] | None = None
        self._length: int | None = None
        described = () if self._first is None else self._first.description or ()
        self.columns: tuple[str, ...] = tuple(str(column[0]) for column in described)
        """The columns' names, in order; names may repeat. Empty if the statement gives no rows."""
        self.types: tuple[str, ...] = tuple(str(column[1]) for column in described)
        """The columns' types, as DuckDB names them."""
        self._row = _row_of(self.columns)
        self.address = ""
        """The address of the dashboard's page that lists these rows, relative to its first page; empty if there is none."""

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row of the walk; None at its end.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     ledger.sql("SELECT 1, 'one'").fetchone()
            (1, 'one')
        """
        # In this thread, since a thread for each row would take a hundred times as long as the row. So Ctrl-C waits for the row.
        with self._lock, within_reading_limit():
            walk = self._walking()
            return None if walk is None else walk.fetchone()

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        """Return the next rows of the walk; empty at its end.

        Args:
            size: the maximum number of rows.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     ledger.sql("FROM range(5)").fetchmany(2)
            [(0,), (1,)]
        """
        with self._lock:
            walk = self._walking()
            return [] if walk is None else _ask(walk, lambda: walk.fetchmany(size))

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the remaining rows of the walk.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     ledger.sql("SELECT range FROM range($n)", {"n": 2}).fetchall()
            [(0,), (1,)]
        """
        with self._lock:
            walk = self._walking()
            return [] if walk is None else _ask(walk, walk.fetchall)

    def df(self) -> "pd.DataFrame":
        """Return all rows as a pandas data frame; repeated column names get a number.

        Raises:
            MissingPackageError: pandas is not installed.
            UsageError: the statement gives no rows.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     ledger.sql("SELECT range AS n FROM range(3)").df()["n"].sum().item()
            3
        """
        require("A data frame of pandas", "notebook", "pandas")
        if (rows := self._whole()) is None:
            raise UsageError(_NOTHING)
        return _ask(rows, rows.df)

    def pl(self) -> "pl.DataFrame":
        """Return all rows as a polars data frame; repeated column names get a number.

        Raises:
            MissingPackageError: polars or pyarrow is not installed.
            UsageError: the statement gives no rows.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     ledger.sql("SELECT range AS n FROM range(3)").pl().shape
            (3, 1)
        """
        require("A data frame of polars", "notebook", "polars", "pyarrow")
        import polars as pl  # noqa: PLC0415 - optional

        table = self.arrow()
        frame = pl.from_arrow(table.rename_columns(distinct(table.column_names)))
        assert isinstance(frame, pl.DataFrame)
        return frame

    def arrow(self) -> "pa.Table":
        """Return all rows as an Arrow table; repeated column names stay.

        Raises:
            MissingPackageError: pyarrow is not installed.
            UsageError: the statement gives no rows.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     ledger.sql("SELECT range AS n FROM range(3)").arrow().column_names
            ['n']
        """
        require("A table of Arrow", "notebook", "pyarrow")
        # As a relation: for anything else DuckDB 2.0 makes the table through a second copy, and warns.
        cursor = self._cursor.cursor()
        relation = cursor.sql(self._query, params=self._parameters) if self.columns else None
        if relation is None:
            raise UsageError(_NOTHING)
        return _ask(cursor, relation.to_arrow_table)

    def show(self, rows: int = _SHOWN) -> None:
        """Print the first rows as a table.

        Args:
            rows: the maximum number of rows.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     ledger.sql("SELECT range AS n FROM range(5)").show(rows=2)
            n
            -
            0
            1
            (the first 2 of 5 rows)
        """
        print(self._text(rows))  # noqa: T201 - its purpose

    def __len__(self) -> int:
        if self._length is None:
            self._length = sum(len(batch) for batch in self._batches())
        return self._length

    def __bool__(self) -> bool:
        return bool(self._first_rows())

    def __iter__(self) -> Iterator[Row]:
        """Yield all rows, each a tuple whose values can also be looked up by column name."""
        for batch in self._batches():
            yield from map(self._row, batch)

    def __repr__(self) -> str:
        try:
            return self._text(_SHOWN)
        except (Error, LedgerError) as error:
            return f"The statement can't be run to its end: {error}"

    def _repr_html_(self) -> str:
        from actionledger.core.tables import Table, html_table  # noqa: PLC0415

        try:
            return html_table(self._table(_SHOWN))
        except (Error, LedgerError) as error:
            return html_table(Table(("The statement can't be run to its end",), [(str(error),)], total=1))

    def _text(self, rows: int) -> str:
        from actionledger.core.tables import text_table  # noqa: PLC0415 - needed for display only

        return text_table(self._table(rows))

    def _run(self) -> DuckDBPyConnection | None:
        # A statement without words gives None, whatever DuckDB's types say.
        cursor = self._cursor.cursor()
        return _ask(cursor, lambda: cursor.execute(self._query, self._parameters))

    def _whole(self) -> DuckDBPyConnection | None:
        """Return all rows: those of the first run if nothing of it was read, else those of another run."""
        with self._lock:
            return self._take()

    def _take(self) -> DuckDBPyConnection | None:
        first, self._first = self._first, None
        return first if first is not None or not self.columns else self._run()

    def _walking(self) -> DuckDBPyConnection | None:
        if self._walk is None:
            self._walk = self._take()
        return self._walk

    def _first_rows(self) -> list[tuple[Any, ...]]:
        """The first rows, kept, so that a result always looks the same and a small one is run once."""
        with self._lock:
            if self._head is None:
                source = self._take()
                head = [] if source is None else _ask(source, lambda: source.fetchmany(_HEAD + 1))
                if len(head) <= _HEAD:
                    self._length = len(head)
                self._head = head[:_HEAD]
            return self._head

    def _batches(self) -> Iterator[list[tuple[Any, ...]]]:
        head = self._first_rows()
        if self._length == len(head):
            yield head
            return
        source = self._whole()
        assert source is not None
        while batch := _ask(source, lambda: source.fetchmany(_BATCH)):
            yield batch

    def _table(self, rows: int) -> "Table":
        from actionledger.core.tables import Table  # noqa: PLC0415

        head = self._first_rows()
        if rows > len(head) and self._length != len(head):
            source = self._whole()
            head = [] if source is None else _ask(source, lambda: source.fetchmany(rows))
        return Table(self.columns, head[:rows], total=self._length)


def _ask(connection: DuckDBPyConnection, work: Callable[[], _Given]) -> _Given:
    """Run a DuckDB call that may take long; Ctrl-C or a lack of memory raises its own error."""
    with within_reading_limit():
        return stoppable(connection, work)


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names without repetitions: later ones get the next free number, as in ``a``, ``a_1``."""
    taken: dict[str, None] = {}
    for name in names:
        number, free = 0, name
        while free in taken or (number and free in names):
            number += 1
            free = f"{name}_{number}"
        taken[free] = None
    return list(taken)
