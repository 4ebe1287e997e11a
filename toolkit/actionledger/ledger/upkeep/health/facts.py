"""The facts that the checks judge: gathered once, from the disk and from the published copy, whatever state they are in."""

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from actionledger.core.errors import LedgerError, NotALedgerError
from actionledger.core.processes import STALE_SECONDS
from actionledger.ledger.storage.files import TEMPORARY, LedgerFiles, wal_of
from actionledger.ledger.storage.hosts import file_system
from actionledger.ledger.storage.segments import LINE_LIMIT, SUFFIX, segment_sizes, strangers
from actionledger.ledger.storage.spool import LOCK
from actionledger.ledger.storage.working_file import is_database
from actionledger.ledger.upkeep.health.records import Records, read_records
from actionledger.ledger.upkeep.health.report import Holder, Size

_LOCKS = Path("/proc/locks")
_PROCESSES = Path("/proc")
_STOPPED = frozenset("Tt")


def holders(files: LedgerFiles) -> tuple[Holder, ...]:
    """Return which processes hold a ledger's locks."""
    listed = _listed()
    found: list[Holder] = []
    for what, path in _lockable(files):
        inode = _inode(path)
        if inode is None:
            continue
        processes = listed.get(("FLOCK", *inode), [])
        # A session's opener tries its lock once, so it must not be held here even for a moment.
        if not processes and path.parent != files.sessions and _is_locked(path):
            processes = [None]
        found += [_holder(what, process) for process in processes]
    if inode := _inode(files.published):
        # DuckDB uses POSIX locks, which can't be tested without taking them.
        found += [_holder("published file", process) for process in listed.get(("POSIX", *inode), [])]
    return tuple(found)


def _lockable(files: LedgerFiles) -> Iterator[tuple[str, Path]]:
    yield "ingest", files.ingest_lock
    yield "decisions", files.decisions_lock
    for path in _files_in(files.sessions):
        yield f"session {path.stem}", path
    for path in _files_in(files.held):
        if path.suffix == LOCK:
            yield f"held {path.stem}", path
    for path in _files_in(files.segments):
        if path.suffix == SUFFIX:
            yield f"segment {path.name}", path


