for name in ("alpha", "beta", "alphabet"):
    gb.datavault_store(f"content of {name}", notes=name)
for item in gb.datavault_search("alpha")["items"]:
    print(item["notes"], gb.datavault_delete(item["id"]))
len(gb.datavault_list()["items"])
