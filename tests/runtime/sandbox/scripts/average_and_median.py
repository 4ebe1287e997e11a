import statistics

values = [12, 15, 11, 19, 14, 15]
print("mean", statistics.mean(values))
print("median", statistics.median(values))
print("stdev", round(statistics.stdev(values), 3))
