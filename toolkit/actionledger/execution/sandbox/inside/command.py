"""The process around one command: starts it shut in, and leaves nothing of it behind.

It lives as long as the host holds the other end of its standard input: when the host lets go of that, or dies, the command is
ended. What the command started becomes this process's own child when its parent ends (Linux), so nothing gets away.

What it reports, a JSON object a line: ``started`` (the command's process group), ``walls`` (the version of Landlock, 0 for
none), ``refused`` (why it was not begun), ``ended`` (the exit status; below zero for a signal).
"""

import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from . import landlock

_SET_NO_NEW_PRIVILEGES, _DROP_FROM_BOUNDING_SET, _SET_CHILD_SUBREAPER = 38, 24, 36
# What root may still do: give files to others, and read and change what a container's user owns.
_KEPT_CAPABILITIES = frozenset({0, 1, 3, 4, 6, 7})
_CAPABILITIES = 64
_LIFELINE = 0
_CANNOT_RUN = 127


def main() -> None:
    """Run the command that the first argument describes."""
    task = json.loads(sys.argv[1])
    _become_subreaper()
    command = os.fork()
    if not command:
        _run(task)
    with suppress(OSError):  # whoever of the two comes first makes the group
        os.setpgid(command, command)
    _report(task["report"], {"started": command})
    status = _supervised(command, task["grace"])
    _end_all(command)
    _report(task["report"], {"ended": os.waitstatus_to_exitcode(status)})
    os._exit(0)


def _run(task: dict[str, Any]) -> NoReturn:
    """Shut this process in and become the command."""
    report = task["report"]
    try:
        os.set_inheritable(report, False)
        os.setpgid(0, 0)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        _limit(task["file_bytes"])
        _report(report, {"walls": _shut_in(task)})
        for sent in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(sent, signal.SIG_DFL)
        # The program as its folder has it, its name as it was written.
        os.execve(task["program"], task["words"], task["environment"])  # noqa: S606 - without a shell is the point
    except (OSError, ValueError) as error:
        _report(report, {"refused": getattr(error, "strerror", None) or str(error)})
    os._exit(_CANNOT_RUN)


def _shut_in(task: dict[str, Any]) -> int:
    """Refuse this process what the task doesn't allow; return the version of Landlock, 0 where there is none.

    Raises:
        OSError: the kernel has Landlock and refuses the rules.
    """
    if not sys.platform.startswith("linux"):
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() == 0:
        for capability in set(range(_CAPABILITIES)) - _KEPT_CAPABILITIES:
            libc.prctl(
                _DROP_FROM_BOUNDING_SET, capability, 0, 0, 0
            )  # one that the kernel doesn't know is an error
    if libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the kernel refuses to take privileges away")
    allowed = [landlock.Allowed(path, writing=True) for path in task["writable"]]
    allowed += [landlock.Allowed(path) for path in task["readable"]]
    return landlock.restrict(libc, allowed, network=task["network"])


def _limit(file_bytes: int) -> None:
    for kind, wanted in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, file_bytes)):
        _, hard = resource.getrlimit(kind)
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (most, most))


def _become_subreaper() -> None:
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _supervised(command: int, grace: float) -> int:
    """Wait for the command, and end it when the host lets go; return its wait status."""
    woken, wake = os.pipe()
    for descriptor in (woken, wake):
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    kill_at: float | None = None
    while True:
        status = _collect(command)
        if status is not None:
            return status
        left = None if kill_at is None else max(0.0, kill_at - time.monotonic())
        watched = [woken] if kill_at is not None else [woken, _LIFELINE]
        readable, _, _ = select.select(watched, [], [], left)
        if _LIFELINE in readable:
            _signal_group(command, signal.SIGTERM)
            kill_at = time.monotonic() + grace
        if woken in readable:
            with suppress(BlockingIOError):
                os.read(woken, 4096)
        elif kill_at is not None and time.monotonic() >= kill_at:
            _signal_group(command, signal.SIGKILL)
            kill_at = time.monotonic() + grace


def _collect(command: int) -> int | None:
    """Collect whatever has ended; return the command's wait status if it is among that."""
    with suppress(ChildProcessError):
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == command:
                return status
            if not process:
                return None
    return None


def _end_all(command: int) -> None:
    """End what the command left behind, in its group or away from it."""
    _signal_group(command, signal.SIGKILL)
    with suppress(ChildProcessError):
        while True:
            for process in _descendants(os.getpid()):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)
            os.waitpid(-1, 0)


def _descendants(ancestor: int) -> list[int]:
    """Return the processes that descend from one; none where the system doesn't list processes."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            # The name may hold blanks and brackets; the parent is the second word behind it.
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(folder.name))
    found, due = [], [ancestor]
    while due:
        born = children.get(due.pop(), [])
        found += born
        due += born
    return found


def _signal_group(group: int, sent: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, sent)


def _report(descriptor: int, what: dict[str, Any]) -> None:
    with suppress(OSError):  # a host that is gone needs no report
        os.write(descriptor, json.dumps(what).encode() + b"\n")
