def shift(text, by):
    out = []
    for ch in text:
        if ch.isalpha():
            base = ord("A") if ch.isupper() else ord("a")
            out.append(chr((ord(ch) - base + by) % 26 + base))
        else:
            out.append(ch)
    return "".join(out)

secret = shift("Hello, World", 3)
print(secret, shift(secret, -3))
