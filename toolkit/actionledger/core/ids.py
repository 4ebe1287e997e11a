"""Identifiers: time-ordered for what happens now, derived from content for what was recorded elsewhere."""

from uuid_utils import UUID, uuid5, uuid7

from actionledger.core.text import escaped_halves

_NAMESPACE = UUID("6f1d5a0e-6a43-5f0e-9c38-0d5a3b0a7c11")


def new_id() -> str:
    """Return a fresh identifier (UUID version 7: later ones sort later)."""
    return str(uuid7())


def derived_id(*parts: object) -> str:
    """Return the identifier that the same parts always get (UUID version 5), so that importing twice doubles nothing."""
    # Half of a surrogate pair, which a stranger's name may hold, is hashed as its escape.
    return str(uuid5(_NAMESPACE, escaped_halves("\x1f".join(map(str, parts)))))
