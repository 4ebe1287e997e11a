from fractions import Fraction

cups = [Fraction(1, 2), Fraction(1, 3), Fraction(3, 4)]
total = sum(cups)
print(total, float(total))
