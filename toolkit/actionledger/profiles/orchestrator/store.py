"""What the orchestrator keeps: issues, jobs, plans, requests and settings, in one SQLite file.

Whatever an action puts there carries the action's origin. So an action that is run again, after a crash that left nobody to
say how it ended, finds what it did the first time, and does it once.
"""

import sqlite3
from collections.abc import Sequence

from actionledger.profiles.stores import SqliteStore

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


class Store(SqliteStore):
    """The file; looking alone makes none.

    Args:
        path: where it is.
    """

    owner = "orchestrator"
    tables = _TABLES

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[sqlite3.Row]:
        """Return what a SELECT gives; nothing where nothing was ever put into the file."""
        with self._lock:
            return super().rows(statement, values) if self._connection or self.path.exists() else []

    def setting(self, name: str) -> str | None:
        """Return what was set by that name; None where nothing was."""
        found = self.rows("SELECT value FROM settings WHERE name = ?", (name,))
        return found[0]["value"] if found else None

    def set(self, name: str, value: str) -> None:
        """Keep a text by a name, for whoever opens the file later."""
        with self.writing() as cursor:
            cursor.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))
