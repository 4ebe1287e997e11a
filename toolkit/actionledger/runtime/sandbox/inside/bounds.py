"""Limits of a command: those that the kernel enforces per process, and those measured over all its processes."""

import os
import resource
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

_PAGE = os.sysconf("SC_PAGE_SIZE")
_KIB = 1024


class Most(NamedTuple):
    """Limits of a command."""

    memory: int  # the memory of all its processes together, in bytes
    processes: int  # the number of its processes and threads
    file_bytes: int  # the maximum size of a file that it writes, in bytes
    processor_seconds: int  # the processor time of each process, in seconds


def limit_each(most: Most, *, count: bool) -> None:
    """Let the kernel limit this process and each of its children."""
    # The address space is not limited: programs with their own memory management reserve far more of it than they use.
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
        # If a limit can't be set as low, the system's own limit applies.
        with suppress(ValueError, OSError):
            value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(kind, (value, value))


def beyond(processes: Iterable[int], most: Most) -> str:
    """Return which limit some processes exceed together: ``"memory"``, ``"processes"``, or nothing."""
    listed = list(processes)
    if sum(map(_threads, listed)) > most.processes:
        return "processes"
    # The sum counts shared pages several times; the exact measure is expensive, so it is used only above the limit.
    if sum(map(_resident, listed)) > most.memory and sum(map(_proportional, listed)) > most.memory:
        return "memory"
    return ""


def all_processes() -> list[int]:
    """Return the processes that the system lists here."""
    with suppress(OSError):
        return [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    return []


def descendants(ancestor: int) -> list[int]:
    """Return a process's descendants; none if the system doesn't list processes."""
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
    """Return the fields of a process's status, the first of which is its state."""
    # The name before them may contain spaces and parentheses.
    return _proc_file(process, "stat").rpartition(")")[2].split()


def _threads(process: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(_status(process)[17])
    return 0


def _resident(process: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(_proc_file(process, "statm").split()[1]) * _PAGE
    return 0


def _proportional(process: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        for line in _proc_file(process, "smaps_rollup").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * _KIB
    return _resident(process)


def _proc_file(process: int, what: str) -> str:
    """Return a file's content from a process's folder in ``/proc``."""
    with open(f"/proc/{process}/{what}", encoding="utf-8", errors="replace") as file:
        return file.read()
