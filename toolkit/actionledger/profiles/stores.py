"""A profile's SQLite file: readable only by its owner, changed atomically, closed for good."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, ClassVar, Self

from actionledger.core.draws import drawn_now
from actionledger.core.errors import ActionError, UsageError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.session.states.stores import offer, withdraw
from actionledger.runtime.workspace.folders import open_private

IN_MEMORY = ":memory:"
"""The path of a store without a file."""

_SECONDS = 5
"""The maximal wait of a change for another session's, in seconds."""

_HELD = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_NO_STORE = frozenset({sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT})
_DISK = frozenset(
    {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY}
)


class SqliteStore:
    """A file of tables, created with its first content and opened on first use.

    A subclass sets its owner (``owner``) and its tables (``tables``, each as written after ``CREATE TABLE``).
    An existing table stays unchanged, so that old files remain usable.

    Args:
        path: where the file is; ``IN_MEMORY`` for none.
    """

    owner: ClassVar[str]
    tables: ClassVar[Sequence[str]]

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._connection: sqlite3.Connection | None = None
        self._is_closed = False
        self._lock = RLock()

    @classmethod
    def copy_of(cls, path: Path, *given: Any) -> Self:
        """Return a copy in memory of a file's store; without a file, a new one made with the given arguments."""
        copy = cls(IN_MEMORY, *given)
        if path.exists():
            with (
                copy.opened() as connection,
                closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=_SECONDS)) as original,
            ):
                original.backup(connection)
                copy._prepare(connection)
        return copy

    def close(self) -> None:
        """Close the file for good; a second call does nothing."""
        with self._lock:
            self._is_closed = True
            if self._connection:
                withdraw(self)
                self._connection.close()
            self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Cursor]:
        """Yield a cursor whose changes are made atomically at the end."""
        with self.opened() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection.cursor()
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[sqlite3.Row]:
        """Return a statement's rows; it is its own transaction, or joins the current one."""
        with self.opened() as connection:
            return connection.execute(statement, values).fetchall()

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection, locked, and translate SQLite's errors into sentences."""
        with self._lock, self._in_words():
            if self._is_closed:
                raise sqlite3.ProgrammingError(f"The store of the {self.owner} is closed.")
            if self._connection is None:
                self._connection = self._connect()
            yield self._connection

    def copied(self) -> bytes | None:
        """See ``OpenStore``."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            connection = self._connection
            return None if connection is None or connection.in_transaction else connection.serialize()
        finally:
            self._lock.release()

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Prepare a connection for its first use."""
        connection.execute("PRAGMA journal_mode = WAL")
        for table in self.tables:
            connection.execute(f"CREATE TABLE IF NOT EXISTS {table}")

    def _connect(self) -> sqlite3.Connection:
        status = None if str(self.path) == IN_MEMORY else self._make_file()
        # A handler runs in any thread; the lock keeps them apart.
        connection = sqlite3.connect(
            self.path, timeout=_SECONDS, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        if status:
            offer(self, status)
        return connection

    def _make_file(self) -> os.stat_result:
        """Create the file privately if missing: SQLite would use the process's mask. SQLite's further files get its permissions."""
        try:
            descriptor = open_private(self.path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise self._unusable(str(error.strerror)) from error
        try:
            return os.fstat(descriptor)
        finally:
            os.close(descriptor)

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Translate SQLite's errors about a locked or foreign file into a sentence for the caller."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _HELD:
                message = "Another session is writing to the store; try again in a moment."
                raise ActionError(Reason.UNAVAILABLE, message, transient=True) from error
            if code in _DISK:
                raise self._unusable(str(error)) from error
            if code in _NO_STORE:
                raise UsageError(
                    f"{self.path} is not a store of the {self.owner}: {error}; move it away."
                ) from error
            raise

    def _unusable(self, why: str) -> ActionError:
        message = f"The store {self.path.name!r} can't be used: {why}; go on without it, and say so."
        return ActionError(Reason.DISK_ERROR, message)


def moment(timespec: str = "seconds") -> str:
    """Return the current time in the stores' form: ISO 8601 in UTC, with its zone."""
    return drawn_now().isoformat(timespec=timespec)
