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
