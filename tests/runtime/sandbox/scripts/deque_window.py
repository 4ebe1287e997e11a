from collections import deque

window = deque(maxlen=3)
averages = []
for value in [1, 2, 3, 4, 5, 6]:
    window.append(value)
    averages.append(sum(window) / len(window))
print(averages)
