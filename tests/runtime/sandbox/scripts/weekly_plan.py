from datetime import date, timedelta

start = date(2026, 3, 2)
days = ["Mon", "Tue", "Wed", "Thu", "Fri"]
for offset, day in enumerate(days):
    due = start + timedelta(days=offset)
    gb.create_task(f"Stand-up {day}", notes=f"due:{due.isoformat()}")
for task in gb.list_tasks()["tasks"]:
    print(task["content"], task["notes"])
