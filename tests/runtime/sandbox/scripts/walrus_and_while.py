data = [3, 1, 4, 1, 5, 9, 2, 6]
total = 0
while data and (x := data.pop(0)) < 9:
    total += x
print(total, data)
