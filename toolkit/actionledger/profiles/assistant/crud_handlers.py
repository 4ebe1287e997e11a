"""The six actions on each kind of thing that the assistant keeps: the names differ, and nothing else.

The shapes of the results are those of the document's ``gb`` object.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from actionledger.profiles.assistant.store import GOAL, ITEM, MEMORY, TASK, Kind, Record, Store
from actionledger.runtime.execution.handlers import Context, Handler

Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Names:
    """How a kind's actions are called.

    Args:
        kind: the kind.
        number: the field by which an action names a record.
        key: the field by which a result names it.
        several: the field of a result that holds a list of them.
        actions: the actions' names: create, update, delete, get, list, search.
    """

    kind: Kind
    number: str
    key: str
    several: str
    actions: tuple[str, str, str, str, str, str]

    @property
    def changing(self) -> tuple[str, ...]:
        """The actions that change what is kept."""
        return self.actions[:3]

    @property
    def deleting(self) -> str:
        """The action that deletes."""
        return self.actions[2]


def _plain(kind: Kind, plural: str) -> Names:
    one = kind.name
    verbs = (
        f"create_{one}",
        f"update_{one}",
        f"delete_{one}",
        f"get_{one}",
        f"list_{plural}",
        f"search_{plural}",
    )
    return Names(kind, f"{one}_id", f"{one}_id", plural, verbs)


KINDS = (
    _plain(TASK, "tasks"),
    _plain(MEMORY, "memories"),
    _plain(GOAL, "goals"),
    Names(
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

OpenStore = Callable[[], Store]
"""Returns the store, which is opened when it is first needed."""


def crud_handlers(store: OpenStore) -> dict[str, Handler]:
    """Return what runs the actions on the four kinds, by the action's name."""
    handlers: dict[str, Handler] = {}
    for names in KINDS:
        crud = _Crud(store, names)
        methods = (crud.create, crud.update, crud.delete, crud.get, crud.show, crud.search)
        handlers |= zip(names.actions, methods, strict=True)
    return handlers


class _Crud:
    """Runs the six actions of one kind."""

    def __init__(self, store: OpenStore, names: Names) -> None:
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
        """What a result says of a record besides its number: long texts of the datavault only by their length."""
        if self.kind is ITEM:
            return {"filetype": record["filetype"], "content_length": len(record["content"])}
        return {name: record[name] for name in self.kind.columns if name != "notes"}

    def _listed(self, records: list[Record]) -> Result:
        return {self.names.several: [self._line(record) for record in records]}

    def _line(self, record: Record) -> Result:
        """What a list says of a record; a goal's notes are shown with the goal alone."""
        notes = {} if self.kind is GOAL else {"notes": record["notes"]}
        return {"id": record["id"]} | self._short(record) | notes
