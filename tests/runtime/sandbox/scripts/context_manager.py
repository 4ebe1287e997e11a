from contextlib import contextmanager


@contextmanager
def section(name):
    print(f"<{name}>")
    yield
    print(f"</{name}>")

with section("summary"):
    print("content")
