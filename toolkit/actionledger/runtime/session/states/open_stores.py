"""Stores that this process has open itself: asked for a copy, their own connection takes a tenth of the time that another one would."""

import os
import sqlite3
from pathlib import Path
from threading import RLock
from typing import Protocol
from weakref import WeakSet


class OpenStore(Protocol):
    """A store with a connection of its own."""

    def copied(self) -> bytes | None:
        """Return what the file holds, all that is committed and no more; None where somebody is at it."""


_by_file: dict[tuple[int, int], WeakSet[OpenStore]] = {}
_lock = RLock()


def offer(store: OpenStore, status: os.stat_result) -> None:
    """Have a store asked for copies of its file, for as long as it holds that open.

    Args:
        store: the store.
        status: the file's; it tells which file that is, whatever stands at its path later.
    """
    with _lock:
        _by_file.setdefault((status.st_dev, status.st_ino), WeakSet()).add(store)


def withdraw(store: OpenStore) -> None:
    """Have a store asked no more; nobody else's file can be taken for its own while it still has that open."""
    with _lock:
        for file, stores in tuple(_by_file.items()):
            stores.discard(store)
            if not stores:
                del _by_file[file]


def copy_of(path: Path) -> bytes | None:
    """Return what a store holds, copied by whoever has it open; None where that is nobody, or nobody who can."""
    try:
        status = path.lstat()
    except OSError:
        return None
    with _lock:
        stores = tuple(_by_file.get((status.st_dev, status.st_ino), ()))
    for store in stores:
        try:
            if image := store.copied():
                return image
        except sqlite3.Error:
            continue  # another connection says what is wrong with it
    return None
