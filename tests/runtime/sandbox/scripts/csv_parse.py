import csv
import io

text = "name,amount\nrent,950.00\nfood,320.50\ntravel,75.25\n"
total = 0
for row in csv.DictReader(io.StringIO(text)):
    total += float(row["amount"])
print(f"Total: {total:.2f}")
total
