"""What the assistant keeps: four collections of numbered texts in one SQLite file."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.stores import IN_MEMORY, SqliteStore, moment

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


def _table(kind: Kind) -> str:
    field = f"{kind.field} TEXT NOT NULL, " if kind.field else ""
    return (
        f"{kind.table} (id INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL, notes TEXT NOT NULL, {field}"
        "created_at TEXT NOT NULL, updated_at TEXT NOT NULL)"
    )


class Store(SqliteStore):
    """The four collections.

    Args:
        path: the SQLite file; made if it isn't there. ``:memory:`` for none.
    """

    owner = "assistant"
    tables = tuple(map(_table, KINDS))

    @classmethod
    def copy_of(cls, path: Path) -> Self:
        """Return a copy in memory of the store in a file; an empty one where there is no file."""
        copy = cls(IN_MEMORY)
        if path.exists():
            with (
                copy.opened() as connection,
                closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=5)) as original,
            ):
                original.backup(connection)
                copy._prepare(connection)
        return copy

    def _prepare(self, connection: sqlite3.Connection) -> None:
        # SQLite's own lower() knows ASCII alone.
        connection.create_function("folded", 1, str.casefold, deterministic=True)
        super()._prepare(connection)

    def add(self, kind: Kind, fields: Mapping[str, str]) -> Record:
        """Keep a new record; return it with its number."""
        at = moment()
        values = [fields[column] for column in kind.columns]
        marks = ", ".join("?" * (len(values) + 2))
        (row,) = self.rows(
            f"INSERT INTO {kind.table} ({', '.join(kind.columns)}, created_at, updated_at) "  # noqa: S608
            f"VALUES ({marks}) RETURNING *",
            (*values, at, at),
        )
        return dict(row)

    def get(self, kind: Kind, number: int) -> Record:
        """Return a record."""
        found = self.rows(f"SELECT * FROM {kind.table} WHERE id = ?", (_key(number),))  # noqa: S608
        return _only(found, kind, number)

    def change(self, kind: Kind, number: int, fields: Mapping[str, str | None]) -> Record:
        """Change what is given of a record, leave the rest; return it."""
        given = {name: value for name, value in fields.items() if name in kind.columns and value is not None}
        changes = "".join(f"{column} = ?, " for column in given)
        found = self.rows(
            f"UPDATE {kind.table} SET {changes}updated_at = ? WHERE id = ? RETURNING *",  # noqa: S608
            (*given.values(), moment(), _key(number)),
        )
        return _only(found, kind, number)

    def remove(self, kind: Kind, number: int) -> None:
        """Forget a record."""
        found = self.rows(f"DELETE FROM {kind.table} WHERE id = ? RETURNING *", (_key(number),))  # noqa: S608
        _only(found, kind, number)

    def find(
        self, kind: Kind, *, limit: int, field: str | None = None, query: str | None = None
    ) -> list[Record]:
        """Return the first records, oldest first."""
        where, values = ["TRUE"], list[object]()
        if field is not None:
            where.append(f"{kind.field} = ?")
            values.append(field)
        if query is not None:
            where.append("(instr(folded(content), folded(?)) OR instr(folded(notes), folded(?)))")
            values += [query, query]
        rows = self.rows(
            f"SELECT * FROM {kind.table} WHERE {' AND '.join(where)} ORDER BY id LIMIT ?",  # noqa: S608
            (*values, limit),
        )
        return [dict(row) for row in rows]


def _key(number: int) -> int:
    """Return a number as SQLite can take it: what is beyond its integers names no record either way."""
    return min(number, 2**63 - 1)


def _only(found: Sequence[sqlite3.Row], kind: Kind, number: int) -> Record:
    if not found:
        raise ActionError(Reason.NOT_FOUND, f"There is no {kind.name} with the number {number}.")
    return dict(found[0])
