names, scores = ["Ann", "Bob"], [90, 85]
for place, (name, score) in enumerate(zip(names, scores), start=1):
    print(place, name, score)
print(any(s > 89 for s in scores), all(s > 89 for s in scores), max(zip(scores, names)))
