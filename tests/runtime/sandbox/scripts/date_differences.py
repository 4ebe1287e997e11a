from datetime import datetime

a = datetime(2026, 1, 15, 10, 30)
b = datetime(2026, 3, 1, 9, 0)
delta = b - a
print(delta.days, "days and", delta.seconds // 3600, "hours")
