# %% base64_round_trip
import base64

encoded = base64.b64encode("grüße".encode()).decode()
item = gb.datavault_store(encoded, filetype="base64")
print(encoded, base64.b64decode(gb.datavault_get(item["id"])["content"]).decode())
# %% budget
budget = {"rent": 950, "food": 400, "fun": 150}
spent = {"rent": 950, "food": 465, "fun": 90}
for name in budget:
    left = budget[name] - spent[name]
    marker = "over!" if left < 0 else "ok"
    print(f"{name:<6}{left:>6} {marker}")
    if left < 0:
        gb.create_task(f"Check budget: {name}", notes=f"over by {-left}")
len(gb.list_tasks()["tasks"])
# %% class_for_tasks
class TaskBatch:
    def __init__(self, prefix):
        self.prefix = prefix
        self.ids = []

    def add(self, text):
        result = gb.create_task(f"{self.prefix}: {text}")
        self.ids.append(result["id"])
        return self

batch = TaskBatch("Launch")
batch.add("write post").add("send mail")
print(batch.ids)
# %% complete_all_pending
for name in ("write", "test", "ship"):
    gb.create_task(name)
pending = gb.list_tasks(status="pending")["tasks"]
for task in pending:
    gb.update_task(task["id"], status="completed")
print(f"{len(pending)} tasks completed, {len(gb.list_tasks(status='pending')['tasks'])} left")
# %% count_by_status
from collections import Counter

for i, status in enumerate(["pending", "ongoing", "pending", "completed"]):
    gb.create_task(f"Task {i}", status=status)
counts = Counter(task["status"] for task in gb.list_tasks()["tasks"])
for status, count in sorted(counts.items()):
    print(f"{status}: {count}")
dict(counts)
# %% create_one_task
task_result = gb.create_task('Review code', notes='High priority')
print(f"Created task: {task_result['task_id']}")
# %% create_tasks_from_list
import json

# Create tasks from a list
tasks = [
    'Review PR #123',
    'Update documentation',
    'Fix bug in authentication'
]

created_ids = []
for task_content in tasks:
    result = gb.create_task(task_content, notes='Auto-generated')
    created_ids.append(result['task_id'])
    gb.log(f"Created task: {result['task_id']}")

# Store summary in datavault
summary = json.dumps({'created_tasks': created_ids, 'total': len(created_ids)})
gb.datavault_store(summary, filetype='json', notes='Task creation summary')

print(f"Created {len(created_ids)} tasks")
# %% csv_report
import csv
import io

rows = [("Anna", 3), ("Ben", 5), ("Cleo", 2)]
buffer = io.StringIO()
writer = csv.writer(buffer)
writer.writerow(["name", "tasks"])
writer.writerows(rows)
item = gb.datavault_store(buffer.getvalue(), filetype="csv", notes="report")
print(gb.datavault_get(item["datavault_id"])["content"])
# %% datavault_search_and_delete
for name in ("alpha", "beta", "alphabet"):
    gb.datavault_store(f"content of {name}", notes=name)
for item in gb.datavault_search("alpha")["items"]:
    print(item["notes"], gb.datavault_delete(item["id"]))
len(gb.datavault_list()["items"])
# %% datavault_versions
item = gb.datavault_store("v1", notes="draft")
for version in ("v2", "v3 final"):
    gb.datavault_update(item["datavault_id"], content=version)
print(gb.datavault_get(item["datavault_id"]), gb.datavault_list()["items"])
# %% decorators
from functools import wraps


def logged(function):
    @wraps(function)
    def inner(*args):
        gb.log(f"{function.__name__}{args}")
        return function(*args)
    return inner

@logged
def add(a, b):
    return a + b

add(2, 3)
# %% dedupe_memories
for text in ["Likes tea", "likes tea ", "Works in Berlin", "Likes tea"]:
    gb.create_memory(text)
seen = set()
for memory in gb.list_memories()["memories"]:
    key = memory["content"].strip().lower()
    if key in seen:
        gb.delete_memory(memory["id"])
    seen.add(key)
print([memory["content"] for memory in gb.list_memories()["memories"]])
# %% delete_returns_dict
task = gb.create_task("test")
result = gb.delete_task(task["task_id"])
success = result.get('success')
print("deleted:", success)
# %% dispatch_table
handlers = {
    "task": lambda text: gb.create_task(text)["id"],
    "memory": lambda text: gb.create_memory(text)["id"],
    "goal": lambda text: gb.create_goal(text)["id"],
}
plan = [("task", "Write"), ("memory", "Done"), ("goal", "Publish"), ("task", "Send")]
print([(kind, handlers[kind](text)) for kind, text in plan])
# %% enum_status
from enum import Enum


class Status(Enum):
    PENDING = "pending"
    DONE = "completed"

task = gb.create_task("Enumerate", status=Status.PENDING.value)
gb.update_task(task["id"], status=Status.DONE.value)
print([s.name for s in Status], gb.list_tasks()["tasks"][0]["status"])
# %% extract_emails
import re

text = "Write to ann@example.org or bob.smith@mail.example.com, not to @nobody."
emails = re.findall(r"[\w.]+@[\w.]+\.\w+", text)
for email in emails:
    gb.create_memory(f"Contact: {email}", notes="contact")
print(emails)
# %% goals_with_progress
goal = gb.create_goal("Read 12 books", notes="2026")
read = 5
percent = round(read / 12 * 100, 1)
gb.update_goal(goal["goal_id"], notes=f"progress {percent}%", status="ongoing")
print(gb.list_goals(status="ongoing")["goals"])
# %% iterate_pages
for i in range(23):
    gb.create_task(f"Task {i:02d}", status="completed" if i % 3 else "pending")
