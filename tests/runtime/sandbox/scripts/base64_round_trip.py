import base64

encoded = base64.b64encode("grüße".encode()).decode()
item = gb.datavault_store(encoded, filetype="base64")
print(encoded, base64.b64decode(gb.datavault_get(item["id"])["content"]).decode())
