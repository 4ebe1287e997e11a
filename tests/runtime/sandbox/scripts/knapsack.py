items = [("tent", 5, 10), ("stove", 2, 4), ("lamp", 1, 3)]
capacity = 6
best = [0] * (capacity + 1)
for _, weight, value in items:
    for room in range(capacity, weight - 1, -1):
        best[room] = max(best[room], best[room - weight] + value)
best
