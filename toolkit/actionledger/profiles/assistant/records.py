"""The assistant's four collections in one SQLite file, with the same six actions on each under different names.

The results have the shapes of the document's ``gb`` object.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from actionledger.core.canonical import JsonDict
from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.stores import SqliteStore, moment
from actionledger.runtime.execution.handlers import Context, Handler

# The assistant's data: four collections of numbered texts in one SQLite file.
Record = JsonDict
"""One numbered text with its fields."""


@dataclass(frozen=True, slots=True)
class RecordKind:
    """A kind of record of the assistant."""

    name: str  # its name for people
    table: str  # its table, named by the plural
    field: str = ""  # its records' field besides content and notes; empty if there is none

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields that can be set and changed."""
        return ("content", "notes", self.field) if self.field else ("content", "notes")


TASK = RecordKind("task", "tasks", "status")
MEMORY = RecordKind("memory", "memories")
GOAL = RecordKind("goal", "goals", "status")
ITEM = RecordKind("datavault item", "datavault", "filetype")
_TABLE_KINDS = (TASK, MEMORY, GOAL, ITEM)


def _table(kind: RecordKind) -> str:
    field = f"{kind.field} TEXT NOT NULL, " if kind.field else ""
    return (
        f"{kind.table} (id INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL, notes TEXT NOT NULL, {field}"
        "created_at TEXT NOT NULL, updated_at TEXT NOT NULL)"
    )


