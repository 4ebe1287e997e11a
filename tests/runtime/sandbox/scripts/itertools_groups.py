from itertools import groupby

tasks = [("pending", "a"), ("done", "b"), ("pending", "c")]
tasks.sort()
for status, group in groupby(tasks, key=lambda t: t[0]):
    print(status, [name for _, name in group])
