"""Removing manifests whose time is over, and the contents that nobody needs any more."""

import os
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from actionledger.core.locks import FileLock
from actionledger.runtime.session.states.lines import Effects
from actionledger.runtime.session.states.objects import Objects
from actionledger.runtime.session.states.reading import read_states
from actionledger.runtime.workspace.private_files import open_private

_PAUSE_SECONDS = 24 * 3600.0
"""How long it is left alone after it was gone through; and how young a content is that is never removed."""


def remove_old(folder: Path, days: float) -> int:
    """Remove the manifests of sessions that were last changed long ago; once a day is enough."""
    stamp, moment = folder / "pruned", time.time()
    if not stamp.is_symlink() and stamp.exists() and moment - stamp.stat().st_mtime < _PAUSE_SECONDS:
        return 0
    lock = FileLock(folder / "pruning.lock")
    if not lock.acquire():
        return 0
    try:
        os.close(open_private(stamp, os.O_WRONLY | os.O_CREAT))
        os.utime(stamp)
        return _remove(folder, moment - days * 24 * 3600.0, moment - _PAUSE_SECONDS)
    finally:
        lock.release()


def _remove(folder: Path, before: float, young: float) -> int:
    old = [path for path in folder.glob("*.jsonl") if path.lstat().st_mtime < before]
    for path in old:
        path.unlink(missing_ok=True)
    if old:
        needed: set[str] = set()
        for path in folder.glob("*.jsonl"):
            needed |= _needed(folder, path.stem)
        if Objects(folder / "objects", 1).remove_all_but(needed, young):
            # What is unchanged is not kept anew, so nothing may be taken for unchanged of which the content is gone.
            for known in (folder / "known").glob("*.json"):
                known.unlink(missing_ok=True)
    return len(old)


def forget_states(
    folder: Path, session_ids: Collection[str], *, left_before: float | None = None
) -> dict[str, int]:
    """Remove the manifests of sessions, what they wrote, and every content that no other manifest needs, however young it is.

    What a session wrote goes, though another one has found it in its workspace: that one's states are no longer whole. A session that was
    killed leaves contents that no manifest names yet, as one has that lives.
    """
    if not folder.is_dir():
        return {}
    gone = {session_id: _needed(folder, session_id) for session_id in session_ids}
    written = {session_id: _written(folder, session_id) for session_id in session_ids}
    needed: set[str] = set()
    for path in folder.glob("*.jsonl"):
        if path.stem not in gone:
            needed |= _needed(folder, path.stem)
    objects = Objects(folder / "objects", 1)
    objects.remove_unfinished()
    counts = {
        session_id: objects.remove(written[session_id] | digests - needed)
        for session_id, digests in gone.items()
    }
    before = time.time() - _PAUSE_SECONDS if left_before is None else left_before
    if objects.remove_all_but(needed, before) or any(gone.values()):
        for known in (folder / "known").glob("*.json"):
            known.unlink(missing_ok=True)
    # After the contents, which are found by them: whoever is killed in between leaves them to the next one.
    for session_id in session_ids:
        (folder / f"{UUID(session_id)}.jsonl").unlink(missing_ok=True)
        (folder / "known" / f".{UUID(session_id)}.tmp").unlink(missing_ok=True)
    return {session_id: count for session_id, count in counts.items() if count}


def _written(folder: Path, session_id: str) -> set[str]:
    """Return the digests of what a session's own actions wrote."""
    with suppress(ValueError):
        kept = read_states(folder, session_id, must=True)
        lines = kept.lines if kept is not None else ()
        of_actions = [line for line in lines if isinstance(line, Effects) and line.turn is not None]
        return {change.after.digest for line in of_actions for change in line.as_changes if change.after} - {
            ""
        }
    return set()


def _needed(folder: Path, session_id: str) -> set[str]:
    with suppress(ValueError):
        kept = read_states(folder, session_id, must=True)
        if kept is not None:
            nodes = list(kept.first.nodes.values()) if kept.first else []
            nodes += [
                node
                for line in kept.lines
                if isinstance(line, Effects)
                for change in line.as_changes
                for node in (change.before, change.after)
                if node is not None
            ]
            return {kept.begun.state, *(node.digest for node in nodes if node.digest)}
    return set()
