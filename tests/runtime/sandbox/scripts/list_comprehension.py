matrix = [[1, 2, 3], [4, 5, 6]]
flat = [x for row in matrix for x in row if x % 2 == 0]
transposed = [list(row) for row in zip(*matrix)]
print(flat, transposed)
