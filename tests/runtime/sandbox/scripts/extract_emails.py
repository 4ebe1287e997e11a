import re

text = "Write to ann@example.org or bob.smith@mail.example.com, not to @nobody."
emails = re.findall(r"[\w.]+@[\w.]+\.\w+", text)
for email in emails:
    gb.create_memory(f"Contact: {email}", notes="contact")
print(emails)
