"""Publish the copy that people open: when a new one is due, and how it replaces the old one at once.

Unpublished events are in segments, where every reader of the toolkit finds them; other tools wait for the next copy. A small ledger is copied every
second while something is new, a larger one every 25 seconds. If a large one needs a whole copy, at most a twentieth of the time goes into copying.
"""

import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from actionledger.ledger.storage import spare
from actionledger.ledger.storage.files import LedgerFiles, sync_to_disk, wal_of
from actionledger.ledger.storage.spare import StoppedError

__all__ = ["DIRECT_SECONDS", "StoppedError", "due_in", "is_behind", "publish", "publishing_interval"]

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Owner(NamedTuple):
    """A user, and the group of their files."""

    user: int
    group: int


def owner_of(folder: Path) -> Owner | None:
    """Return a ledger's owner if this process is root and the owner is another user; else None."""
    if os.geteuid() != 0:
        return None
    try:
        status = folder.lstat()
    except OSError:
        return None
    is_others = stat.S_ISDIR(status.st_mode) and status.st_uid != 0
    return Owner(status.st_uid, status.st_gid) if is_others else None


def hand_over(descriptor: int, owner: Owner | None) -> None:
    """Give an open file to the ledger's owner, if it is root's and has no other name. A file's name may by now be another file's."""
    status = os.fstat(descriptor)
    if owner is None or status.st_uid != 0 or (stat.S_ISREG(status.st_mode) and status.st_nlink != 1):
        return
    if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
        os.fchown(descriptor, *owner)


def hand_over_all(published: Path, folder: Path) -> None:
    """Give root's files in another user's ledger to that user: the published file, and everything in the ledger's folder."""
    owner = owner_of(folder)
    if owner is None:
        return
    _hand_over_at(published, None, owner)
    for _, folders, names, descriptor in os.fwalk(folder, follow_symlinks=False):
        for name in (*folders, *names):
            _hand_over_at(name, descriptor, owner)


def _hand_over_at(name: str | Path, folder: int | None, owner: Owner) -> None:
    with suppress(OSError):  # the file is missing by now, or is a link
        descriptor = os.open(name, _READ, dir_fd=folder)
        try:
            hand_over(descriptor, owner)
        finally:
            os.close(descriptor)


SMALL_BYTES = 64 * 1024 * 1024
"""A smaller working file is copied every second while something is new."""

MIDDLING_BYTES = 500 * 1024 * 1024
"""A smaller working file is copied at least every ``_MIDDLING_SECONDS`` while something is new."""

DIRECT_SECONDS = 25.0
"""The least seconds between copies of directly ingested events, which arrive faster than anybody looks."""

_SMALL_SECONDS = 1.0
_MIDDLING_SECONDS = 25.0
_COPY_SECONDS = 0.05
_SHARE_OF_COPYING, _COPIED_A_SECOND = 20, 400e6
_SHARE_OF_COMPARING, _COMPARED_A_SECOND = 6, 2.5e9


def publishing_interval(store_bytes: int, *, has_spare: bool = False, is_known: bool = False) -> float:
    """Return the seconds between copies for a working file of a given size."""
    if store_bytes < SMALL_BYTES:
        return _SMALL_SECONDS
    if has_spare and is_known:
        return _MIDDLING_SECONDS
    if has_spare:
        comparing = _COPY_SECONDS + store_bytes / _COMPARED_A_SECOND
        return max(_MIDDLING_SECONDS, _SHARE_OF_COMPARING * comparing)
    interval = _SHARE_OF_COPYING * (_COPY_SECONDS + store_bytes / _COPIED_A_SECOND)
    return min(interval, _MIDDLING_SECONDS) if store_bytes < MIDDLING_BYTES else interval


def is_behind(files: LedgerFiles) -> bool:
    """Return whether the published copy must be made anew, whatever the segments hold.

    It lacks directly ingested rows, is missing, or another program has written to it. A log next to it may belong to the previous copy, and then no
    DuckDB opens the two together.
    """
    if not files.store.exists():
        return False
    return files.unpublished.exists() or not files.published.exists() or wal_of(files.published).exists()


def due_in(files: LedgerFiles, *, at_least: float = 0.0) -> float:
    """Return the seconds until a new copy is due, if anything is new; 0 if it is due now."""
    if not files.published.exists():
        return 0.0
    try:
        # Not the copy's own time: touching the copy would delay the next one.
        age = time.time() - files.ingest_lock.stat().st_mtime
    except FileNotFoundError:
        return 0.0
    size = files.store.stat().st_size
    has_spare = size >= MIDDLING_BYTES and spare.is_free(files)
    is_known = files.differences.exists()  # an untrusted one is deleted when the working file is opened
    interval = max(publishing_interval(size, has_spare=has_spare, is_known=is_known), at_least)
    # A clock that was set back must not stop publishing.
    return interval - age if 0 <= age < interval else 0.0


def publish(files: LedgerFiles, is_stopped: Callable[[], bool] = lambda: False) -> None:
    """Replace the published copy by a copy of the working file."""
    copy = files.being_published
    mode = files.published.stat().st_mode & 0o777 if files.published.exists() else 0o600
    copy.unlink(missing_ok=True)
    descriptor = spare.take(files, copy)
    is_spare = descriptor is not None
    if descriptor is None:
        descriptor = os.open(copy, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW, 0o600)
    try:
        if is_spare:
            spare.bring_up_to_date(descriptor, files.store, is_stopped, spare.pieces_of(files, copy))
        else:
            spare.copy_whole(descriptor, files.store, is_stopped)
        os.fchmod(descriptor, mode)
        hand_over(descriptor, owner_of(files.folder))
        os.utime(descriptor)  # the time of publication, even if nothing was written
        os.fsync(descriptor)
    except StoppedError:
        copy.replace(files.spare)  # the next copy continues from this one
        raise
    finally:
        os.close(descriptor)
    spare.is_the_same(files, copy)
    # Another program may have written to the old copy, and DuckDB would take its log for a part of the new one.
    wal_of(files.published).unlink(missing_ok=True)
    spare.keep(files)
    copy.replace(files.published)
    # By this host's clock, which also reads it: a file server's may differ.
    os.utime(files.ingest_lock, times=(time.time(),) * 2)
    sync_to_disk(files.folder)
    sync_to_disk(files.published.parent)
