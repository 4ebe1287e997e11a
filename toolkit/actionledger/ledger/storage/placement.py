"""Assign turn indexes in sessions that several processes record at once: a number for each session, in a file that is locked for a moment.

A ledger shows a turn only once it is flushed, and so can't tell which index is free. The file holds nothing else. It may be deleted when no turn
of its session was recorded for a day; then the ledger is queried.
"""

import fcntl
import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from actionledger.ledger.storage.files import make_private_folders

_DAY = 24 * 3600.0
_DIGITS = 20


@contextmanager
def place_taken(
    folder: Path, session_id: str, known: int | None, asked: Callable[[], int]
) -> Iterator["Place"]:
    """Hold the index of a session's next turn, which no other process gets meanwhile.

    Args:
        folder: the folder of the files, directly below the ledger's own folder.
        session_id: the session.
        known: the first free index as far as this process knows; None if it has not queried the ledger.
        asked: returns the first free index as far as the ledger knows.

    Raises:
        OSError: the file can't be written.
    """
    make_private_folders(folder)
    descriptor = _locked(folder / session_id)
    try:
        held = os.pread(descriptor, _DIGITS, 0)
        told = int(held) if held.isdigit() else None
        place = Place(max(told or 0, known or 0, 0 if told is not None and known is not None else asked()))
        yield place
        os.pwrite(descriptor, b"%020d" % place.next, 0)
    finally:
        os.close(descriptor)


class Place:
    """A turn's index, and the next one after it."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.next = index


def remove_old_places(folder: Path) -> None:
    """Remove the files of sessions without a recorded turn for a day."""
    with suppress(OSError), os.scandir(folder) as entries:
        old = [Path(entry) for entry in entries if time.time() - entry.stat().st_mtime > _DAY]
        for path in old:
            path.unlink(missing_ok=True)


def forget_places(folder: Path, session_ids: Collection[str]) -> None:
    """Remove the files of sessions."""
    for session_id in session_ids:
        with suppress(OSError):
            (folder / session_id).unlink(missing_ok=True)


def _locked(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # another process removed it between our opening and locking it
