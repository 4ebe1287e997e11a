from typing import Optional


def find(items: list[dict], name: str) -> Optional[dict]:
    for item in items:
        if item["content"] == name:
            return item
    return None

gb.create_task("Plan", notes="typed")
print(find(gb.list_tasks()["tasks"], "Plan"), find([], "x"))
