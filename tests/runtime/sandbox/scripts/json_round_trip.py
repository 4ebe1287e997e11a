import json

data = {"name": "Überprüfung", "tags": ["a", "b"], "nested": {"x": None, "y": True}}
item = gb.datavault_store(json.dumps(data, indent=2, ensure_ascii=False), filetype="json")
loaded = json.loads(gb.datavault_get(item["id"])["content"])
assert loaded == data
print(json.dumps(loaded, sort_keys=True))
