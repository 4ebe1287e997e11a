values = {"a": 1, "b": 2}
del values["a"]
x = [1, 2, 3]
del x[0]
y = 5
del y
print(values, x, "y" in globals())
