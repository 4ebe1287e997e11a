"""Who holds a lock: the kernel's list of locks says it on Linux; elsewhere only that somebody does can be found out."""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from actionledger.ledger.storage.files import LedgerFiles
from actionledger.ledger.storage.journal import SUFFIX
from actionledger.ledger.storage.spool import LOCK
from actionledger.ledger.upkeep.health.report import Holder

_LOCKS = Path("/proc/locks")
_PROCESSES = Path("/proc")
_STOPPED = frozenset("Tt")


def holders(files: LedgerFiles) -> tuple[Holder, ...]:
    """Return who holds which of a ledger's locks."""
    listed = _listed()
    found: list[Holder] = []
    for what, path in _lockable(files):
        inode = _inode(path)
        if inode is None:
            continue
        processes = listed.get(("FLOCK", *inode), [])
        # Who opens a session asks for its lock once: nobody may hold it just then, were it for a moment.
        if not processes and path.parent != files.sessions and _is_held(path):
            processes = [None]
        found += [_holder(what, process) for process in processes]
    if inode := _inode(files.published):
        # DuckDB locks what it writes in the other way, which nobody can ask about without taking it.
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
    """Return which processes hold which file for themselves alone: by the way of locking, the device's numbers and the inode.

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


def _is_held(path: Path) -> bool:
    """Tell whether somebody holds a lock that the system does not list, as of another container's process.

    A lock that is free is shared for a moment; whoever asks for it just then sees it taken, and asks again.
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
    # The name stands in parentheses and may hold any; its arguments are left alone, since they may hold secrets.
    begin, end = line.find("("), line.rfind(")")
    state = line[end + 1 :].split()[:1]
    return Holder(what, process, line[begin + 1 : end], is_stopped=bool(state) and state[0] in _STOPPED)
