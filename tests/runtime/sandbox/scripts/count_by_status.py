from collections import Counter

for i, status in enumerate(["pending", "ongoing", "pending", "completed"]):
    gb.create_task(f"Task {i}", status=status)
counts = Counter(task["status"] for task in gb.list_tasks()["tasks"])
for status, count in sorted(counts.items()):
    print(f"{status}: {count}")
dict(counts)
