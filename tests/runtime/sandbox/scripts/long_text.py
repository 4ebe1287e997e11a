paragraph = "All work and no play makes Jack a dull boy. "
text = paragraph * 200
item = gb.datavault_store(text, notes="long")
words = gb.datavault_get(item["id"])["content"].split()
print(len(text), len(words), len(set(words)))
