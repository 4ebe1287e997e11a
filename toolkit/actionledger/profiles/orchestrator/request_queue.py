"""The orchestrator's SQLite file, the plan with its history, and the requests that wait for a person's answer."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from actionledger.core.errors import UsageError
from actionledger.core.text import writable
from actionledger.profiles.stores import SqliteStore, moment

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


class OrchestratorStore(SqliteStore):
    """The file; reading doesn't create it.

    Args:
        path: where it is.
    """

    owner = "orchestrator"
    tables = _TABLES

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[sqlite3.Row]:
        """Return a SELECT's rows; none if the file doesn't exist."""
        with self._lock:
            return super().rows(statement, values) if self._connection or self.path.exists() else []

    def setting(self, name: str) -> str | None:
        """Return a setting; None if it isn't set."""
        found = self.rows("SELECT value FROM settings WHERE name = ?", (name,))
        return found[0]["value"] if found else None

    def set(self, name: str, value: str) -> None:
        """Save a setting."""
        with self.writing() as cursor:
            cursor.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))


RequestKind: TypeAlias = Literal["info", "escalation", "review"]
"""The purpose of a request to a person: an information, a decision, or a review."""


@dataclass(frozen=True, slots=True)
class PlanVersion:
    """One version of the plan."""

    version: int  # from 1; the latest one holds
    text: str
    layer: str  # who wrote it; empty if unknown
    created_at: str  # when, ISO 8601 in UTC


@dataclass(frozen=True, slots=True)
class PersonRequest:
    """A request to a person."""

    number: int
    kind: RequestKind  # its purpose
    subject: str  # the question, the reason, or what to review
    context: str  # the necessary background
    layer: str  # who asks; empty if unknown
    created_at: str  # when, ISO 8601 in UTC
    answer: str | None  # the person's answer; None while it waits
    answered_by: str  # who answered; empty while it waits
    answered_at: str | None  # when, ISO 8601 in UTC; None while it waits


class RequestQueue:
    """The plans and requests of one store.

    Args:
        store: where they are stored.
    """

    def __init__(self, store: OrchestratorStore) -> None:
        self._store = store

    def plan(self, text: str, layer: str, origin: str) -> PlanVersion:
        """Make a text the current plan.

        Args:
            text: all of it.
            layer: who wrote it.
            origin: identifies the requesting action; one that ran already changes nothing.
        """
        with self._store.writing() as cursor:
            row = cursor.execute("SELECT * FROM plans WHERE origin = ?", (origin,)).fetchone()
            row = (
                row
                or cursor.execute(
                    "INSERT INTO plans (text, layer, created_at, origin) VALUES (?, ?, ?, ?) RETURNING *",
                    (text, layer, moment(), origin),
                ).fetchone()
            )
        return _plan(row)

    def plans(self) -> list[PlanVersion]:
        """Return all versions of the plan, oldest first."""
        return [_plan(row) for row in self._store.rows("SELECT * FROM plans ORDER BY version")]

    def ask(self, kind: RequestKind, subject: str, context: str, *, layer: str, origin: str) -> PersonRequest:
        """Put a request to a person.

        Args:
            kind: its purpose.
            subject: the question.
            context: the necessary background.
            layer: who asks.
            origin: identifies the requesting action, which asks once, however often it runs.
        """
        with self._store.writing() as cursor:
            row = cursor.execute("SELECT * FROM requests WHERE origin = ?", (origin,)).fetchone()
            row = (
                row
                or cursor.execute(
                    """INSERT INTO requests (kind, subject, context, layer, created_at, origin) VALUES (?, ?, ?, ?, ?, ?)
                   RETURNING *""",
                    (kind, subject, context, layer, moment(), origin),
                ).fetchone()
            )
        return _request(row)

    def requests(self, kind: RequestKind | None = None, *, waiting: bool = False) -> list[PersonRequest]:
        """Return the requests, oldest first.

        Args:
            kind: only of that kind; None for all.
            waiting: whether to omit answered ones.
        """
        found = [_request(row) for row in self._store.rows("SELECT * FROM requests ORDER BY number")]
        return [
            each for each in found if kind in {None, each.kind} and not (waiting and each.answer is not None)
        ]

    def answer(self, number: int, text: str, *, by: str) -> PersonRequest:
        """Answer a request, once.

        Args:
            number: the request.
            text: the answer.
            by: who answers.

        Raises:
            UsageError: no request of that number waits, or the answer is empty.
        """
        if not text.strip():
            raise UsageError("An answer of no words answers nothing; give a text.")
        with self._store.writing() as cursor:
            waiting = [each.number for each in self.requests(waiting=True)]
            if number not in waiting:
                numbers = ", ".join(map(str, waiting)) or "none"
                raise UsageError(
                    f"The request {number} waits for no answer; the numbers of those that do: {numbers}."
                )
            row = cursor.execute(
                "UPDATE requests SET answer = ?, answered_by = ?, answered_at = ? WHERE number = ? RETURNING *",
                (writable(text), writable(by), moment(), number),
            ).fetchone()
        return _request(row)


def _plan(row: sqlite3.Row) -> PlanVersion:
    return PlanVersion(row["version"], row["text"], row["layer"], row["created_at"])


def _request(row: sqlite3.Row) -> PersonRequest:
    assert row["kind"] in get_args(RequestKind)
    return PersonRequest(
        number=row["number"],
        kind=row["kind"],
        subject=row["subject"],
        context=row["context"],
        layer=row["layer"],
        created_at=row["created_at"],
        answer=row["answer"],
        answered_by=row["answered_by"],
        answered_at=row["answered_at"],
    )
