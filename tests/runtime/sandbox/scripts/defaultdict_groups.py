from collections import defaultdict

by_letter = defaultdict(list)
for word in ["apple", "avocado", "beet", "corn", "carrot"]:
    by_letter[word[0]].append(word)
print(dict(by_letter))
