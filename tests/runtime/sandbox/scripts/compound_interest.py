principal, rate, years = 1000, 0.035, 5
for year in range(1, years + 1):
    principal *= 1 + rate
    print(f"Year {year}: {principal:,.2f}")
