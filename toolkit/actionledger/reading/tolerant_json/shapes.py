"""What values look like: their last parts, and how to name them in a sentence."""

from typing import Any

from actionledger.reading.tolerant_json.decoded import Call


def last_of(value: Any) -> Any:
    """Return the last value of a container; None where there is none."""
    parts = value.values() if isinstance(value, dict) else value
    return next(reversed(parts), None) if isinstance(value, dict | list) else None


def brief(value: Any) -> str:
    """Return a value for a sentence: in full if it is short, else what it is."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return "a call" if isinstance(value, Call) else repr(value)[:80]
