"""One process kept ready, so that a run doesn't wait for Python to start."""

import os
from contextlib import suppress
from threading import Lock

from actionledger.runtime.sandbox.child import Child
from actionledger.runtime.sandbox.launching import Launcher


class Spare:
    """Keeps one process ready, and hands it out once.

    Args:
        launcher: starts the processes.
    """

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._lock = Lock()
        self._ready: Child | None = None

    def take(self) -> Child | None:
        """Return the process kept ready, which nobody else gets then; None where there is none."""
        with self._lock:
            child, self._ready = self._ready, None
        return child if child is not None and self._usable(child) else None

    def refill(self) -> None:
        """Start a process for the next run, unless one is ready; it gets ready by itself."""
        with self._lock, suppress(OSError):
            if self._ready is None:
                self._ready = Child(self._launcher)

    def close(self) -> None:
        """End the one kept ready."""
        child = self.take()
        if child is not None:
            child.kill()

    def _usable(self, child: Child) -> bool:
        """Whether a process is this one's and alive; one that isn't is let go of."""
        if child.owner != os.getpid():
            # This process was forked off the one that started it, which still needs it.
            child.let_go()
            return False
        if not child.is_alive():
            child.kill()
            return False
        return True
