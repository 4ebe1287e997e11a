"""Whose a request is: agents name their session in the body or in a header, and some the one that it comes from.

As they were seen: Claude Code (``metadata.user_id``, ``x-claude-code-session-id``, ``x-claude-code-agent-id``), Codex
(``client_metadata.thread_id``, ``x-codex-turn-metadata``, ``thread-id``, ``x-codex-parent-thread-id``), opencode and others
(``prompt_cache_key``, ``x-session-id``). A sub-agent of Codex's has the cache key of its parent: what names a thread goes first.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from actionledger.core.vocabulary import Relation
from actionledger.imports.sources.access import object_at, text_at


class Owner(NamedTuple):
    """A session as its client names it.

    Args:
        name: its name; empty where nothing says it.
        parent: the session that it is a child of; empty where nothing says it.
        relation: how it is its child.
    """

    name: str = ""
    parent: str = ""
    relation: Relation | None = None


NOBODY = Owner()
"""Nothing says whose it is."""

_AGENT = "x-claude-code-agent-id"
_CODEX = "x-codex-turn-metadata"
_ABOVE = ("x-codex-parent-thread-id", "x-parent-session-id")
_NAMING = (
    "thread-id", "x-claude-code-session-id", "session-id", "session_id", "x-session-id", "x-opencode-session",
    "x-session-affinity", "conversation_id",
    "x-conversation-id",
)  # fmt: skip

HEADERS = frozenset({_AGENT, _CODEX, *_ABOVE, *_NAMING})
"""The headers that say whose a request is; no other one is looked at."""

_KEYS = ("thread_id", "session_id", "conversation_id")
_LONGEST = 200
_LONGEST_METADATA = 64 * 1024
_OLDER_USER = re.compile(r"_session_([0-9a-fA-F-]{36})$")
_UNIQUE = re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|^ses_\w{10,}")
"""A key for a cache that no two sessions have; programs give one name to all they ask, too."""


def owner_of(body: Mapping[str, Any], headers: Iterable[tuple[str, str]] = ()) -> Owner:
    """Return whose a request is."""
    said = {name: value for name, value in headers if name in HEADERS}
    told, user = object_at(body, "client_metadata"), object_at(body, "metadata")
    of_codex = _object(told.get(_CODEX) or said.get(_CODEX))
    of_claude = _object(user.get("user_id"))
    names = (
        *(text_at(each, key) for each in (of_codex, told, of_claude, user) for key in _KEYS),
        *(said.get(name, "") for name in _NAMING),
        _older(text_at(user, "user_id")),
        text_at(body, "session_id"),
        _conversation(body.get("conversation")),
        key if _UNIQUE.search(key := text_at(body, "prompt_cache_key")) else "",
    )
    name = next((each for each in names if 0 < len(each) <= _LONGEST), "")
    if not name:
        return NOBODY
    if agent := said.get(_AGENT, ""):
        return Owner(f"{name}/{agent}"[:_LONGEST], name, Relation.SUBAGENT)
    above = text_at(of_codex, "parent_thread_id") or next(filter(None, map(said.get, _ABOVE)), "")
    forked = text_at(of_codex, "forked_from_thread_id")
    parent = (above or forked)[:_LONGEST]
    if parent in {"", name}:
        return Owner(name)
    return Owner(name, parent, Relation.SUBAGENT if above else Relation.FORK)


def _object(value: object) -> Mapping[str, Any]:
    """Return what stands as JSON text in a field, if it is an object."""
    if not isinstance(value, str) or not value.startswith("{") or len(value) > _LONGEST_METADATA:
        return {}
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _older(user: str) -> str:
    found = _OLDER_USER.search(user[-_LONGEST:])
    return found[1] if found else ""


def _conversation(value: object) -> str:
    return value if isinstance(value, str) else text_at(value, "id") if isinstance(value, Mapping) else ""
