"""Whose a ledger is: what root makes in somebody else's is handed over, so that they can go on with it."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Owner(NamedTuple):
    """A user, and the group of their files.

    Args:
        user: its number.
        group: its number.
    """

    user: int
    group: int


def owner_of(folder: Path) -> Owner | None:
    """Return whose a ledger is, where this process is root and it is another user's; else None."""
    if os.geteuid() != 0:
        return None
    try:
        status = folder.lstat()
    except OSError:
        return None
    is_others = stat.S_ISDIR(status.st_mode) and status.st_uid != 0
    return Owner(status.st_uid, status.st_gid) if is_others else None


def hand_over(descriptor: int, owner: Owner | None) -> None:
    """Give an open file to the ledger's owner, if it is root's and stands nowhere else: its name may be another one's by now."""
    status = os.fstat(descriptor)
    if owner is None or status.st_uid != 0 or (stat.S_ISREG(status.st_mode) and status.st_nlink != 1):
        return
    if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
        os.fchown(descriptor, *owner)


def hand_over_all(published: Path, folder: Path) -> None:
    """Give what root has made of another user's ledger to them: the published file, and all in the ledger's folder."""
    owner = owner_of(folder)
    if owner is None:
        return
    _hand_over_at(published, None, owner)
    for _, folders, names, descriptor in os.fwalk(folder, follow_symlinks=False):
        for name in (*folders, *names):
            _hand_over_at(name, descriptor, owner)


def _hand_over_at(name: str | Path, folder: int | None, owner: Owner) -> None:
    with suppress(OSError):  # it is gone by now, or a link
        descriptor = os.open(name, _READ, dir_fd=folder)
        try:
            hand_over(descriptor, owner)
        finally:
            os.close(descriptor)
