"""Whether actions that wait may be decided about on a page, and by whom.

A decision is signed with the key of whoever serves the dashboard, which lets an action run. Any program of this machine can open a
page, an agent's command among them; so deciding is off unless whoever serves the dashboard asks for it, and then takes a code that
stands in their terminal alone.
"""

import hmac
import secrets

_BYTES = 10
_codes: list[str] = []


def allow_deciding() -> str:
    """Let pages of this process decide, for whoever knows the code that is returned."""
    _codes[:] = [secrets.token_hex(_BYTES)]
    return _codes[0]


def may_be_decided_here() -> bool:
    """Return whether this process lets anybody decide at all."""
    return bool(_codes)


def is_code(typed: str) -> bool:
    """Return whether that is the code."""
    return any(hmac.compare_digest(typed.strip().encode(), code.encode()) for code in _codes)
