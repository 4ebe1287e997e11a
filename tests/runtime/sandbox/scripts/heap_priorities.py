import heapq

queue = []
for priority, name in [(3, "tidy"), (1, "fix outage"), (2, "answer mail")]:
    heapq.heappush(queue, (priority, name))
while queue:
    print(heapq.heappop(queue))
