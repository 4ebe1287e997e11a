"""The supervising process of one command: it starts the command confined, and cleans up after it.

It lives as long as the host holds the other end of its standard input: if the host closes that or dies, the command is
ended. With namespaces, the supervisor is the first process of them, and the kernel ends all others with it.
Otherwise, on Linux, the command's orphaned children become this process's own, and are ended until none is left.

It reports JSON objects, one per line: ``started`` (the command's process group, if the host sees it), ``walls``
(their names), ``refused`` or, if walls are missing, ``unheld`` (why it was not started), ``beyond`` (the exceeded limit), ``ended``
(the exit status; negative for a signal).
"""

import json
import os
import select
import signal
import sys
import time
from contextlib import suppress
from typing import Any, NoReturn

from . import bounds, system
from .bounds import Most
from .shutting import Shutting

_SET_DEATH_SIGNAL, _SET_DUMPABLE, _SET_CHILD_SUBREAPER = 1, 4, 36
_LIFELINE = 0
_CANNOT_RUN = 127
_COUNT_EVERY = 0.1
"""The interval between measurements of the command's usage, in seconds."""


class _MissingWallError(Exception):
    """A wall that the host requires is missing."""


def main() -> None:
    """Run the command that the first argument describes."""
    task = json.loads(sys.argv[1])
    shutting = Shutting(task)
    if shutting.enter_namespaces():
        first = os.fork()
        if first:
            os.waitpid(first, 0)
            os._exit(0)
    _watch_over(task, shutting)


def _watch_over(task: dict[str, Any], shutting: Shutting) -> NoReturn:
    """Start the command and wait until it and all its children have ended."""
    try:
        _keep_to_itself(shutting)
    except OSError as error:
        _report(task["report"], {"refused": str(error)})
        os._exit(_CANNOT_RUN)
    supervisor = os.getpid()
    command = os.fork()
    if not command:
        _run(task, shutting, supervisor)
    with suppress(OSError):  # whichever process comes first makes the group
        os.setpgid(command, command)
    if not shutting.spaced:
        _report(task["report"], {"started": command})
    status = _supervised(command, task, shutting)
    _end_all(command)
    _report(task["report"], {"ended": os.waitstatus_to_exitcode(status)})
    os._exit(0)


def _keep_to_itself(shutting: Shutting) -> None:
    """Keep other processes from inspecting this one, and children from outliving it."""
    if not sys.platform.startswith("linux"):
        return
    if shutting.spaced:
        system.process_control(_SET_DEATH_SIGNAL, signal.SIGKILL)
        shutting.furnish()
    else:
        system.process_control(_SET_CHILD_SUBREAPER, 1)
    system.process_control(_SET_DUMPABLE, 0)


def _run(task: dict[str, Any], shutting: Shutting, supervisor: int) -> NoReturn:
    """Confine this process and become the command."""
    report = task["report"]
    try:
        os.set_inheritable(report, False)
        os.setpgid(0, 0)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        bounds.limit_each(Most(**task["most"]), count=shutting.spaced)
        walls = shutting.close(supervisor)
        _report(report, {"walls": walls})
        _insist(task["required"], walls)
        for sent in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(sent, signal.SIG_DFL)
        # The program's resolved path, with the name as written.
        os.execve(task["program"], task["words"], task["environment"])  # noqa: S606 - without a shell is the point
    except _MissingWallError as error:
        _report(report, {"unheld": str(error)})
    except (OSError, ValueError) as error:
        _report(report, {"refused": getattr(error, "strerror", None) or str(error)})
    os._exit(_CANNOT_RUN)


def _insist(required: list[str], walls: list[str]) -> None:
    """Raise if a required wall is missing."""
    if missing := ", ".join(sorted(set(required).difference(walls))):
        raise _MissingWallError(f"nothing here keeps a command from what it is not to reach ({missing})")


def _supervised(command: int, task: dict[str, Any], shutting: Shutting) -> int:
    """Wait for the command, and end it if the host closes the pipe or a limit is exceeded; return its wait status."""
    grace, most = task["grace"], Most(**task["most"])
    woken, wake = os.pipe()
    for descriptor in (woken, wake):
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    kill_at: float | None = None
    count_at = time.monotonic() + _COUNT_EVERY
    while True:
        status = _collect(command)
        if status is not None:
            return status
        moment = time.monotonic()
        if moment >= count_at:
            if used := bounds.beyond(_watched(shutting), most):
                _report(task["report"], {"beyond": used})
                _end_all(command)
                return signal.SIGKILL
            count_at = time.monotonic() + _COUNT_EVERY
        if kill_at is not None and moment >= kill_at:
            _signal_group(command, signal.SIGKILL)
            kill_at = moment + grace
        next_at = min(count_at, kill_at or count_at)
        readable, _, _ = select.select(
            [woken] if kill_at is not None else [woken, _LIFELINE], [], [], max(0.0, next_at - moment)
        )
        if _LIFELINE in readable:
            _signal_group(command, signal.SIGTERM)
            kill_at = time.monotonic() + grace
        if woken in readable:
            with suppress(BlockingIOError):
                os.read(woken, 4096)


def _watched(shutting: Shutting) -> list[int]:
    """Return the processes of the command."""
    if "processes" in shutting.walls:
        return [process for process in bounds.all_processes() if process != os.getpid()]
    return bounds.descendants(os.getpid())


def _collect(command: int) -> int | None:
    """Reap all ended processes; return the command's wait status if it is among them."""
    with suppress(ChildProcessError):
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == command:
                return status
            if not process:
                return None
    return None


def _end_all(command: int) -> None:
    """End the command's remaining processes, in its group or outside."""
    _signal_group(command, signal.SIGKILL)
    if os.getpid() == 1:
        return  # the kernel ends the others with this process, all at once
    with suppress(ChildProcessError):
        while True:
            for process in bounds.descendants(os.getpid()):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)
            os.waitpid(-1, 0)
            # The search is expensive with many processes: reap all ended ones first.
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _signal_group(group: int, sent: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, sent)


def _report(descriptor: int, what: dict[str, Any]) -> None:
    with suppress(OSError):  # the host may be gone
        os.write(descriptor, json.dumps(what).encode() + b"\n")
