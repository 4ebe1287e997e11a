from datetime import datetime

for text in ["2026-01-05", "2025-12-31", "2024-02-29"]:
    day = datetime.strptime(text, "%Y-%m-%d")
    print(day.strftime("%d.%m.%Y"), day.isoweekday())
