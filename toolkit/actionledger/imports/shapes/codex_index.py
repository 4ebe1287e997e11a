"""What Codex' threads are called: ``session_index.jsonl`` in its home, which its desktop application and ``/rename`` write.

Defined by openai/codex, ``codex-rs``, ``session_index.rs``, which was read: a line for each name that a thread was given, the newest one behind the others.
"""

import json
from functools import lru_cache
from pathlib import Path

from actionledger.imports.sources.access import text_at

_FOLDERS = frozenset({"sessions", "archived_sessions"})
_MOST = 16 * 2**20


def title_of(path: Path, name: str) -> str:
    """Return what a thread is called; empty where it has no name, or its file doesn't lie in Codex' home."""
    home = next((folder.parent for folder in path.absolute().parents if folder.name in _FOLDERS), None)
    if home is None:
        return ""
    index = home / "session_index.jsonl"
    try:
        status = index.stat()
    except OSError:
        return ""
    return _titles(index, status.st_mtime_ns, status.st_size).get(name, "")


@lru_cache(maxsize=4)
def _titles(index: Path, _changed: int, size: int) -> dict[str, str]:
    """Return the names of an index by their threads; it is read again once it has changed."""
    if size > _MOST:
        return {}
    found = {}
    try:
        lines = index.read_bytes().splitlines()
    except OSError:
        return {}
    for line in lines:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and text_at(entry, "id"):
            found[text_at(entry, "id")] = text_at(entry, "thread_name")[:500]
    return found
