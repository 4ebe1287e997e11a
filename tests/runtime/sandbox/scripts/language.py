# %% binary_search
def search(values, wanted):
    low, high = 0, len(values) - 1
    while low <= high:
        middle = (low + high) // 2
        if values[middle] == wanted:
            return middle
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1

print(search(list(range(0, 100, 3)), 27), search([1, 2], 5))
# %% breadth_first
graph = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}
queue, seen = ["a"], ["a"]
while queue:
    node = queue.pop(0)
    for other in graph[node]:
        if other not in seen:
            seen.append(other)
            queue.append(other)
print(seen)
# %% bytes_and_bits
data = bytes([72, 105, 33])
print(data.decode(), data.hex(), int.from_bytes(data, "big"), bin(37), 0b1010 ^ 0xF, 1 << 10)
# %% caesar_cipher
def shift(text, by):
    out = []
    for ch in text:
        if ch.isalpha():
            base = ord("A") if ch.isupper() else ord("a")
            out.append(chr((ord(ch) - base + by) % 26 + base))
        else:
            out.append(ch)
    return "".join(out)

secret = shift("Hello, World", 3)
print(secret, shift(secret, -3))
# %% compound_interest
principal, rate, years = 1000, 0.035, 5
for year in range(1, years + 1):
    principal *= 1 + rate
    print(f"Year {year}: {principal:,.2f}")
# %% custom_exception
class BudgetError(Exception):
    pass

def spend(amount, left):
    if amount > left:
        raise BudgetError(f"{amount} is more than {left}")
    return left - amount

try:
    spend(50, 20)
except BudgetError as error:
    print("Refused:", error)
# %% delete_variables
values = {"a": 1, "b": 2}
del values["a"]
x = [1, 2, 3]
del x[0]
y = 5
del y
print(values, x, "y" in globals())
# %% dict_comprehension
names = ["Anna", "Ben", "Cleo"]
lengths = {name: len(name) for name in names}
inverted = {}
for name, length in lengths.items():
    inverted.setdefault(length, []).append(name)
print(lengths, inverted)
# %% enumerate_and_zip
names, scores = ["Ann", "Bob"], [90, 85]
for place, (name, score) in enumerate(zip(names, scores), start=1):
    print(place, name, score)
print(any(s > 89 for s in scores), all(s > 89 for s in scores), max(zip(scores, names)))
# %% f_string_table
rows = [("Alpha", 12.5, 3), ("Beta", 7.25, 11)]
print(f"{'Name':<8}|{'Price':>8}|{'Qty':>4}")
for name, price, qty in rows:
    print(f"{name:<8}|{price:>8.2f}|{qty:>4}")
# %% fibonacci
def fib(n):
    a, b = 0, 1
    while a < n:
        yield a
        a, b = b, a + b

print(list(fib(100)))
# %% generator_pipeline
def read(lines):
    for line in lines:
        yield line.strip()

def non_empty(lines):
    for line in lines:
        if line:
            yield line

text = "one\n\n two \n\nthree"
list(non_empty(read(text.split("\n"))))
# %% global_variable
total = 0

def add(amount):
    global total
    total += amount

for amount in (5, 7, 9):
    add(amount)
print(total)
# %% inheritance
class Shape:
    def area(self):
        raise NotImplementedError

class Square(Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side ** 2

print(Square(3).area(), isinstance(Square(1), Shape))
# %% knapsack
items = [("tent", 5, 10), ("stove", 2, 4), ("lamp", 1, 3)]
capacity = 6
best = [0] * (capacity + 1)
for _, weight, value in items:
    for room in range(capacity, weight - 1, -1):
        best[room] = max(best[room], best[room - weight] + value)
best
# %% lambda_sort
people = [("Ann", 31), ("Bob", 25), ("Cy", 31)]
people.sort(key=lambda p: (-p[1], p[0]))
print(people)
# %% list_comprehension
matrix = [[1, 2, 3], [4, 5, 6]]
flat = [x for row in matrix for x in row if x % 2 == 0]
transposed = [list(row) for row in zip(*matrix)]
print(flat, transposed)
# %% match_statement
def describe(command):
    match command.split():
        case ["add", item]:
            return f"adding {item}"
        case ["remove", *items]:
            return f"removing {len(items)} items"
        case _:
            return "unknown"

print([describe(c) for c in ("add milk", "remove a b c", "jump")])
# %% nested_functions
def counter():
    count = 0

    def step():
        nonlocal count
        count += 1
        return count

    return step

step = counter()
print(step(), step(), step())
# %% parse_key_values
text = """
name = Quarterly report
owner=Ann
# a comment
due = 2026-03-31
"""
settings = {}
for line in text.splitlines():
    line = line.strip()
    if line and not line.startswith("#"):
        key, _, value = line.partition("=")
        settings[key.strip()] = value.strip()
settings
# %% primes
def is_prime(n):
    if n < 2:
        return False
    return all(n % d for d in range(2, int(n ** 0.5) + 1))

primes = [n for n in range(60) if is_prime(n)]
primes
# %% properties
class Temperature:
    def __init__(self, celsius):
        self.celsius = celsius

    @property
    def fahrenheit(self):
        return self.celsius * 9 / 5 + 32

print(Temperature(20).fahrenheit)
# %% sets
a, b = {1, 2, 3}, {2, 3, 4}
print(sorted(a & b), sorted(a | b), sorted(a - b), sorted(a ^ b))
# %% slices
letters = list("abcdefgh")
print(letters[::2], letters[-3:], letters[::-1][:2])
letters[1:3] = ["X"]
del letters[-1]
print("".join(letters))
# %% star_arguments
def report(title, *lines, sep=" | ", **options):
    return title + sep + sep.join(lines) + sep + str(sorted(options.items()))

print(report("T", "a", "b", sep="/", x=1, y=2))
# %% string_methods
title = "  the quarterly REPORT  "
print(title.strip().title(), title.strip().replace(" ", "-").lower(), len(title))
print("a,b,c".split(","), "-".join("xyz"), "42".zfill(5), "abc".center(9, "*"))
# %% tree_walk
tree = {"name": "root", "children": [{"name": "a", "children": [{"name": "b", "children": []}]}, {"name": "c", "children": []}]}

def walk(node, depth=0):
    print("  " * depth + node["name"])
    for child in node["children"]:
        walk(child, depth + 1)

walk(tree)
# %% try_finally
log = []
try:
    try:
        log.append("start")
        int("x")
    finally:
        log.append("cleanup")
except ValueError:
    log.append("handled")
print(log)
# %% unpacking
first, *middle, last = [1, 2, 3, 4, 5]
merged = {**{"a": 1}, **{"b": 2}}
print(first, middle, last, merged, [*range(3), *"ab"])
# %% walrus_and_while
data = [3, 1, 4, 1, 5, 9, 2, 6]
total = 0
while data and (x := data.pop(0)) < 9:
    total += x
print(total, data)
