"""One process as the host holds it: a channel, a way to end it, nothing left behind; and one kept ready."""

import os
import signal
import time
from contextlib import suppress
from threading import Lock

from actionledger.core.ids import new_id
from actionledger.runtime.sandbox.conversation import Channel
from actionledger.runtime.sandbox.launch import Launcher, launch

_MAX_COMPLAINT = 2000
_PATIENCE = 0.5
"""How long a process may take to end after its pipes are closed, in seconds."""


class ChildProcess:
    """A process that waits for its task.

    Args:
        launcher: starts it.

    Raises:
        OSError: it can't be started.
    """

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._label = f"actionledger-{new_id()}"
        self._process = launch(launcher, self._label)
        assert self._process.stdout is not None
        assert self._process.stdin is not None
        self.channel = Channel(self._process.stdout.fileno(), self._process.stdin.fileno())
        self.owner = os.getpid()

    @property
    def pid(self) -> int:
        """The number of its process, and of its process group."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Whether it still runs."""
        with suppress(ChildProcessError):
            return self._look() is None
        return False

    def ending(self) -> str:
        """Return how it ended by itself, such as ``"exit status 3"`` or ``"signal SIGSEGV"``; empty if it didn't."""
        patience = time.monotonic() + _PATIENCE
        # Its pipes are closed a little before it has ended.
        while self.is_alive() and time.monotonic() < patience:
            time.sleep(0.001)
        with suppress(ChildProcessError):
            status = self._look()
            return "" if status is None else _described(status.si_code, status.si_status)
        return ""

    def complaint(self) -> str:
        """Return what it wrote to its standard error before it shut itself in: why it could not, if so."""
        assert self._process.stderr is not None
        descriptor = self._process.stderr.fileno()
        os.set_blocking(descriptor, False)
        try:
            text = os.read(descriptor, 64 * 1024).decode(errors="replace")
        except OSError:
            return ""
        return " ".join(text.strip().splitlines()[-1:])[:_MAX_COMPLAINT]

    def kill(self) -> None:
        """End it with all it may have started, collect it, and close what it was held by."""
        with suppress(ChildProcessError, ProcessLookupError):
            # Whoever is still there to be collected keeps its number: the signal can't reach a stranger.
            self._look()
            os.killpg(self.pid, signal.SIGKILL)
        self._launcher.end(self._label)
        self._process.wait()
        self.let_go()

    def let_go(self) -> None:
        """Close this process's ends of its pipes; on the other side it ends when it reads next."""
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _look(self) -> "os.waitid_result | None":
        """Return how it ended, without collecting it; None while it runs."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)


def _described(code: int, status: int) -> str:
    if code == os.CLD_EXITED:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(status).name}"
    except ValueError:
        return f"signal {status}"


class Spare:
    """Keeps one process ready, and hands it out once.

    Args:
        launcher: starts the processes.
    """

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._lock = Lock()
        self._ready: ChildProcess | None = None

    def take(self) -> ChildProcess | None:
        """Return the process kept ready, which nobody else gets then; None where there is none."""
        with self._lock:
            child, self._ready = self._ready, None
        return child if child is not None and self._usable(child) else None

    def refill(self) -> None:
        """Start a process for the next run, unless one is ready; it gets ready by itself."""
        with self._lock, suppress(OSError):
            if self._ready is None:
                self._ready = ChildProcess(self._launcher)

    def close(self) -> None:
        """End the one kept ready."""
        child = self.take()
        if child is not None:
            child.kill()

    def _usable(self, child: ChildProcess) -> bool:
        """Whether a process is this one's and alive; one that isn't is let go of."""
        if child.owner != os.getpid():
            # This process was forked off the one that started it, which still needs it.
            child.let_go()
            return False
        if not child.is_alive():
            child.kill()
            return False
        return True
