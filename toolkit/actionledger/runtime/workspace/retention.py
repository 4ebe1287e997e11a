"""Contents that are kept for undo are let go some days after the last change of the session that could undo it.

Whoever opens a journal does it, for that journal and for those beside it that nobody uses: a process that uses a journal holds a lock
on it, shared with others that do, and lets go of it when it ends, however it ends. The journal's lines stay: what was let go can
be told from what never was.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from actionledger.core.clock import now
from actionledger.core.errors import ActionError, LedgerError
from actionledger.runtime.workspace.history import History
from actionledger.runtime.workspace.journal import Journal
from actionledger.runtime.workspace.locking import lock_alone, lock_shared
from actionledger.runtime.workspace.nodes import Change
from actionledger.runtime.workspace.private_files import open_private, size_of

_USERS = "users"
_PAUSE_SECONDS = 24 * 3600.0
"""How long a journal is left alone that was gone through."""


class InUse:
    """Says that a journal is used as long as this object is there, or its process.

    Args:
        folder: the journal's folder.

    Raises:
        OSError: that can't be said.
    """

    def __init__(self, folder: Path) -> None:
        self._descriptor = _open_users(folder)
        # Whoever goes through the journal is done in a moment.
        lock_shared(self._descriptor)

    def __del__(self) -> None:
        with suppress(OSError, AttributeError):
            os.close(self._descriptor)


def let_go_of_old(state: Path, days: float) -> None:
    """Let go of all contents in the journals of a folder whose time is over; journals that somebody uses stay as they are."""
    for folder in sorted(state.iterdir()):
        if not size_of(folder / "contents"):
            continue
        with suppress(OSError, ActionError, LedgerError), alone(folder) as is_alone:
            if is_alone and time.time() - (folder / _USERS).lstat().st_mtime > _PAUSE_SECONDS:
                _let_go(folder, now() - timedelta(days=days))
                os.utime(folder / _USERS, follow_symlinks=False)


def _let_go(folder: Path, before: datetime) -> None:
    journal = Journal(folder, is_durable=True)
    with journal.held():
        # Of a command whose process was killed nobody has looked yet for what it did: any content may be needed for that.
        if journal.history.watch is None or journal.changed_at < before:
            journal.contents.keep_only(_needed(journal.history, before))


def _needed(history: History, before: datetime) -> set[str]:
    """Return the digests of what can still be asked for: of sessions that changed something since a moment, and what is unsettled."""
    last: dict[str, datetime] = {}
    for record in history.records:
        owner, moment = history.owner_of(record), datetime.fromisoformat(record.at)
        last[owner] = max(last.get(owner, moment), moment)
    kept = [
        record
        for record in history.records
        if last[history.owner_of(record)] >= before or record.number in history.pending
    ]
    nodes = [
        node
        for record in kept
        if isinstance(record.effect, Change)
        for node in (record.effect.before, record.effect.after)
    ]
    return {node.digest for node in nodes if node} | ({history.watch.snapshot} if history.watch else set())


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Keep everybody from using a journal meanwhile; gives whether nobody does."""
    if folder.is_symlink():
        yield False
        return
    descriptor = _open_users(folder)
    try:
        yield lock_alone(descriptor)
    finally:
        os.close(descriptor)


def _open_users(folder: Path) -> int:
    path = folder / _USERS
    try:
        descriptor = open_private(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        return open_private(path, os.O_RDWR)
    # It was never gone through.
    os.utime(path, (0, 0), follow_symlinks=False)
    return descriptor
