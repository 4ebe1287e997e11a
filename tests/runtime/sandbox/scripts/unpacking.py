first, *middle, last = [1, 2, 3, 4, 5]
merged = {**{"a": 1}, **{"b": 2}}
print(first, middle, last, merged, [*range(3), *"ab"])
