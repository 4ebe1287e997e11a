people = [("Ann", 31), ("Bob", 25), ("Cy", 31)]
people.sort(key=lambda p: (-p[1], p[0]))
print(people)