class AssistantStore(SqliteStore):
    """The four collections in a SQLite file, created if missing; ``:memory:`` for none."""

    owner = "assistant"
    tables = tuple(map(_table, _TABLE_KINDS))

    def _prepare(self, connection: sqlite3.Connection) -> None:
        # SQLite's own lower() only knows ASCII.
        connection.create_function("folded", 1, str.casefold, deterministic=True)
        super()._prepare(connection)

    def add(self, kind: RecordKind, fields: Mapping[str, str]) -> Record:
        """Add a record and return it with its number."""
        at = moment()
        values = [fields[column] for column in kind.columns]
        marks = ", ".join("?" * (len(values) + 2))
        (row,) = self.rows(
            f"INSERT INTO {kind.table} ({', '.join(kind.columns)}, created_at, updated_at) "  # noqa: S608
            f"VALUES ({marks}) RETURNING *",
            (*values, at, at),
        )
        return dict(row)

    def get(self, kind: RecordKind, number: int) -> Record:
        found = self.rows(f"SELECT * FROM {kind.table} WHERE id = ?", (_key(number),))  # noqa: S608
        return _only(found, kind, number)

    def change(self, kind: RecordKind, number: int, fields: Mapping[str, str | None]) -> Record:
        """Change the given fields of a record and return it."""
        given = {name: value for name, value in fields.items() if name in kind.columns and value is not None}
        changes = "".join(f"{column} = ?, " for column in given)
        found = self.rows(
            f"UPDATE {kind.table} SET {changes}updated_at = ? WHERE id = ? RETURNING *",  # noqa: S608
            (*given.values(), moment(), _key(number)),
        )
        return _only(found, kind, number)

    def remove(self, kind: RecordKind, number: int) -> None:
        """Delete a record."""
        found = self.rows(f"DELETE FROM {kind.table} WHERE id = ? RETURNING *", (_key(number),))  # noqa: S608
        _only(found, kind, number)

    def find(
        self, kind: RecordKind, *, limit: int, field: str | None = None, query: str | None = None
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
    """Return a number within SQLite's integers; a larger one identifies no record anyway."""
    return min(number, 2**63 - 1)


def _only(found: Sequence[sqlite3.Row], kind: RecordKind, number: int) -> Record:
    if not found:
        raise ActionError(Reason.NOT_FOUND, f"There is no {kind.name} with the number {number}.")
    return dict(found[0])


Result = JsonDict


@dataclass(frozen=True, slots=True)
class ActionNames:
    """The names of a kind's actions."""

    kind: RecordKind
    number: str  # the field of an action that identifies a record
    key: str  # the field of a result that identifies it
    several: str  # the field of a result that holds a list of them
    # the actions' names: create, update, delete, get, list, search
    actions: tuple[str, str, str, str, str, str]

    @property
    def changing(self) -> tuple[str, ...]:
        """The actions that change the store."""
        return self.actions[:3]

    @property
    def deleting(self) -> str:
        return self.actions[2]


def _plain(kind: RecordKind, plural: str) -> ActionNames:
    one = kind.name
    verbs = (
        f"create_{one}",
        f"update_{one}",
        f"delete_{one}",
        f"get_{one}",
        f"list_{plural}",
        f"search_{plural}",
    )
    return ActionNames(kind, f"{one}_id", f"{one}_id", plural, verbs)


KINDS = (
    _plain(TASK, "tasks"),
    _plain(MEMORY, "memories"),
    _plain(GOAL, "goals"),
    ActionNames(
        ITEM,
        "item_id",
        "datavault_id",
        "items",
        (
            "datavault_store",
            "datavault_update",
            "datavault_delete",
            "datavault_get",
            "datavault_list",
            "datavault_search",
        ),
    ),
)
"""The four kinds with the names of their actions."""

OpenStore = Callable[[], AssistantStore]
"""Returns the store, which is opened on first use."""


def crud_handlers(store: OpenStore) -> dict[str, Handler]:
    """Return the handlers of the actions on the four kinds, by the action's name."""
    handlers: dict[str, Handler] = {}
    for names in KINDS:
        crud = _Crud(store, names)
        methods = (crud.create, crud.update, crud.delete, crud.get, crud.show, crud.search)
        handlers |= zip(names.actions, methods, strict=True)
    return handlers


class _Crud:
    """Runs the six actions of one kind."""

    def __init__(self, store: OpenStore, names: ActionNames) -> None:
        self.store = store
        self.names = names
        self.kind = names.kind

    def create(self, action: BaseModel, _context: Context) -> Result:
        given = action.model_dump()
        record = self.store().add(self.kind, {column: given[column] or "" for column in self.kind.columns})
        return self._identified(record) | self._short(record) | {"created_at": record["created_at"]}

    def update(self, action: BaseModel, _context: Context) -> Result:
        given = action.model_dump()
        record = self.store().change(self.kind, given[self.names.number], given)
        short = self._short(record)
        short.pop("content_length", None)
        return self._identified(record) | short | {"updated_at": record["updated_at"]}

    def delete(self, action: BaseModel, _context: Context) -> Result:
        number = action.model_dump()[self.names.number]
        self.store().remove(self.kind, number)
        return {"success": True, self.names.key: number}

    def get(self, action: BaseModel, _context: Context) -> Result:
        record = self.store().get(self.kind, action.model_dump()[self.names.number])
        return {name: record[name] for name in ("id", *self.kind.columns)}

    def show(self, action: BaseModel, _context: Context) -> Result:
        given = action.model_dump()
        return self._listed(
            self.store().find(self.kind, limit=given["limit"], field=given.get(self.kind.field))
        )

    def search(self, action: BaseModel, _context: Context) -> Result:
        given = action.model_dump()
        return self._listed(self.store().find(self.kind, limit=given["limit"], query=given["query"]))

    def _identified(self, record: Record) -> Result:
        return {"id": record["id"], self.names.key: record["id"]}

    def _short(self, record: Record) -> Result:
        """Return a record's fields in a result besides its number; for long texts of the datavault, only their length."""
        if self.kind is ITEM:
            return {"filetype": record["filetype"], "content_length": len(record["content"])}
        return {name: record[name] for name in self.kind.columns if name != "notes"}

    def _listed(self, records: list[Record]) -> Result:
        return {self.names.several: [self._line(record) for record in records]}

    def _line(self, record: Record) -> Result:
        """Return a record's entry in a list; a goal's notes are shown only with the goal."""
        notes = {} if self.kind is GOAL else {"notes": record["notes"]}
        return {"id": record["id"]} | self._short(record) | notes
