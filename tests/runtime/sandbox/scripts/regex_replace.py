import re

text = "Call 0171-555123 or 030-998877."
print(re.sub(r"\d{3,4}-(\d+)", r"***-\1", text))
print(re.split(r"[,;]\s*", "a, b;c,d"))
