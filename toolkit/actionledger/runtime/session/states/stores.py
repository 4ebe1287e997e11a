"""Copy SQLite files of a workspace through SQLite only, by this process's open connection if it has one."""

import json
import os
import sqlite3
import time
from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any, Protocol
from urllib.parse import quote
from weakref import WeakSet


class OpenStore(Protocol):
    """A store with a connection of its own."""

    def copied(self) -> bytes | None:
        """Return the file's committed content; None if another user is writing to it."""


_by_file: dict[tuple[int, int], WeakSet[OpenStore]] = {}
_lock = RLock()


def offer(store: OpenStore, status: os.stat_result) -> None:
    """Register an open store as the source of copies of its file, until it is withdrawn."""
    with _lock:
        _by_file.setdefault((status.st_dev, status.st_ino), WeakSet()).add(store)


def withdraw(store: OpenStore) -> None:
    """Unregister a store before it is closed; while it is open, its file's identity can't be reused."""
    with _lock:
        for file, stores in tuple(_by_file.items()):
            stores.discard(store)
            if not stores:
                del _by_file[file]


def copy_of(path: Path) -> bytes | None:
    """Return a store's content from the process's open connection; None if there is no such connection or it can't copy."""
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
            continue  # another connection reports the error
    return None


_SUFFIXES = (".sqlite", ".sqlite3", ".db", ".db3")
_BESIDE = ("-wal", "-shm", "-journal")
_MAGIC = b"SQLite format 3\0"
_SECONDS = 2.0
_MOST_ROWS = 20_000
_STEPS = 10_000

Rows = Mapping[str, tuple[tuple[Any, ...], ...]]
"""The rows of each table of a store, as JSON values."""


@dataclass(frozen=True, slots=True)
class TableChange:
    """The changed rows of one table.

    Args:
        table: its name.
        removed: rows that are no longer there.
        added: rows that were not there before.
    """

    table: str
    removed: tuple[tuple[Any, ...], ...]
    added: tuple[tuple[Any, ...], ...]


def may_be_store(name: str, beside: Collection[str]) -> bool:
    """Return whether a file may be SQLite's, by its own name and its neighbours'."""
    if name.endswith(_BESIDE):
        return belongs_to(name) in beside
    return name.endswith(_SUFFIXES) or any(f"{name}{end}" in beside for end in _BESIDE)


def belongs_to(path: str) -> str:
    """Return the store that a side file belongs to; empty if it is not a side file."""
    return path.rpartition("-")[0] if path.endswith(_BESIDE) else ""


def image_of(path: Path, most_bytes: int, *, on_disk: int, has_log: bool) -> bytes | None:
    """Return a store as one file of its own: empty if too large or locked, None if it is not a store."""
    try:
        copied = copy_of(path) if on_disk <= most_bytes else None
        image = bytearray(copied or _copied(path, most_bytes, has_log=has_log))
    except (sqlite3.Error, MemoryError) as error:
        return None if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_NOTADB else b""
    if not image:
        return b""
    if not image.startswith(_MAGIC):
        return None
    image[18:20] = b"\1\1"  # the copy has no log
    return bytes(image)


def _copied(path: Path, most_bytes: int, *, has_log: bool) -> bytes:
    """Return a store's content; empty if too large."""
    # Only an open store has a log; without one SQLite need not write side files to read it.
    how = "mode=ro" if has_log else "mode=ro&immutable=1"
    address = f"file:{quote(os.fsencode(path))}?{how}"
    with closing(sqlite3.connect(address, uri=True, timeout=_SECONDS)) as connection:
        [(size,)] = connection.execute(
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        )
        return connection.serialize() if size <= most_bytes else b""


def rows_of(image: bytes) -> Rows | None:
    """Return the rows of each table of a store; None if it can't be read or has too many."""
    last = time.monotonic() + _SECONDS
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(image)
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.set_progress_handler(lambda: time.monotonic() > last, _STEPS)
            tables = connection.execute(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
            ).fetchall()
            found = {str(name): _table(connection, str(name)) for name, _ in tables}
            if sum(map(len, found.values())) > _MOST_ROWS:
                return None
            return {"(tables)": tuple((str(name), str(sql)) for name, sql in tables), **found}
    except (sqlite3.Error, UnicodeError, ValueError, MemoryError):
        return None


def table_changes(before: Rows | None, after: Rows | None) -> tuple[TableChange, ...]:
    """Return the changed rows of each table; a missing store has no rows."""
    old, new = before or {}, after or {}
    changes = []
    for table in sorted({*old, *new}):
        was, now = old.get(table, ()), new.get(table, ())
        removed, added = _without(was, now), _without(now, was)
        if removed or added:
            changes.append(TableChange(table, removed, added))
    return tuple(changes)


def _without(
    rows: tuple[tuple[Any, ...], ...], others: tuple[tuple[Any, ...], ...]
) -> tuple[tuple[Any, ...], ...]:
    known = {json.dumps(row) for row in others}
    return tuple(row for row in rows if json.dumps(row) not in known)


def _table(connection: sqlite3.Connection, name: str) -> tuple[tuple[Any, ...], ...]:
    quoted = '"' + name.replace('"', '""') + '"'
    rows = connection.execute(f"SELECT * FROM {quoted} LIMIT {_MOST_ROWS + 1}")  # noqa: S608 - quoted
    return tuple(sorted((tuple(map(_plain, row)) for row in rows), key=json.dumps))


def _plain(value: Any) -> Any:
    return f"blob {value.hex()[:200]}" if isinstance(value, bytes) else value
