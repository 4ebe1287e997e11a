text = "naïve café – 東京 🚀"
memory = gb.create_memory(text, notes="ünïcode")
print(text.upper(), len(text), [hex(ord(c)) for c in text if ord(c) > 0x2000])
gb.search_memories("東京")["memories"][0]["content"] == text
