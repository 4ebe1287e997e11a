import math

print(math.sqrt(2), math.factorial(10), math.gcd(84, 36), math.floor(-2.5), math.ceil(2.1))
print(round(math.sin(math.pi / 6), 10), math.log2(1024), math.isclose(0.1 + 0.2, 0.3))
