"""How much a command may use: what the kernel bounds for each process, and what is counted over all of them."""

import os
import resource
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

_PAGE = os.sysconf("SC_PAGE_SIZE")
_KIB = 1024


class Most(NamedTuple):
    """How much a command may use.

    Args:
        memory: of all its processes together, in bytes.
        processes: processes and threads at once.
        file_bytes: the size of a file that it writes, in bytes.
        processor_seconds: time of the processor for each process.
    """

    memory: int
    processes: int
    file_bytes: int
    processor_seconds: int


def limit_each(most: Most, *, count: bool) -> None:
    """Have the kernel bound this process, and each that it starts."""
    # Not the address space: programs that manage their own memory reserve far more of it than they ever use.
    limits = {
        resource.RLIMIT_DATA: most.memory,
        resource.RLIMIT_FSIZE: most.file_bytes,
        resource.RLIMIT_CPU: most.processor_seconds,
        resource.RLIMIT_CORE: 0,
    }
    if count:
        limits[resource.RLIMIT_NPROC] = most.processes
    for kind, wanted in limits.items():
        _, hard = resource.getrlimit(kind)
        # Where a limit can't be set as low, it is the system's own that holds.
        with suppress(ValueError, OSError):
            value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(kind, (value, value))


def beyond(processes: Iterable[int], most: Most) -> str:
    """Return what processes use too much of together: ``"memory"``, ``"processes"``, or nothing."""
    listed = list(processes)
    if sum(map(_threads, listed)) > most.processes:
        return "processes"
    # What each has counts pages that several share once for each; only where that is too much, the dear count decides.
    if sum(map(_resident, listed)) > most.memory and sum(map(_proportional, listed)) > most.memory:
        return "memory"
    return ""


def all_processes() -> list[int]:
    """Return the processes that the system lists here."""
    with suppress(OSError):
        return [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    return []


def descendants(ancestor: int) -> list[int]:
    """Return the processes that descend from one; none where the system doesn't list processes."""
    children: dict[int, list[int]] = {}
    for process in all_processes():
        with suppress(OSError, ValueError, IndexError):
            children.setdefault(int(_status(process)[1]), []).append(process)
    found, due = [], [ancestor]
    while due:
        born = children.get(due.pop(), [])
        found += born
        due += born
    return found


def _status(process: int) -> list[str]:
    """Return the words about a process, the first of which is its state."""
    # The name before them may hold blanks and brackets.
    return _said(process, "stat").rpartition(")")[2].split()


def _threads(process: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(_status(process)[17])
    return 0


def _resident(process: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(_said(process, "statm").split()[1]) * _PAGE
    return 0


def _proportional(process: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        for line in _said(process, "smaps_rollup").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * _KIB
    return _resident(process)


def _said(process: int, what: str) -> str:
    """Return what the system says of a process."""
    with open(f"/proc/{process}/{what}", encoding="utf-8", errors="replace") as file:
        return file.read()