shown = gb.list_tasks(limit=10)["tasks"]
rest = gb.list_tasks(limit=100)["tasks"][10:]
print(len(shown), len(rest), shown[-1]["content"], rest[0]["content"])
# %% itertools_combinations
from itertools import combinations

team = ["Ann", "Bob", "Cy"]
for a, b in combinations(team, 2):
    gb.create_task(f"Pairing: {a} + {b}")
print(len(gb.list_tasks()["tasks"]))
# %% json_round_trip
import json

data = {"name": "Überprüfung", "tags": ["a", "b"], "nested": {"x": None, "y": True}}
item = gb.datavault_store(json.dumps(data, indent=2, ensure_ascii=False), filetype="json")
loaded = json.loads(gb.datavault_get(item["id"])["content"])
assert loaded == data
print(json.dumps(loaded, sort_keys=True))
# %% loan_schedule
def payment(amount, rate, months):
    monthly = rate / 12
    return amount * monthly / (1 - (1 + monthly) ** -months)

rows = [(months, round(payment(10_000, 0.05, months), 2)) for months in (12, 24, 36)]
gb.datavault_store("\n".join(f"{m} months: {p}" for m, p in rows), notes="loan")
rows
# %% long_text
paragraph = "All work and no play makes Jack a dull boy. "
text = paragraph * 200
item = gb.datavault_store(text, notes="long")
words = gb.datavault_get(item["id"])["content"].split()
print(len(text), len(words), len(set(words)))
# %% main_guard
def main():
    gb.create_task("From main")
    print("main ran")

if __name__ == "__main__":
    main()
# %% markdown_checklist
for text, status in [("Draft", "completed"), ("Review", "pending")]:
    gb.create_task(text, status=status)
lines = [f"- [{'x' if t['status'] == 'completed' else ' '}] {t['content']}" for t in gb.list_tasks()["tasks"]]
document = "# Checklist\n" + "\n".join(lines)
gb.datavault_store(document, filetype="markdown", notes="checklist")
print(document)
# %% merge_notes
a = gb.create_memory("Prefers dark mode", notes="ui")
b = gb.create_memory("Uses a large font", notes="ui")
merged = "; ".join(m["content"] for m in gb.search_memories("ui")["memories"])
gb.update_memory(a["memory_id"], content=merged)
gb.delete_memory(b["memory_id"])
print(merged)
# %% method_reference
create = gb.create_task
ids = [create(text)["id"] for text in ("one", "two", "three")]
listing = gb.list_tasks
print(ids, len(listing()["tasks"]))
# %% milestone_memory
gb.create_memory('Project initialized', notes='milestone')
# %% missing_task_is_handled
try:
    gb.update_task(999, status="completed")
except ValueError as e:
    print("Could not update:", e)
# %% parse_log_lines
import re

log = """2026-01-05 ERROR db timeout
2026-01-05 INFO ok
2026-01-06 ERROR disk full"""
pattern = re.compile(r"^(?P<day>\S+) (?P<level>\w+) (?P<text>.+)$", re.M)
errors = [m["text"] for m in pattern.finditer(log) if m["level"] == "ERROR"]
for text in errors:
    gb.create_task(f"Investigate: {text}")
print(errors)
# %% search_and_tag
for text in ["Buy milk", "Buy bread", "Call mum"]:
    gb.create_task(text)
found = gb.search_tasks("buy")["tasks"]
for task in found:
    gb.update_task(task["id"], notes=(task["notes"] + " #shopping").strip())
[task["notes"] for task in gb.list_tasks()["tasks"]]
# %% string_template
from string import Template

text = Template("Dear $name, your task '$task' is due.").substitute(name="Ann", task="Review")
gb.datavault_store(text, filetype="letter")
print(text)
# %% sum_of_csv_in_vault
item = gb.datavault_store("day,km\nMon,5\nTue,7.5\nWed,0", filetype="csv")
lines = gb.datavault_get(item["id"])["content"].splitlines()[1:]
distances = {day: float(km) for day, km in (line.split(",") for line in lines)}
gb.create_memory(f"Ran {sum(distances.values())} km this week", notes="sport")
distances
# %% topological_order
depends = {"deploy": ["test", "build"], "test": ["build"], "build": []}
order = []

def visit(name):
    for other in depends[name]:
        visit(other)
    if name not in order:
        order.append(name)

for name in depends:
    visit(name)
for place, name in enumerate(order, 1):
    gb.create_task(name, notes=f"step {place}")
print(order)
# %% type_hints
from typing import Optional


def find(items: list[dict], name: str) -> Optional[dict]:
    for item in items:
        if item["content"] == name:
            return item
    return None

gb.create_task("Plan", notes="typed")
print(find(gb.list_tasks()["tasks"], "Plan"), find([], "x"))
# %% unicode_text
text = "naïve café – 東京 🚀"
memory = gb.create_memory(text, notes="ünïcode")
print(text.upper(), len(text), [hex(ord(c)) for c in text if ord(c) > 0x2000])
gb.search_memories("東京")["memories"][0]["content"] == text
# %% weekly_plan
from datetime import date, timedelta

start = date(2026, 3, 2)
days = ["Mon", "Tue", "Wed", "Thu", "Fri"]
for offset, day in enumerate(days):
    due = start + timedelta(days=offset)
    gb.create_task(f"Stand-up {day}", notes=f"due:{due.isoformat()}")
for task in gb.list_tasks()["tasks"]:
    print(task["content"], task["notes"])
