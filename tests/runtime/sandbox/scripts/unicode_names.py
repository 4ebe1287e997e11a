import unicodedata

print([unicodedata.name(c) for c in "é€"], unicodedata.normalize("NFD", "é") == "e\u0301")
