log = []
try:
    try:
        log.append("start")
        int("x")
    finally:
        log.append("cleanup")
except ValueError:
    log.append("handled")
print(log)
