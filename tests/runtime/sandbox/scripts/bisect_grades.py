import bisect


def grade(score, limits=(60, 70, 80, 90), grades="FDCBA"):
    return grades[bisect.bisect(limits, score)]

print([grade(s) for s in (33, 99, 77, 70, 89, 90)])
