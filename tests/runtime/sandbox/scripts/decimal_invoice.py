from decimal import Decimal

lines = [("Design", Decimal("3.5"), Decimal("80.00")), ("Code", Decimal("10"), Decimal("95.50"))]
net = sum(hours * rate for _, hours, rate in lines)
vat = (net * Decimal("0.19")).quantize(Decimal("0.01"))
print("net", net, "vat", vat, "gross", net + vat)
