budget = {"rent": 950, "food": 400, "fun": 150}
spent = {"rent": 950, "food": 465, "fun": 90}
for name in budget:
    left = budget[name] - spent[name]
    marker = "over!" if left < 0 else "ok"
    print(f"{name:<6}{left:>6} {marker}")
    if left < 0:
        gb.create_task(f"Check budget: {name}", notes=f"over by {-left}")
len(gb.list_tasks()["tasks"])
