for text in ["Buy milk", "Buy bread", "Call mum"]:
    gb.create_task(text)
found = gb.search_tasks("buy")["tasks"]
for task in found:
    gb.update_task(task["id"], notes=(task["notes"] + " #shopping").strip())
[task["notes"] for task in gb.list_tasks()["tasks"]]
