"""Queries on a ledger; each sees everything that was recorded, by any process, until it is run."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from duckdb import DuckDBPyConnection, OutOfMemoryException

from actionledger.core.errors import LedgerError, require_kind
from actionledger.core.hooks import drawn
from actionledger.ledger.guarding import MAX_BYTES, SECONDS
from actionledger.ledger.results import Parameters, QueryResult
from actionledger.ledger.storage.memory import first_limit, reading_limit
from actionledger.ledger.storage.readers import Reader
from actionledger.ledger.storage.store import Publishing, Store

if TYPE_CHECKING:
    from actionledger.ledger.guarding.guard import GuardedSql

_COUNTS = """
SELECT 'sessions', count(*) FROM sessions UNION ALL SELECT 'turns', count(*) FROM turns
UNION ALL SELECT 'parse_attempts', count(*) FROM parse_attempts UNION ALL SELECT 'actions', count(*) FROM actions
UNION ALL SELECT 'executions', count(*) FROM executions UNION ALL SELECT 'runs', count(*) FROM runs"""


class ReadableLedger:
    """A ledger that can be queried; threads may share it."""

    def __init__(self, store: Store, *, read_only: bool, without_text: bool) -> None:
        self.path: Path = store.files.published
        self.read_only = read_only  # whether nothing may be written
        self._store = store  # the store of its tables
        self._files = store.files
        self.without_text = without_text  # whether every text is shown as a blank
        self._lock = RLock()
        self._is_closed = False
        self._reader = self._new_reader()
        if read_only:
            # A reader will query soon: refresh now, so that the connection that answers also checks the copy.
            self._reader.refresh()

    @property
    def is_open(self) -> bool:
        """Whether the ledger is open.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     ledger.is_open
            True
            >>> ledger.is_open
            False
        """
        return not self._is_closed

    @property
    def has_rollup(self) -> bool:
        """Whether sessions' totals are precomputed, as in a large ledger of one file, so that rates are fast.

        Raises:
            LedgerError: the ledger can't be read.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     ledger.has_rollup
            False
        """
        self._refuse_if_closed()
        with self._lock:
            self._see_everything()
            return self._reader.has_rollup

    def sql(self, query: str, parameters: Parameters | None = None) -> QueryResult:
        """Run a trusted caller's SQL over everything that was recorded here or flushed by other processes.

        Args:
            query: a statement; anything that it writes is discarded.
            parameters: the values of ``?`` or, by name, of ``$name``.

        Returns:
            The rows, to print, iterate over or turn into a data frame; nothing else shares their cursor.

        Raises:
            UsageError: the query is not a text.
            LedgerError: the ledger can't be read.
            duckdb.Error: the statement is wrong.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger:
            ...     result = ledger.sql("SELECT range AS n FROM range($count)", {"count": 3})
            >>> len(result), result.fetchall()
            (3, [(0,), (1,), (2,)])
        """
        require_kind(query, str, "A query is one statement of SQL, as a text")
        self._refuse_if_closed()
        with self._lock:
            self._see_everything()
            cursor = self._reader.cursor(query)
        return QueryResult(cursor, query, parameters)

    def guarded(self, *, seconds: float = SECONDS, max_bytes: int = MAX_BYTES) -> "GuardedSql":
        """Return a process that answers untrusted SQL, over everything recorded until now; close it after use.

        Args:
            seconds: the time limit of a statement.
            max_bytes: the maximum size of its result, in bytes.

        Raises:
            LedgerError: the ledger can't be read.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger, ledger.guarded(seconds=5) as guarded:
            ...     with guarded.ask("SELECT count(*) AS turns FROM turns") as answer:
            ...         print(answer.names, list(answer.rows))
            ('turns',) [(0,)]
        """
        from actionledger.ledger.guarding.guard import GuardedSql, Place  # noqa: PLC0415 - slow to load, and seldom needed

        self._refuse_if_closed()
        with self._lock:
            self._hand_in()
        place = Place(
            str(self.path.absolute()),
            may_write=not self.read_only,
            without_text=self.without_text,
            as_of=self._store.as_of,
        )
        return GuardedSql(place, seconds=seconds, max_bytes=max_bytes)

    @contextmanager
    def with_memory(self, limit: str) -> Iterator[None]:
        """Change the memory limit of queries within a ``with`` block.

        Args:
            limit: the limit, as DuckDB writes it.

        Raises:
            LedgerError: the ledger can't be read.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger, ledger.with_memory("256MB"):
            ...     len(ledger.sql("SELECT * FROM turns"))
            0
        """
        self._refuse_if_closed()
        with self._lock:
            cursor = self._reader.cursor()
        cursor.execute("SET memory_limit = ?", [limit])
        try:
            yield
        finally:
            with suppress(OutOfMemoryException):  # another query still needs it
                cursor.execute("SET memory_limit = ?", [first_limit()])

    def snapshot(self) -> DuckDBPyConnection:
        """Return a separate connection over everything recorded until now, with every table in it; close it after use.

        Raises:
            LedgerError: the ledger can't be read.

        Example:
            >>> with al.open_ledger("team.duckdb") as ledger, ledger.snapshot() as connection:
            ...     connection.execute("SELECT count(*) FROM turns").fetchall()
            [(0,)]
        """
        self._refuse_if_closed()
        with self._lock:
            self._hand_in()
        connection = self._new_reader().cursor()
        # It serves one task, such as a full export, and is closed after it. So it needn't save memory as a server must.
        connection.execute("SET memory_limit = ?", [reading_limit()])
        return connection

    def _new_reader(self) -> Reader:
        return Reader(self._store, may_write=not self.read_only, without_text=self.without_text)

    def __repr__(self) -> str:
        return f"<Ledger {str(self.path)!r}: {self._state}>"

    def _repr_html_(self) -> str:
        return drawn(self, "html", self._state, self._counts())

    @property
    def _state(self) -> str:
        if self._is_closed:
            return "closed"
        return "open for reading" if self.read_only else "open"

    def _counts(self) -> list[tuple[Any, ...]]:
        if self._is_closed:
            return []
        return list(self.sql(_COUNTS).fetchall())

    def _hand_in(self) -> None:
        """Make events recorded here visible to queries; nothing to do if nothing is recorded here."""

    def _see_everything(self) -> None:
        self._hand_in()
        if self._reader.is_current():
            return
        if not self.read_only and not self._store.exists():
            # The published copy was removed; the working file still has its rows.
            with suppress(LedgerError):
                self._store.ingest(Publishing.AT_THE_END)
        self._reader.refresh()

    def _refuse_if_closed(self) -> None:
        if self._is_closed:
            raise LedgerError(f"The ledger {self.path} is closed; open it again.")
