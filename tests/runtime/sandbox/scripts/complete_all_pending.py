for name in ("write", "test", "ship"):
    gb.create_task(name)
pending = gb.list_tasks(status="pending")["tasks"]
for task in pending:
    gb.update_task(task["id"], status="completed")
print(f"{len(pending)} tasks completed, {len(gb.list_tasks(status='pending')['tasks'])} left")
