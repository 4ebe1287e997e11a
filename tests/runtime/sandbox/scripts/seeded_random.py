import random

random.seed(7)
numbers = [random.randint(1, 6) for _ in range(5)]
print(all(1 <= n <= 6 for n in numbers), len(numbers))