def _files_in(folder: Path) -> Iterable[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return ()


def _listed() -> dict[tuple[str, int, int], list[int | None]]:
    """Return the processes with an exclusive lock on each file, by kind of lock, device number and inode.

    A line is ``1: FLOCK  ADVISORY  WRITE 708 08:02:1311 0 EOF``.
    """
    found: dict[tuple[str, int, int], list[int | None]] = {}
    try:
        lines = _LOCKS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return found
    for line in lines:
        with suppress(ValueError):
            _number, way, _advisory, kind, process, place, *_range = line.split()
            major, minor, inode = place.split(":")
            device = os.makedev(int(major, 16), int(minor, 16))
            if kind == "WRITE":
                found.setdefault((way, device, int(inode)), []).append(int(process))
    return found


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_locked(path: Path) -> bool:
    """Return whether somebody holds a lock that the system does not list, such as a process in another container.

    A free lock is shared for a moment. A process that tries it just then finds it taken, and tries again.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _holder(what: str, process: int | None) -> Holder:
    if process is None or process <= 0:
        return Holder(what, None)
    try:
        line = (_PROCESSES / str(process) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return Holder(what, process)
    # The name is in parentheses and may contain some itself. Arguments are not read, since they may hold secrets.
    begin, end = line.find("("), line.rfind(")")
    state = line[end + 1 :].split()[:1]
    return Holder(what, process, line[begin + 1 : end], is_stopped=bool(state) and state[0] in _STOPPED)


def unusable(files: LedgerFiles) -> str:
    """Return a sentence about a file or folder of the wrong type; empty if there is none."""
    for folder in (files.folder, files.segments, files.sessions, files.effects, files.manifests):
        if folder.exists() and not folder.is_dir():
            return f"{folder} is a file, where the ledger has a folder."
    locks = (files.ingest_lock, files.decisions_lock)
    for file in (
        files.store,
        *locks,
        files.unpublished,
        files.rates,
        files.taken_files,
        files.differences,
    ):
        if file.is_dir():
            return f"{file} is a folder, where the ledger has a file."
    try:
        is_database(files.store)
    except NotALedgerError:
        return f"The working file {files.store} is not a DuckDB database."
    except OSError:
        pass  # another user's file, which is theirs to check
    return ""


_TIME_ORDERED, _BELOW_TIME = 7, 80
"""The UUID version that begins with the time, and the number of bits after its milliseconds."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment, and how much of it is published."""

    name: str
    size: int  # its size, in bytes
    published: int  # the part in the published copy, in bytes
    seconds: float = 0.0  # how long the rest has been pending; 0 if nothing is
    is_readable: bool = True  # whether it can be opened
    ends_whole: bool = True  # whether its last line is complete

    @property
    def waiting(self) -> int:
        """The unpublished part, in bytes."""
        return max(0, self.size - self.published)


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts about a ledger."""

    files: LedgerFiles
    records: Records  # the contents of the published copy
    published_seconds: float | None  # the age of the published copy; None if there is none
    # how long directly ingested rows in the working file have been unpublished; None if all are published
    unpublished_seconds: float | None
    segments: tuple[Segment, ...]  # the writers' segments, the oldest writer first
    holders: tuple[Holder, ...]  # who holds which lock
    sizes: tuple[Size, ...]  # the sizes of the parts
    free_bytes: int  # the free space on the disk, in bytes
    link: str  # a sentence about a symbolic link in the place of a part of the ledger; empty if there is none
    unusable: str  # a sentence about a file or folder of the wrong type; empty if there is none
    file_system: str  # the type of its file system; empty if unknown
    old_temporaries: tuple[Path, ...]  # temporary files older than an hour
    old_locks: tuple[Path, ...]  # lock files of sessions that nobody holds, older than an hour

    def size_of(self, part: str) -> int:
        """Return the size of a part, in bytes."""
        return sum(size.bytes for size in self.sizes if size.part == part)

    def held_by(self, what: str) -> tuple[Holder, ...]:
        """Return the holders of locks whose names begin with a text."""
        return tuple(holder for holder in self.holders if holder.what.startswith(what))


def gather(files: LedgerFiles) -> Facts:
    """Return the facts about a ledger. It changes nothing, and no fault of the ledger raises."""
    records = read_records(files)
    held = holders(files)
    in_use = {holder.what for holder in held}
    return Facts(
        files=files,
        records=records,
        published_seconds=age_of(files.published),
        unpublished_seconds=age_of(files.unpublished),
        segments=tuple(_segments(files, records)),
        holders=held,
        sizes=tuple(_sizes(files)),
        free_bytes=shutil.disk_usage(_nearest(files.published.parent)).free,
        link=_link(files),
        unusable=unusable(files),
        file_system=file_system(_nearest(files.published.parent)),
        old_temporaries=tuple(path for path in _in(files.folder) if path.name.startswith(TEMPORARY) and _is_old(path)),
        old_locks=tuple(
            path for path in _in(files.sessions) if f"session {path.stem}" not in in_use and _is_old(path)
        ),
    )  # fmt: skip


def age_of(path: Path) -> float | None:
    """Return the seconds since a file was written; None if it is missing."""
    try:
        return max(0.0, time.time() - path.stat().st_mtime)
    except OSError:
        return None


def _is_old(path: Path) -> bool:
    age = age_of(path)
    return age is not None and age > STALE_SECONDS


def _in(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _segments(files: LedgerFiles, records: Records) -> Iterator[Segment]:
    for name, size in segment_sizes(files.segments).items():
        path, published = files.segments / name, records.offsets.get(name, 0)
        try:
            with path.open("rb") as file:
                file.seek(published)
                line = file.readline(LINE_LIMIT) if size > published else b""
                file.seek(max(0, size - 1))
                ends_whole = not size or file.read(1) == b"\n"
        except OSError:
            yield Segment(name, size, published, age_of(path) or 0.0, is_readable=False)
            continue
        seconds = _since_recorded(line, path) if line else 0.0
        yield Segment(name, size, published, seconds, ends_whole=ends_whole)
    for name in strangers(files.segments):
        yield Segment(name, 0, 0, age_of(files.segments / name) or 0.0, is_readable=False)


def _since_recorded(line: bytes, path: Path) -> float:
    """Return the seconds since a line was recorded; if it has no time, since its segment was last written.

    No line is older than its writer, whose identifier holds its start time. An event's time may come from another clock.
    """
    recorded = age_of(path) or 0.0
    with suppress(ValueError, KeyError, TypeError):
        at = datetime.fromisoformat(json.loads(line)["recorded_at"]).replace(tzinfo=UTC)
        recorded = max(0.0, (datetime.now(UTC) - at).total_seconds())
    with suppress(ValueError):
        writer = UUID(path.name.partition(".")[0])
        if writer.version == _TIME_ORDERED:
            return min(recorded, max(0.0, time.time() - (writer.int >> _BELOW_TIME) / 1000))
    return recorded


def _sizes(files: LedgerFiles) -> Iterator[Size]:
    parts = {
        "published file": [files.published, wal_of(files.published)],
        "working file": [files.store, wal_of(files.store)],
        "spare copy": [files.spare],
        "segments": [files.segments],
        "effects": [files.effects],
        "manifests": [files.manifests],
        "pending spans": [files.held],
        "temporary files": [path for path in _in(files.folder) if path.name.startswith(TEMPORARY)],
    }
    for part, paths in parts.items():
        found = [size for path in paths for size in _file_sizes(path)]
        yield Size(part, len(found), sum(found))


def _file_sizes(path: Path) -> Iterator[int]:
    below = path.rglob("*") if path.is_dir() and not path.is_symlink() else [path]
    with suppress(OSError):
        for each in below:
            with suppress(OSError):
                if each.is_file():
                    yield each.lstat().st_size


def _link(files: LedgerFiles) -> str:
    try:
        files.refuse_links()
    except LedgerError as error:
        return str(error)
    return ""


def _nearest(folder: Path) -> Path:
    return next(candidate for candidate in (folder, *folder.parents) if candidate.exists())
