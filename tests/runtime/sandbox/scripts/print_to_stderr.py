import sys

print("working")
print("warning: nothing to do", file=sys.stderr)
