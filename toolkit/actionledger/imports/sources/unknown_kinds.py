"""What an entry of a kind that nobody knows is called: its kind, and a sample of its keys, by which one sees what it may be.

Keys are the format's own words, and values a person's: of a recording nothing else is told. What looks like no key of a format, such as a
path, isn't told either.
"""

import re
from collections.abc import Mapping
from typing import Any

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
