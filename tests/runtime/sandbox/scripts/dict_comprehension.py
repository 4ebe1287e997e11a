names = ["Anna", "Ben", "Cleo"]
lengths = {name: len(name) for name in names}
inverted = {}
for name, length in lengths.items():
    inverted.setdefault(length, []).append(name)
print(lengths, inverted)
