from graphlib import TopologicalSorter

print(list(TopologicalSorter({"deploy": {"test"}, "test": {"build"}}).static_order()))
