import re

log = """2026-01-05 ERROR db timeout
2026-01-05 INFO ok
2026-01-06 ERROR disk full"""
pattern = re.compile(r"^(?P<day>\S+) (?P<level>\w+) (?P<text>.+)$", re.M)
errors = [m["text"] for m in pattern.finditer(log) if m["level"] == "ERROR"]
for text in errors:
    gb.create_task(f"Investigate: {text}")
print(errors)
