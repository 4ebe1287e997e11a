"""What responses of Codex's rollouts are known by: they have no identifier of their own in most versions.

A response with a call is known by that. One of words alone is known by them and by what was known before it, at the beginning by the
session: so it is the same in each file that a copy of it stands in. A copy says whose history it is by a head of its own, or the file
says it alone (``forked_from_id``, ``parent_thread_id``), unless the history is not copied (``history_base``, ``history_mode`` ``paginated``).
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from actionledger.core.text import utf8_with_halves
from actionledger.imports.shapes.codex_items import text_of
from actionledger.imports.sources.access import object_at, text_at, time_at

Line = Mapping[str, Any]

_COPYING = timedelta(seconds=1)
"""So long after a file's head its lines are copies: they are written at once, and a model takes longer to answer."""


class Names:
    """Names the responses of one rollout, in their order.

    Args:
        file: what the file is called, for a rollout without a head.

    Attributes:
        session: what the session is called, so far.
    """

    def __init__(self, file: str) -> None:
        self.session = file
        self._before = self._before_of_old = file
        self._above = ""
        self._until: datetime | None = None
        self._has_head = False

    def take_head(self, line: Line, meta: Line) -> None:
        """Take in a head: the first is the file's own, a later one that of the history which is copied behind it."""
        self._before = self._before_of_old = text_at(meta, "id") or self._before
        self._above = ""
        if not self._has_head:
            self.session = self._before
            self._above = "" if _has_no_copy(meta) else text_at(meta, "forked_from_id") or above(meta)
            begun = time_at(line, "timestamp") or time_at(meta, "timestamp")
            self._until = begun + _COPYING if begun else None
        self._has_head = True

    def name(self, item: Line, line: Line) -> tuple[str, str]:
        """Return what a response is known by, and what earlier versions knew it by, where that is another name."""
        above, self._above = self._above, ""
        if call_id := text_at(item, "call_id"):
            self._before = self._before_of_old = call_id
            return call_id, ""
        at = time_at(line, "timestamp")
        is_copy = above and (at is None or self._until is None or at <= self._until)
        self._before = _hashed(above if is_copy else self._before, text_of(item))
        self._before_of_old = _hashed(self._before_of_old, text_of(item))
        return self._before, self._before_of_old if self._before_of_old != self._before else ""


def above(meta: Line) -> str:
    """Return the session whose sub-agent a session is; empty where it is none."""
    spawned = object_at(object_at(object_at(meta, "source"), "subagent"), "thread_spawn")
    return text_at(meta, "parent_thread_id") or text_at(spawned, "parent_thread_id")


def _has_no_copy(meta: Line) -> bool:
    return bool(meta.get("history_base")) or text_at(meta, "history_mode") == "paginated"


def _hashed(before: str, text: str) -> str:
    return hashlib.sha256(utf8_with_halves(f"{before}\n{text}")).hexdigest()[:32]
