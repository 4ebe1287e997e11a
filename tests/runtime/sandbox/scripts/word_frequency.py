import re
from collections import Counter

text = "The quick brown fox jumps over the lazy dog. The dog sleeps."
words = re.findall(r"[a-z]+", text.lower())
for word, count in Counter(words).most_common(3):
    print(word, count)
