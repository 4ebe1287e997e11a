def payment(amount, rate, months):
    monthly = rate / 12
    return amount * monthly / (1 - (1 + monthly) ** -months)

rows = [(months, round(payment(10_000, 0.05, months), 2)) for months in (12, 24, 36)]
gb.datavault_store("\n".join(f"{m} months: {p}" for m, p in rows), notes="loan")
rows
