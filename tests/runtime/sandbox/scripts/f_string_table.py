rows = [("Alpha", 12.5, 3), ("Beta", 7.25, 11)]
print(f"{'Name':<8}|{'Price':>8}|{'Qty':>4}")
for name, price, qty in rows:
    print(f"{name:<8}|{price:>8.2f}|{qty:>4}")
