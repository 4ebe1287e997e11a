"""The truth value of a block's flag, in any notation."""

from typing import Any

_TRUE, _FALSE = frozenset({"true", "1"}), frozenset({"false", "0", "null", ""})


def truth_of(value: Any) -> bool | None:
    """Return a flag's truth; None if it is neither true nor false. A missing flag is false."""
    if value is None or isinstance(value, bool):
        return bool(value)
    if not isinstance(value, str | int | float):
        return None
    word = str(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None
