for text, status in [("Draft", "completed"), ("Review", "pending")]:
    gb.create_task(text, status=status)
lines = [f"- [{'x' if t['status'] == 'completed' else ' '}] {t['content']}" for t in gb.list_tasks()["tasks"]]
document = "# Checklist\n" + "\n".join(lines)
gb.datavault_store(document, filetype="markdown", notes="checklist")
print(document)
