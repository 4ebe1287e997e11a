"""What the orchestrator keeps: issues, jobs, plans, requests and settings, in one SQLite file.

Whatever an action puts there carries the action's origin. So an action that is run again, after a crash that left nobody to
say how it ended, finds what it did the first time, and does it once.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock

from actionledger.errors import ActionError, UsageError
from actionledger.vocabulary import Reason

FILE = "orchestrator.sqlite"
"""The file's name in its workspace."""

_TABLES = (
    """issues (number INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, body TEXT NOT NULL, labels TEXT NOT NULL,
       is_open INTEGER NOT NULL DEFAULT 1, created_at TEXT NOT NULL, origin TEXT NOT NULL)""",
    """jobs (number INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'queued',
       note TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL, origin TEXT NOT NULL UNIQUE)""",
    "job_issues (job INTEGER NOT NULL REFERENCES jobs, issue INTEGER NOT NULL REFERENCES issues, PRIMARY KEY (job, issue))",
    """plans (version INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, layer TEXT NOT NULL,
       created_at TEXT NOT NULL, origin TEXT NOT NULL UNIQUE)""",
    """requests (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, subject TEXT NOT NULL,
       context TEXT NOT NULL, layer TEXT NOT NULL, answer TEXT, answered_by TEXT NOT NULL DEFAULT '',
       answered_at TEXT, created_at TEXT NOT NULL, origin TEXT NOT NULL UNIQUE)""",
    "settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
)

_DISK_CODES = frozenset(
    {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY}
)
"""What SQLite says of a file that can't be read or written."""


class Store:
    """The file; it is made when something is first put into it.

    Args:
        path: where it is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = RLock()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._connection:
                self._connection.close()
            self._connection = None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Cursor]:
        """Give a cursor whose changes are made together at the end, or not at all.

        Raises:
            ActionError: another session holds the file, or it can't be written; nothing was changed.
            UsageError: the file is no store.
        """
        with self._lock, _in_words(self.path):
            connection = self._opened()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection.cursor()
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def rows(self, query: str, values: Sequence[object] = ()) -> list[sqlite3.Row]:
        """Return what a SELECT gives; nothing where nothing was ever put into the file.

        Args:
            query: the SELECT.
            values: the values of its question marks.

        Raises:
            ActionError: another session holds the file, or it can't be read.
            UsageError: the file is no store.
        """
        with self._lock, _in_words(self.path):
            if self._connection is None and not self.path.exists():
                return []
            with closing(self._opened().execute(query, values)) as cursor:
                return cursor.fetchall()

    def setting(self, name: str) -> str | None:
        """Return what was set by that name; None where nothing was."""
        found = self.rows("SELECT value FROM settings WHERE name = ?", (name,))
        return found[0]["value"] if found else None

    def set(self, name: str, value: str) -> None:
        """Keep a text by a name, for whoever opens the file later."""
        with self.writing() as cursor:
            cursor.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = sqlite3.connect(self.path, timeout=5, isolation_level=None, check_same_thread=False)
            connection.row_factory = sqlite3.Row
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                for table in _TABLES:
                    connection.execute(f"CREATE TABLE IF NOT EXISTS {table}")
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """Turn what SQLite says of a file that is held, or is none of its own, into a sentence for whoever it concerns."""
    try:
        yield
    except sqlite3.OperationalError as error:
        code = error.sqlite_errorcode & 0xFF
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            message = "Another session is writing to the store; try again in a moment."
            raise ActionError(Reason.UNAVAILABLE, message, transient=True) from error
        if code in _DISK_CODES:
            message = f"The store {path.name!r} can't be used: {error}; go on without it, and say so."
            raise ActionError(Reason.DISK_ERROR, message) from error
        raise
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        raise UsageError(f"{path} is no store of the orchestrator: {error}; move it away.") from error


def moment() -> str:
    """Return the time now as the store keeps it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
