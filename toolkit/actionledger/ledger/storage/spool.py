"""Lines that outlive their process until they are recorded: spans that a receiver has taken, and that need more of their trace.

    held/W.lock               its holder is writer W; free if W is dead
    held/W.NNNNNN.jsonl       W's lines, append-only; the oldest file is deleted when all of it is recorded

A line is JSON with its ``group``, the ``sessions`` that it may become a part of, and the spooled value ``held``. It is masked before it is written.
An incomplete line was never acknowledged.
"""

import os
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from pydantic_core import from_json

from actionledger.core.canonical import json_text
from actionledger.core.ids import new_id
from actionledger.core.privacy import mask
from actionledger.core.processes import FileLock, watch
from actionledger.ledger.storage.files import make_private_folders

SUFFIX = ".jsonl"
LOCK = ".lock"

FILE_BYTES = 4 * 2**20
"""The size at which a file gets no more lines, in bytes, so that a long-lived line doesn't keep all others."""


@dataclass(frozen=True, slots=True)
class SpooledLine:
    """A spooled value."""

    group: str
    sessions: tuple[str, ...]  # the identifiers of the sessions that it may become a part of
    held: Any  # a JSON value


@dataclass(slots=True)
class SpoolFile:
    """A file, and the number of its lines that are still needed."""

    path: Path
    size: int = 0
    waiting: int = 0


@dataclass(slots=True)
class _Writer:
    """A writer's files, the oldest first: this process's own, or a dead one's."""

    name: str
    lock: FileLock
    is_own: bool = False
    count: int = 0
    files: deque[SpoolFile] = field(default_factory=deque)


class LineSpool:
    """Keeps lines in a ledger's folder; threads may share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.start_over()
        watch(self)

    def start_over(self) -> None:
        """Begin anew in a forked child: spooled lines are the parent's."""
        self._changing = Lock()
        self._writers: list[_Writer] = []

    def add(self, lines: Iterable[SpooledLine]) -> SpoolFile | None:
        """Write lines, so that they outlive this process; return their file, for ``done``, or None if they can't be written. Each line needs a call of ``done`` later."""
        written = [mask(_written(line)) + b"\n" for line in lines]
        with self._changing:
            try:
                file = self._open_file()
                _append(file, b"".join(written))
            except OSError:
                return None
            file.waiting += len(written)
            return file

    def done(self, files: Iterable[SpoolFile]) -> None:
        """Mark lines as no longer needed; files without needed lines are removed, the oldest first."""
        with self._changing, suppress(OSError):
            for file in files:
                file.waiting -= 1
            for writer in self._writers:
                while writer.files and not writer.files[0].waiting:
                    writer.files.popleft().path.unlink(missing_ok=True)
            for writer in [each for each in self._writers if not each.files]:
                writer.lock.release(remove=True)
                self._writers.remove(writer)

    def left_behind(self) -> Iterator[tuple[list[SpooledLine], SpoolFile]]:
        """Yield the files and lines of dead processes; nobody else gets them meanwhile."""
        for name in _names(self._folder):
            writer = _Writer(name, FileLock(self._folder / f"{name}{LOCK}"))
            if not writer.lock.acquire():
                continue
            for path in _files_of(self._folder, name):
                lines = [line for *_, line in _lines_in(path)]
                writer.files.append(SpoolFile(path, waiting=len(lines)))
                yield lines, writer.files[-1]
            with self._changing:
                self._writers.append(writer)
        self.done(())

    def _open_file(self) -> SpoolFile:
        """Return the current file. A long-lived process becomes another writer whenever nothing is spooled."""
        own = next((each for each in self._writers if each.is_own), None)
        if own is None:
            make_private_folders(self._folder)
            name = new_id()
            own = _Writer(name, FileLock(self._folder / f"{name}{LOCK}"), is_own=True)
            own.lock.acquire()
            self._writers.append(own)
        if not own.files or own.files[-1].size >= FILE_BYTES:
            own.count += 1
            own.files.append(SpoolFile(self._folder / f"{own.name}.{own.count:06}{SUFFIX}"))
        return own.files[-1]


def erase_spooled(folder: Path, session_ids: Collection[str]) -> int:
    """Overwrite the spooled lines of sessions with blanks, in any process's files; return their number.

    A writer only appends, so nobody else writes over a whole line.
    """
    forgotten, blanked = frozenset(session_ids), 0
    found = [
        (path, *place)
        for name in _names(folder)
        for path in _files_of(folder, name)
        for place in _lines_of(path)
    ]
    groups = {line.group for *_, line in found if forgotten & set(line.sessions)}
    for path, start, length, line in found:
        if line.group in groups:
            with suppress(FileNotFoundError):
                descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
                try:
                    os.pwrite(descriptor, b" " * length, start)
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)
            blanked += 1
    return blanked


def abandoned_files(folder: Path, live: Collection[str]) -> list[Path]:
    """Return the files of dead writers."""
    return [path for name in _names(folder) if name not in live for path in _files_of(folder, name)]


def _written(line: SpooledLine) -> bytes:
    return json_text({"group": line.group, "sessions": line.sessions, "held": line.held}).encode()


def _append(file: SpoolFile, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(file.path, flags, 0o600)
    try:
        written = 0
        while written < len(data):
            written += os.write(descriptor, memoryview(data)[written:])
    except OSError:
        os.ftruncate(descriptor, file.size)  # half a line would spoil the next one
        raise
    finally:
        os.close(descriptor)
    file.size += len(data)


def _names(folder: Path) -> list[str]:
    """Return the writers that have files."""
    try:
        return sorted({entry.name.partition(".")[0] for entry in os.scandir(folder)})
    except OSError:
        return []


def _files_of(folder: Path, name: str) -> list[Path]:
    return sorted(
        path for path in folder.glob(f"{name}.*{SUFFIX}") if path.is_file() and not path.is_symlink()
    )


def _lines_in(path: Path) -> Iterator[tuple[int, int, SpooledLine]]:
    """Yield the same as ``_lines_of``, as far as the file can be read."""
    with suppress(OSError):
        yield from _lines_of(path)


def _lines_of(path: Path) -> Iterator[tuple[int, int, SpooledLine]]:
    """Yield a file's lines, each with its offset and its length in bytes; blank and incomplete ones are skipped."""
    start = 0
    with suppress(FileNotFoundError), path.open("rb") as file:
        for data in file:
            with suppress(ValueError, LookupError, TypeError):
                line = from_json(data)
                sessions = tuple(map(str, line["sessions"]))
                yield start, len(data.rstrip(b"\n")), SpooledLine(str(line["group"]), sessions, line["held"])
            start += len(data)
