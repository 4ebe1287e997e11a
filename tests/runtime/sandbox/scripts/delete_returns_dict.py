task = gb.create_task("test")
result = gb.delete_task(task["task_id"])
success = result.get('success')
print("deleted:", success)
