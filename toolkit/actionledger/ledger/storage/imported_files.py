"""Remember the files that a ledger has imported whole, by size, modification time, beginning and end, so that nobody reads them again.

The list is stored next to the ledger, and may be deleted at any time: files are then read again, and nothing is duplicated.
"""

import json
import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Self
from uuid import uuid4

from actionledger._version import __version__
from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles

_ENDS = 64 * 1024
"""The bytes of a file's beginning and of its end that are hashed."""

_SOURCES = 2
"""The version of the sources' output; increasing it has every file read again, once."""

_VERSION = f"{__version__}, sources {_SOURCES}"

_BESIDE = ("-wal", "-journal")
"""Suffixes of the files with data that an SQLite database has not yet merged."""


class FileState(NamedTuple):
    """The state of a file by which an unchanged one is recognised."""

    size: int  # its size, in bytes
    changed: int  # its modification time, in nanoseconds since 1970
    ends: str  # the hash of its beginning and its end, and of the state of a database's log next to it
    how: str  # the requested way of reading it, if any


def state_of(path: Path, how: str) -> FileState | None:
    """Return the state of a file; None if it can't be read, or is not a file."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            ends = blake2b(file.read(_ENDS), digest_size=16)
            if status.st_size > _ENDS:
                file.seek(max(status.st_size - _ENDS, _ENDS))
                ends.update(file.read(_ENDS))
        ends.update(written_beside(path))
    except (OSError, ValueError):
        return None
    return FileState(status.st_size, status.st_mtime_ns, ends.hexdigest(), how)


def written_beside(path: Path) -> bytes:
    """Return the state of the log or journal next to a database; empty for any other file."""
    states = []
    for suffix in _BESIDE:
        with suppress(FileNotFoundError):
            status = path.with_name(path.name + suffix).stat()
            states.append((suffix, status.st_size, status.st_mtime_ns))
    return repr(states).encode() if states else b""


class TakenFiles:
    """The list of the files that a ledger has imported whole, each with its state then."""

    def __init__(self, path: Path, files: dict[str, FileState]) -> None:
        self._path = path
        self._files = files
        self._new: dict[str, FileState] = {}

    @classmethod
    def of(cls, ledger: Path) -> Self:
        """Return a ledger's list; empty if there is no ledger, or if another version of the toolkit imported them."""
        files = LedgerFiles.at(ledger)
        return cls(files.taken_files, _read(files.taken_files) if files.published.exists() else {})

    @classmethod
    def anew(cls, ledger: Path) -> Self:
        """Return an empty list for a ledger, so that every file is read again."""
        return cls(LedgerFiles.at(ledger).taken_files, {})

    def names(self, path: Path) -> bool:
        """Return whether a file was imported in any state."""
        return _name(path) in self._files

    def has(self, path: Path, state: FileState) -> bool:
        """Return whether a file was imported in its current state."""
        return self._files.get(_name(path)) == state

    def add(self, path: Path, state: FileState) -> None:
        """Add a file that was read to its end, with its state before that."""
        self._new[_name(path)] = state

    def save(self) -> None:
        """Save the additions; a file that can't be saved is read again."""
        if not self._new:
            return
        files = _read(self._path) | self._new
        beside = self._path.with_name(f"{TEMPORARY}{uuid4().hex}")
        # An interrupted write leaves the old list, and a temporary file that the ingester removes.
        with suppress(OSError):
            data = json.dumps({"version": _VERSION, "files": files}, separators=(",", ":"))
            descriptor = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(data)
            beside.replace(self._path)


def _read(path: Path) -> dict[str, FileState]:
    try:
        held = json.loads(path.read_bytes())
        if held["version"] != _VERSION:
            return {}
        return {name: FileState(*state) for name, state in held["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _name(path: Path) -> str:
    return ascii(str(path.absolute()))
