for text in ["Likes tea", "likes tea ", "Works in Berlin", "Likes tea"]:
    gb.create_memory(text)
seen = set()
for memory in gb.list_memories()["memories"]:
    key = memory["content"].strip().lower()
    if key in seen:
        gb.delete_memory(memory["id"])
    seen.add(key)
print([memory["content"] for memory in gb.list_memories()["memories"]])
