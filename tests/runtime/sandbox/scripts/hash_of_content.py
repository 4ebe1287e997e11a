import hashlib

print(hashlib.sha256(b"actionledger").hexdigest()[:16])
print(hashlib.md5(b"").hexdigest())
