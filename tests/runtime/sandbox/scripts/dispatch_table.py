handlers = {
    "task": lambda text: gb.create_task(text)["id"],
    "memory": lambda text: gb.create_memory(text)["id"],
    "goal": lambda text: gb.create_goal(text)["id"],
}
plan = [("task", "Write"), ("memory", "Done"), ("goal", "Publish"), ("task", "Send")]
print([(kind, handlers[kind](text)) for kind, text in plan])
