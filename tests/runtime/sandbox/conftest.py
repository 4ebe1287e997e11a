"""The sandboxes that this machine has, and a host in memory with the methods that the assistant's document promises."""

import inspect
from collections.abc import Callable, Iterator

import pytest

from actionledger.runtime.sandbox.backends import BubblewrapSandbox, ConfinedSandbox, ContainerSandbox
from actionledger.runtime.sandbox.base import Api, Sandbox
from actionledger.runtime.sandbox.monty import MontySandbox

SANDBOXES: dict[str, Callable[[], Sandbox]] = {
    "confined": ConfinedSandbox,
    "monty": MontySandbox,
    "bubblewrap": BubblewrapSandbox,
    "container": ContainerSandbox,
}
MOMENT = "2026-01-05T09:00:00+00:00"


class FakeAssistant:
    """Tasks, memories, goals and the datavault in memory, with the return shapes of the document."""

    def __init__(self):
        self.kept = {"task": {}, "memory": {}, "goal": {}, "datavault": {}}
        self.logs = []

    def _add(self, kind, **fields):
        number = len(self.kept[kind]) + 1
        self.kept[kind][number] = {"id": number, **fields}
        return number

    def _get(self, kind, number):
        if number not in self.kept[kind]:
            raise ValueError(f"There is no {kind} with the number {number}.")
        return self.kept[kind][number]

    def _change(self, kind, number, **fields):
        record = self._get(kind, number)
        record.update({name: value for name, value in fields.items() if value is not None})
        return record

    def _remove(self, kind, number):
        self._get(kind, number)
        del self.kept[kind][number]
        return {"success": True, f"{kind}_id": number}

    def _find(self, kind, limit, test, *names):
        found = [record for record in self.kept[kind].values() if test(record)][:limit]
        return [{name: record[name] for name in ("id", *names)} for record in found]

    def create_task(self, content, notes="", status="pending"):
        number = self._add("task", content=content, notes=notes, status=status)
        return {"id": number, "task_id": number, "content": content, "status": status, "created_at": MOMENT}

    def update_task(self, task_id, content=None, notes=None, status=None):
        record = self._change("task", task_id, content=content, notes=notes, status=status)
        short = {name: record[name] for name in ("content", "status")}
        return {"id": task_id, "task_id": task_id, **short, "updated_at": MOMENT}

    def delete_task(self, task_id):
        return self._remove("task", task_id)

    def list_tasks(self, status=None, limit=50):
        test = lambda record: status in {None, record["status"]}  # noqa: E731
        return {"tasks": self._find("task", limit, test, "content", "notes", "status")}

    def search_tasks(self, query, limit=20):
        test = lambda record: query.lower() in (record["content"] + record["notes"]).lower()  # noqa: E731
        return {"tasks": self._find("task", limit, test, "content", "notes", "status")}

    def create_memory(self, content, notes=""):
        number = self._add("memory", content=content, notes=notes)
        return {"id": number, "memory_id": number, "content": content, "created_at": MOMENT}

    def update_memory(self, memory_id, content=None, notes=None):
        record = self._change("memory", memory_id, content=content, notes=notes)
        return {"id": memory_id, "memory_id": memory_id, "content": record["content"], "updated_at": MOMENT}

    def delete_memory(self, memory_id):
        return self._remove("memory", memory_id)

    def list_memories(self, limit=50):
        return {"memories": self._find("memory", limit, lambda _: True, "content", "notes")}

    def search_memories(self, query, limit=20):
        test = lambda record: query.lower() in (record["content"] + record["notes"]).lower()  # noqa: E731
        return {"memories": self._find("memory", limit, test, "content", "notes")}

    def create_goal(self, content, notes="", status="pending"):
        number = self._add("goal", content=content, notes=notes, status=status)
        return {"id": number, "goal_id": number, "content": content, "status": status, "created_at": MOMENT}

    def update_goal(self, goal_id, content=None, notes=None, status=None):
        record = self._change("goal", goal_id, content=content, notes=notes, status=status)
        short = {name: record[name] for name in ("content", "status")}
        return {"id": goal_id, "goal_id": goal_id, **short, "updated_at": MOMENT}

    def delete_goal(self, goal_id):
        return self._remove("goal", goal_id)

    def list_goals(self, status=None, limit=50):
        test = lambda record: status in {None, record["status"]}  # noqa: E731
        return {"goals": self._find("goal", limit, test, "content", "status")}

    def search_goals(self, query, limit=20):
        test = lambda record: query.lower() in record["content"].lower()  # noqa: E731
        return {"goals": self._find("goal", limit, test, "content", "status")}

    def datavault_store(self, content, filetype="text", notes=""):
        number = self._add(
            "datavault", content=content, filetype=filetype, notes=notes, content_length=len(content)
        )
        short = {"filetype": filetype, "content_length": len(content)}
        return {"id": number, "datavault_id": number, **short, "created_at": MOMENT}

    def datavault_get(self, item_id):
        record = self._get("datavault", item_id)
        return {name: record[name] for name in ("id", "content", "filetype", "notes")}

    def datavault_update(self, item_id, content=None, filetype=None, notes=None):
        record = self._change("datavault", item_id, content=content, filetype=filetype, notes=notes)
        record["content_length"] = len(record["content"])
        return {"id": item_id, "datavault_id": item_id, "filetype": record["filetype"], "updated_at": MOMENT}

    def datavault_delete(self, item_id):
        return self._remove("datavault", item_id)

    def datavault_list(self, filetype=None, limit=50):
        test = lambda record: filetype in {None, record["filetype"]}  # noqa: E731
        return {"items": self._find("datavault", limit, test, "filetype", "notes", "content_length")}

    def datavault_search(self, query, limit=20):
        test = lambda record: query.lower() in (record["content"] + record["notes"]).lower()  # noqa: E731
        return {"items": self._find("datavault", limit, test, "filetype", "notes", "content_length")}

    def log(self, message):
        self.logs.append(str(message))

    def api(self):
        """The object as the sandbox takes it: all methods but ``log``, which is the sandbox's own."""
        methods = dict(inspect.getmembers(self, inspect.ismethod))
        return Api(
            methods={
                name: method
                for name, method in methods.items()
                if name[0] != "_" and name not in {"log", "api"}
            }
        )


@pytest.fixture
def assistant():
    return FakeAssistant()


@pytest.fixture(scope="session")
def make_assistant():
    return FakeAssistant


@pytest.fixture(scope="session", params=SANDBOXES)
def sandbox(request) -> Iterator[Sandbox]:
    """Every sandbox that is available here; the others are skipped with their reason."""
    made = SANDBOXES[request.param]()
    availability = made.available()
    if not availability:
        pytest.skip(f"{request.param}: {availability.reason}")
    yield made
    made.close()


@pytest.fixture(scope="session")
def confined() -> Iterator[ConfinedSandbox]:
    """The confined CPython alone."""
    with ConfinedSandbox() as made:
        availability = made.available()
        if not availability:
            pytest.skip(f"confined: {availability.reason}")
        yield made
