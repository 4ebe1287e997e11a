def report(title, *lines, sep=" | ", **options):
    return title + sep + sep.join(lines) + sep + str(sorted(options.items()))

print(report("T", "a", "b", sep="/", x=1, y=2))
