"""Which files a ledger has taken in whole, so that nobody reads them again: by size, time of change and how they begin and end.

It lies beside the ledger's own parts and may go at any time: files are then read again, and nothing is doubled.
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
"""How much of a file's beginning and of its end is looked at, in bytes."""

_SOURCES = 2
"""What sources make of the same file: another number has every file read again, once."""

_VERSION = f"{__version__}, sources {_SOURCES}"

_BESIDE = ("-wal", "-journal")
"""What the files' names end in that hold what an SQLite database has not merged into itself yet."""


class FileState(NamedTuple):
    """The state of a file by which an unchanged one is recognised.

    Args:
        size: in bytes.
        changed: when it was changed last, in nanoseconds since 1970.
        ends: the hash of its beginning and its end, and of how far a database's log beside it has come.
        how: how it was read, as far as that was said.
    """

    size: int
    changed: int
    ends: str
    how: str


def state_of(path: Path, how: str) -> FileState | None:
    """Return what a file is known again by; None where it can't be read, or is no file.

    Args:
        path: the file.
        how: how it is read, as far as that was said.
    """
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
    """Return how far the log or journal beside a database has come; empty for any other file."""
    states = []
    for suffix in _BESIDE:
        with suppress(FileNotFoundError):
            status = path.with_name(path.name + suffix).stat()
            states.append((suffix, status.st_size, status.st_mtime_ns))
    return repr(states).encode() if states else b""


class TakenFiles:
    """The files that a ledger has taken in whole.

    Args:
        path: where that is kept.
        files: each with its state then, by its path.
    """

    def __init__(self, path: Path, files: dict[str, FileState]) -> None:
        self._path = path
        self._files = files
        self._new: dict[str, FileState] = {}

    @classmethod
    def of(cls, ledger: Path) -> Self:
        """Return those of a ledger; none where there is no ledger, or another version of the toolkit took them in.

        Args:
            ledger: its path.
        """
        files = LedgerFiles.at(ledger)
        return cls(files.taken_files, _read(files.taken_files) if files.published.exists() else {})

    @classmethod
    def anew(cls, ledger: Path) -> Self:
        """Return those of a ledger as if it had taken in none, so that every file is read again.

        Args:
            ledger: its path.
        """
        return cls(LedgerFiles.at(ledger).taken_files, {})

    def names(self, path: Path) -> bool:
        """Return whether a file was taken in as it was at some time."""
        return _name(path) in self._files

    def has(self, path: Path, state: FileState) -> bool:
        """Return whether a file was taken in as it is now."""
        return self._files.get(_name(path)) == state

    def add(self, path: Path, state: FileState) -> None:
        """Add a file that was read to its end, in the state that it had before."""
        self._new[_name(path)] = state

    def save(self) -> None:
        """Write what was added; what can't be written is read again some day."""
        if not self._new:
            return
        files = _read(self._path) | self._new
        beside = self._path.with_name(f"{TEMPORARY}{uuid4().hex}")
        # A broken off write leaves what was there before, and what it leaves beside it the ingester removes.
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
