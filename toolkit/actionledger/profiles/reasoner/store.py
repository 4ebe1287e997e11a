"""What is kept of a persona: its state after every step, and the conversation, in one SQLite file.

Nothing is ever overwritten: a change adds a step, and going back adds one that is like an earlier one.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from actionledger.errors import ActionError, UsageError
from actionledger.profiles.reasoner.persona import PERSONA, Persona
from actionledger.text import writable
from actionledger.vocabulary import Reason

STORE_FILE = "reasoner.sqlite"
"""What the persona keeps, in its session's workspace."""

_TABLES = (
    (
        "CREATE TABLE IF NOT EXISTS steps (step INTEGER PRIMARY KEY AUTOINCREMENT, action TEXT NOT NULL, "
        "made_at TEXT NOT NULL, persona TEXT NOT NULL)"
    ),
    (
        "CREATE TABLE IF NOT EXISTS conversation (line INTEGER PRIMARY KEY AUTOINCREMENT, who TEXT NOT NULL, "
        "text TEXT NOT NULL, said_at TEXT NOT NULL)"
    ),
)


@dataclass(frozen=True, slots=True)
class Step:
    """One change of the persona.

    Args:
        step: its number, from 1.
        action: what made it: an action's name, ``begin`` or ``restore``.
        made_at: when, UTC, in ISO form.
        persona: the state after it.
    """

    step: int
    action: str
    made_at: str
    persona: Persona


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was said.

    Args:
        who: who said it.
        text: what.
    """

    who: str
    text: str

    @property
    def described(self) -> str:
        """Return it for the model; further lines are indented, so that nobody is made to say what they didn't."""
        return f"{self.who}: " + "\n  ".join(self.text.splitlines())


class PersonaStore:
    """A persona with its history.

    Args:
        path: the SQLite file; made if it isn't there.
        persona: who it is to begin with, where the file holds none.

    Raises:
        UsageError: the file is something else.
    """

    def __init__(self, path: Path | str, persona: Persona | None = None) -> None:
        self._connection = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
        self._lock = Lock()
        try:
            self._prepare(persona or Persona())
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise UsageError(f"The persona in {str(path)!r} can't be used: {error}.") from error

    def _prepare(self, persona: Persona) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        for table in _TABLES:
            self._connection.execute(table)
        with self._writing():
            if self._last() is None:
                self._append("begin", persona)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    @property
    def step(self) -> Step:
        """The last step: how it stands now."""
        with self._lock:
            last = self._last()
        assert last is not None  # the first step is made with the store
        return last

    @property
    def persona(self) -> Persona:
        """The state as it is now."""
        return self.step.persona

    def change(self, action: str, make: Callable[[Persona], Persona]) -> tuple[Step, bool]:
        """Change the state at once or not at all.

        Args:
            action: what makes the change.
            make: returns the new state, given the present one; it may raise, and then nothing is changed.

        Returns:
            The last step, and whether it is a new one: a state that stays the same makes none.

        Raises:
            ActionError: another session holds the file.
        """
        with self._writing():
            before = self._last()
            assert before is not None  # the first step is made with the store
            persona = make(before.persona)
            if persona == before.persona:
                return before, False
            return self._append(action, persona), True

    def history(self) -> list[Step]:
        """Return every step, oldest first."""
        with self._lock:
            rows = self._connection.execute("SELECT * FROM steps ORDER BY step").fetchall()
        return [_step(row) for row in rows]

    def restore(self, number: int) -> Step:
        """Go back to an earlier state; that is a new step, and itself can be gone back behind.

        Args:
            number: the step whose state to take.

        Raises:
            UsageError: there is no such step.
        """
        with self._writing():
            row = self._connection.execute("SELECT * FROM steps WHERE step = ?", (number,)).fetchone()
            if row is None:
                last = self._last()
                raise UsageError(
                    f"The persona has no step {number}; its steps are 1 to {last.step if last else 0}."
                )
            return self._append("restore", _step(row).persona)

    def say(self, who: str, text: str) -> None:
        """Keep what was said."""
        with self._writing():
            self._connection.execute(
                "INSERT INTO conversation (who, text, said_at) VALUES (?, ?, ?)",
                (who, writable(text), _now()),
            )

    def conversation(self, limit: int) -> list[Line]:
        """Return the last things that were said, oldest first.

        Args:
            limit: how many at most.
        """
        with self._lock:
            rows = self._connection.execute(
                "SELECT who, text FROM conversation ORDER BY line DESC LIMIT ?", (limit,)
            ).fetchall()
        return [Line(*row) for row in reversed(rows)]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the file for one change; an exception takes it back."""
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                message = "Another session is changing the persona; try again in a moment."
                raise ActionError(Reason.UNAVAILABLE, message, transient=True) from error
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _last(self) -> Step | None:
        row = self._connection.execute("SELECT * FROM steps ORDER BY step DESC LIMIT 1").fetchone()
        return _step(row) if row else None

    def _append(self, action: str, persona: Persona) -> Step:
        row = self._connection.execute(
            "INSERT INTO steps (action, made_at, persona) VALUES (?, ?, ?) RETURNING *",
            (action, _now(), PERSONA.dump_json(persona).decode()),
        ).fetchone()
        return _step(row)


def _step(row: tuple[int, str, str, str]) -> Step:
    step, action, made_at, persona = row
    return Step(step, action, made_at, PERSONA.validate_json(persona))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
