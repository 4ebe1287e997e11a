for i in range(23):
    gb.create_task(f"Task {i:02d}", status="completed" if i % 3 else "pending")
shown = gb.list_tasks(limit=10)["tasks"]
rest = gb.list_tasks(limit=100)["tasks"][10:]
print(len(shown), len(rest), shown[-1]["content"], rest[0]["content"])
