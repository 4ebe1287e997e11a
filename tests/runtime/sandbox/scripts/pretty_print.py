from pprint import pformat

data = {"tasks": [{"id": i, "content": "x" * 20} for i in range(3)]}
print(pformat(data, width=50))
