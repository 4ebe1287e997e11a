"""Several processes: locks that elect one of them, state that a forked child must not share, starting one, memory given back, and Ctrl-C."""

import ctypes
import fcntl
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from signal import Signals
from threading import get_ident, main_thread
from types import FrameType
from typing import Protocol
from weakref import WeakSet

from actionledger.core.errors import UsageError, require_number

POLL_SECONDS = 0.02
"""The time between tries to get a lock, in seconds; a holder that gives way to others must release it for longer."""

STALE_SECONDS = 3600.0
"""The age in seconds from which the file of a free lock was left by a killed process."""


class FileLock:
    """An exclusive ``flock`` on a file, held by at most one process and one thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None
        watch(self)

    def acquire(self, patience: float = 0.0) -> bool:
        """Take the lock if it is free within ``patience`` seconds; return whether it is held now."""
        give_up_at = time.monotonic() + patience
        while not self._try():
            if time.monotonic() >= give_up_at:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def release(self, *, remove: bool = False) -> None:
        """Release the lock, and remove the file if asked: only where every process takes this lock by this class."""
        if self._descriptor is not None:
            if remove:
                self._path.unlink(missing_ok=True)
            # Closing alone would leave the lock to a child that was forked in the meantime.
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            self._close()

    def start_over(self) -> None:
        """Close the parent's descriptor in a forked child, which leaves the lock to the parent."""
        self._close()

    def _try(self) -> bool:
        while True:
            self._descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._close()
                return False
            if os.fstat(self._descriptor).st_nlink:
                return True
            # The last holder removed the file after we had opened it and before we locked it.
            self._close()

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def remove_free(folder: Path) -> None:
    """Remove the files of free locks that are at least an hour old (their holders were killed) from a folder where every file is locked by ``FileLock``."""
    with os.scandir(folder) as entries:
        stale = [Path(entry) for entry in entries if time.time() - entry.stat().st_mtime > STALE_SECONDS]
    for path in stale:
        lock = FileLock(path)
        if lock.acquire():
            lock.release(remove=True)


class Forkable(Protocol):
    """A resource that a forked child must not use as it is."""

    def start_over(self) -> None:
        """Release the parent's resources, without changing what the parent still uses."""


class Pausable(Forkable, Protocol):
    """A worker with a thread of its own."""

    def pause(self) -> None:
        """End the thread; afterwards it holds neither a lock nor a connection."""

    def go_on(self) -> None:
        """Start the thread again, if there was one."""


_watched: "WeakSet[Forkable]" = WeakSet()
_working: "WeakSet[Pausable]" = WeakSet()


def watch(thing: Forkable) -> None:
    """Make ``thing`` start over in every child that is forked during its lifetime."""
    _watched.add(thing)


def watch_worker(thing: Pausable) -> None:
    """Pause ``thing`` while the process forks; it goes on in the parent and starts over in the child."""
    watch(thing)
    _working.add(thing)


def abandon(thing: object) -> None:
    """Never destroy ``thing``; in a child, DuckDB would wait for threads that were not forked."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _start_over_in_child() -> None:
    for thing in tuple(_watched):
        thing.start_over()


def _pause_before() -> None:
    for thing in tuple(_working):
        thing.pause()


def _go_on_in_parent() -> None:
    for thing in tuple(_working):
        thing.go_on()


os.register_at_fork(
    before=_pause_before, after_in_parent=_go_on_in_parent, after_in_child=_start_over_in_child
)


def give_memory_back() -> None:
    """Give the system what this process has freed, where its C library can: glibc keeps most of it, more after each larger piece of work."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def words_for(module: str) -> tuple[str, ...]:
    """Return the command that runs a module's function ``main`` with this process's import path."""
    path = [each for each in sys.path if each]
    return (
        sys.executable,
        "-c",
        f"import sys; sys.path[:] = {path!r}; from {module} import main; main()",
    )


def ended(code: int) -> str:
    """Return how a process ended, as a clause; a negative return code is a signal."""
    if code >= 0:
        return f"has ended with the exit code {code}"
    number = -code
    name = Signals(number).name if number in set(Signals) else str(number)
    return f"was ended by the signal {name}"


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: int | None) -> None:
    """Raise an error for an invalid number of worker processes; None means one for each core."""
    require_number("workers", workers, optional=True)
    if workers is not None and workers < 1:
        raise UsageError(f"workers is {workers}; give 1 or more, or nothing for all cores.")


_Answer = Callable[[int, FrameType | None], object]


class _Gate:
    """Answers Ctrl-C at once or, within a section that must not be interrupted, at its end."""

    def __init__(self, answer: _Answer) -> None:
        self._answer = answer
        self._depth = 0
        self._came: tuple[int, FrameType | None] | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self._depth:
            self._came = self._came or (number, frame)
        else:
            self._answer(number, frame)

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._came is not None and not self._depth:
            came, self._came = self._came, None
            self._answer(*came)


_gates: list[_Gate] = []
"""The main thread's gate, if any; installing one takes a twentieth of the time of importing a turn."""

_NOTHING = nullcontext()


@contextmanager
def interrupt_gate() -> Iterator[None]:
    """Make ``defer_interrupts`` cheap within this context, for many deferrals; between them Ctrl-C works as before.

    In other threads nothing changes, since Python delivers Ctrl-C to the main thread only. Nothing changes either if Ctrl-C is ignored
    or ends the process at once.
    """
    answer = signal.getsignal(signal.SIGINT) if _is_in_main_thread() else None
    if not callable(answer) or isinstance(answer, _Gate):
        yield
        return
    gate = _Gate(answer)
    signal.signal(signal.SIGINT, gate)
    _gates.append(gate)
    try:
        yield
    finally:
        _gates.remove(gate)
        signal.signal(signal.SIGINT, answer)


def defer_interrupts() -> AbstractContextManager[None]:
    """Return a context that delays Ctrl-C to its end; Ctrl-C then works as before."""
    if not _gates:
        return _defer_once()
    return _gates[-1] if _is_in_main_thread() else _NOTHING


@contextmanager
def _defer_once() -> Iterator[None]:
    with interrupt_gate(), defer_interrupts() if _gates else _NOTHING:
        yield


def _is_in_main_thread() -> bool:
    return get_ident() == main_thread().ident
