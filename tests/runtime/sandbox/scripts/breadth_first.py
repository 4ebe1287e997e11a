graph = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}
queue, seen = ["a"], ["a"]
while queue:
    node = queue.pop(0)
    for other in graph[node]:
        if other not in seen:
            seen.append(other)
            queue.append(other)
print(seen)
