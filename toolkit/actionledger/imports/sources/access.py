"""What is looked up in values that nobody has checked: a wrong type is as good as nothing there."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from math import isfinite, nan
from typing import Any

from actionledger.core.clock import utc

NOTHING: Mapping[str, Any] = {}

_MOST_SCORED = 1e300
"""More is no score: an integer may be larger than any float."""


def text_at(value: Mapping[str, Any], key: str) -> str:
    """Return the text under a key; empty if there is none."""
    held = value.get(key)
    return held if isinstance(held, str) else ""


def object_at(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the object under a key; an empty one if there is none."""
    held = value.get(key)
    return held if isinstance(held, dict) else NOTHING


def objects_at(value: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of the list under a key; what is no object is passed over."""
    held = value.get(key)
    return (each for each in held if isinstance(each, dict)) if isinstance(held, list) else iter(())


def texts_at(value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return the texts of the list under a key; what is none is passed over."""
    held = value.get(key)
    return tuple(each for each in held if isinstance(each, str)) if isinstance(held, list) else ()


def count_at(value: Mapping[str, Any], key: str) -> int | None:
    """Return the count under a key, 0 or more; None if there is none."""
    held = value.get(key)
    return held if isinstance(held, int) and not isinstance(held, bool) and 0 <= held < 2**63 else None


def number_at(value: Mapping[str, Any], key: str) -> float | None:
    """Return the number under a key, 0 or more; None if there is none."""
    held = value.get(key)
    if isinstance(held, bool) or not isinstance(held, int | float):
        return None
    return float(held) if 0 <= held < 1e15 and isfinite(held) else None


def score_of(held: object) -> float | None:
    """Return a value as the score that it is; NaN for a number that JSON has no form for, None if it is no number."""
    if not isinstance(held, int | float):
        return None
    return float(held) if -_MOST_SCORED < held < _MOST_SCORED else nan


def scores_of(named: Iterable[tuple[str, object]]) -> dict[str, float]:
    """Return named values as scores: NaN for one that is no number, so that whoever records it counts it as left out."""
    return {name: _score_or_nan(held) for name, held in named if held is not None}


def _score_or_nan(held: object) -> float:
    score = score_of(held)
    return nan if score is None else score


def exit_status_of(held: object) -> int | None:
    """Return a program's exit status, as 32 bits with a sign: Windows' are told with and without one; None if it is none."""
    if not isinstance(held, int) or isinstance(held, bool) or not -(2**31) <= held < 2**32:
        return None
    return held - 2**32 if held >= 2**31 else held


def time_at(value: Mapping[str, Any], key: str) -> datetime | None:
    """Return the time under a key, as ISO 8601 writes it, in UTC without a zone; None if there is none."""
    text = text_at(value, key)
    try:
        if (
            text[-1:] == "Z" and text[10:11] == "T"
        ):  # as nearly all are written; to take a zone away again takes longer
            moment = datetime.fromisoformat(text[:-1])
            return moment if moment.tzinfo is None else None
        return utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


# What an entry of a kind that nobody knows is called: its kind, and a sample of its keys, by which one sees what it may be.
MOST_OF_KIND = 40
"""So much of a kind's name is told, in characters."""

_MOST_KEYS = 6
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,23}")
_EVERYWHERE = frozenset(
    {
        "agentId", "cwd", "entrypoint", "gitBranch", "id", "isSidechain", "kind", "ordinal", "parentId", "parentUuid", "provenance",
        "sessionId", "session_id", "slug", "subtype", "time", "timestamp", "type", "userType", "uuid", "version",
    }
)  # fmt: skip
"""Keys that entries of every kind have, which say nothing of one."""


def told(kind: str, value: Mapping[str, Any]) -> str:
    """Return what an entry of an unknown kind is counted as.

    Args:
        kind: its kind; empty where it names none.
        value: the entry.

    Example:
        >>> told("teleport", {"type": "teleport", "place": "moon", "when": 5})
        'teleport (place, when)'
    """
    keys = sorted(key for key in value if _KEY.fullmatch(key) and key not in _EVERYWHERE)
    more = ", …" if len(keys) > _MOST_KEYS else ""
    sample = f"({', '.join(keys[:_MOST_KEYS])}{more})" if keys else ""
    return " ".join(filter(None, (kind[:MOST_OF_KIND], sample)))
