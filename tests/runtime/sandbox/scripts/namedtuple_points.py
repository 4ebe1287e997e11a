from collections import namedtuple

Point = namedtuple("Point", "x y")
points = [Point(1, 2), Point(4, 6)]
distance = ((points[0].x - points[1].x) ** 2 + (points[0].y - points[1].y) ** 2) ** 0.5
print(distance, points[0])
