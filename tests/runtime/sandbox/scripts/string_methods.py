title = "  the quarterly REPORT  "
print(title.strip().title(), title.strip().replace(" ", "-").lower(), len(title))
print("a,b,c".split(","), "-".join("xyz"), "42".zfill(5), "abc".center(9, "*"))
