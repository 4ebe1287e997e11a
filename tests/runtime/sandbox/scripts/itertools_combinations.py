from itertools import combinations

team = ["Ann", "Bob", "Cy"]
for a, b in combinations(team, 2):
    gb.create_task(f"Pairing: {a} + {b}")
print(len(gb.list_tasks()["tasks"]))
