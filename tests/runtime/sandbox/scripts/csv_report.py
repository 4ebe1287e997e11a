import csv
import io

rows = [("Anna", 3), ("Ben", 5), ("Cleo", 2)]
buffer = io.StringIO()
writer = csv.writer(buffer)
writer.writerow(["name", "tasks"])
writer.writerows(rows)
item = gb.datavault_store(buffer.getvalue(), filetype="csv", notes="report")
print(gb.datavault_get(item["datavault_id"])["content"])
