from enum import Enum


class Status(Enum):
    PENDING = "pending"
    DONE = "completed"

task = gb.create_task("Enumerate", status=Status.PENDING.value)
gb.update_task(task["id"], status=Status.DONE.value)
print([s.name for s in Status], gb.list_tasks()["tasks"][0]["status"])
