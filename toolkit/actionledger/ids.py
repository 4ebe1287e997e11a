"""Identifiers: time-ordered for what happens now, derived from content for what was recorded elsewhere."""

import uuid
from hashlib import sha1

from uuid_utils import uuid7

from actionledger.text import escaped_halves

_NAMESPACE = uuid.UUID("6f1d5a0e-6a43-5f0e-9c38-0d5a3b0a7c11").bytes
_VARIANTS = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}


def new_id() -> str:
    """Return a fresh identifier (UUID version 7: later ones sort later)."""
    return str(uuid7())


def derived_id(*parts: object) -> str:
    """Return the identifier that the same parts always get (UUID version 5), so that importing twice doubles nothing."""
    name = "\x1f".join(map(str, parts))
    # Half of a surrogate pair, which a stranger's name may hold, is hashed as its escape.
    name_in_utf8 = escaped_halves(name).encode()
    # As uuid.uuid5 makes it, in a third of the time: an import derives ten of them for each turn.
    digest = sha1(_NAMESPACE + name_in_utf8, usedforsecurity=False).hexdigest()
    return (
        f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-{_VARIANTS[digest[16]]}{digest[17:20]}-{digest[20:32]}"
    )
