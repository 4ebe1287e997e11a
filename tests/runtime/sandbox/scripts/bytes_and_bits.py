data = bytes([72, 105, 33])
print(data.decode(), data.hex(), int.from_bytes(data, "big"), bin(37), 0b1010 ^ 0xF, 1 << 10)
