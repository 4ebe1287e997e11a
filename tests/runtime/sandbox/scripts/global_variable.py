total = 0

def add(amount):
    global total
    total += amount

for amount in (5, 7, 9):
    add(amount)
print(total)
