item = gb.datavault_store("v1", notes="draft")
for version in ("v2", "v3 final"):
    gb.datavault_update(item["datavault_id"], content=version)
print(gb.datavault_get(item["datavault_id"]), gb.datavault_list()["items"])
