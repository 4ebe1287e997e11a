letters = list("abcdefgh")
print(letters[::2], letters[-3:], letters[::-1][:2])
letters[1:3] = ["X"]
del letters[-1]
print("".join(letters))
