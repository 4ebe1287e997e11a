"""What a flag of a block says, however its truth is written."""

from typing import Any

_TRUE, _FALSE = frozenset({"true", "1"}), frozenset({"false", "0", "null", ""})


def truth_of(value: Any) -> bool | None:
    """Return what a flag says; None where that is neither true nor false. One that isn't given is false."""
    if value is None or isinstance(value, bool):
        return bool(value)
    if not isinstance(value, str | int | float):
        return None
    word = str(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None
