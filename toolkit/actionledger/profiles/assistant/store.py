"""What the assistant keeps: four collections of numbered texts in one SQLite file."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from actionledger.errors import ActionError
from actionledger.vocabulary import Reason

Record = dict[str, Any]
"""One numbered text with its fields."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing that the assistant keeps.

    Args:
        name: what people call one of them.
        table: its table; the word for several of them.
        field: what its records have besides content and notes; empty for nothing.
    """

    name: str
    table: str
    field: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields that can be given and changed."""
        return ("content", "notes", self.field) if self.field else ("content", "notes")


TASK = Kind("task", "tasks", "status")
MEMORY = Kind("memory", "memories")
GOAL = Kind("goal", "goals", "status")
ITEM = Kind("datavault item", "datavault", "filetype")
KINDS = (TASK, MEMORY, GOAL, ITEM)


class Store:
    """The four collections.

    Args:
        path: the SQLite file; made if it isn't there. ``:memory:`` for none.
    """

    def __init__(self, path: Path | str) -> None:
        self._connection = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
        self._connection.row_factory = sqlite3.Row
        # SQLite's own lower() knows ASCII alone.
        self._connection.create_function("folded", 1, str.casefold, deterministic=True)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._make_tables()

    def _make_tables(self) -> None:
        for kind in KINDS:
            field = f"{kind.field} TEXT NOT NULL, " if kind.field else ""
            self._connection.execute(
                f"CREATE TABLE IF NOT EXISTS {kind.table} (id INTEGER PRIMARY KEY AUTOINCREMENT, "
                f"content TEXT NOT NULL, notes TEXT NOT NULL, {field}"
                "created_at TEXT NOT NULL, updated_at TEXT NOT NULL)"
            )

    @classmethod
    def copy_of(cls, path: Path) -> Self:
        """Return a copy in memory of the store in a file; an empty one where there is no file.

        Args:
            path: the SQLite file; it is neither made nor changed.
        """
        copy = cls(":memory:")
        if path.exists():
            with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=5)) as original:
                original.backup(copy._connection)
            copy._make_tables()
        return copy

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        """Run a statement; one that finds the file locked has done nothing.

        Raises:
            ActionError: another session holds the file.
        """
        try:
            return self._connection.execute(statement, values)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                raise
            message = "Another session is writing to the store; try again in a moment."
            raise ActionError(Reason.UNAVAILABLE, message, transient=True) from error

    def add(self, kind: Kind, fields: Mapping[str, str]) -> Record:
        """Keep a new record; return it with its number."""
        moment = _now()
        values = [fields[column] for column in kind.columns]
        marks = ", ".join("?" * (len(values) + 2))
        row = self._execute(
            f"INSERT INTO {kind.table} ({', '.join(kind.columns)}, created_at, updated_at) "  # noqa: S608
            f"VALUES ({marks}) RETURNING *",
            (*values, moment, moment),
        ).fetchone()
        return dict(row)

    def get(self, kind: Kind, number: int) -> Record:
        """Return a record.

        Raises:
            ActionError: there is none of that number.
        """
        row = self._execute(f"SELECT * FROM {kind.table} WHERE id = ?", (_key(number),)).fetchone()  # noqa: S608
        if row is None:
            raise _not_found(kind, number)
        return dict(row)

    def change(self, kind: Kind, number: int, fields: Mapping[str, str | None]) -> Record:
        """Change what is given of a record, leave the rest; return it.

        Raises:
            ActionError: there is none of that number.
        """
        given = {name: value for name, value in fields.items() if name in kind.columns and value is not None}
        changes = "".join(f"{column} = ?, " for column in given)
        row = self._execute(
            f"UPDATE {kind.table} SET {changes}updated_at = ? WHERE id = ? RETURNING *",  # noqa: S608
            (*given.values(), _now(), _key(number)),
        ).fetchone()
        if row is None:
            raise _not_found(kind, number)
        return dict(row)

    def remove(self, kind: Kind, number: int) -> None:
        """Forget a record.

        Raises:
            ActionError: there is none of that number.
        """
        done = self._execute(f"DELETE FROM {kind.table} WHERE id = ?", (_key(number),))  # noqa: S608
        if not done.rowcount:
            raise _not_found(kind, number)

    def find(
        self, kind: Kind, *, limit: int, field: str | None = None, query: str | None = None
    ) -> list[Record]:
        """Return the first records, oldest first.

        Args:
            kind: where to look.
            limit: how many at most.
            field: the status or file type that they must have; None for any.
            query: a text that their content or notes must hold, letter case aside; None for any.
        """
        where, values = ["TRUE"], list[object]()
        if field is not None:
            where.append(f"{kind.field} = ?")
            values.append(field)
        if query is not None:
            where.append("(instr(folded(content), folded(?)) OR instr(folded(notes), folded(?)))")
            values += [query, query]
        rows = self._execute(
            f"SELECT * FROM {kind.table} WHERE {' AND '.join(where)} ORDER BY id LIMIT ?",  # noqa: S608
            (*values, limit),
        )
        return [dict(row) for row in rows]


def _key(number: int) -> int:
    """Return a number as SQLite can take it: what is beyond its integers names no record either way."""
    return min(number, 2**63 - 1)


def _not_found(kind: Kind, number: int) -> ActionError:
    return ActionError(Reason.NOT_FOUND, f"There is no {kind.name} with the number {number}.")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
