create = gb.create_task
ids = [create(text)["id"] for text in ("one", "two", "three")]
listing = gb.list_tasks
print(ids, len(listing()["tasks"]))
