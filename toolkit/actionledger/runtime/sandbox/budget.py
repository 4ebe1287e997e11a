"""A run's deadline, and the budget that all sandboxes of this process share: runs at once, frames read at once."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Event

_POLL_SECONDS = 0.05
"""How often a wait looks whether it was called off, in seconds."""


class CancelledError(Exception):
    """Somebody called the run off."""


class Deadline:
    """A moment by which something must be done.

    Args:
        seconds: how long from now.
        cancel: calls it off when it is set.
    """

    def __init__(self, seconds: float, cancel: Event | None = None) -> None:
        self._end = time.monotonic() + seconds
        self._cancel = cancel

    def wait(self) -> float:
        """Return how long the next wait may be, in seconds; ask again after it."""
        if self._cancel is not None and self._cancel.is_set():
            raise CancelledError
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return min(left, _POLL_SECONDS) if self._cancel is not None else left


ENVIRONMENT = "ACTIONLEDGER_SANDBOXES"
"""The variable of the environment that says how many sandboxes may run at once."""

_FEWEST = 4
_FRAME_BYTES = 32 * 2**20


class NoRoomError(Exception):
    """As many sandboxes run as may, and none has ended in time."""


class SandboxBudget:
    """The resources that the sandboxes of this process share.

    Args:
        runs: how many may run at once.
        frame_bytes: how many bytes of frames may be read at once; a single frame may always be.
    """

    def __init__(self, runs: int, frame_bytes: int) -> None:
        self.runs, self.frame_bytes = runs, frame_bytes
        self._running = self._reading = 0
        self._changed = Condition()

    @contextmanager
    def run(self, seconds: float, cancel: Event | None) -> Iterator[None]:
        """Wait for a place for one run, and hold it.

        Args:
            seconds: how long to wait at the most.
            cancel: set from another thread to wait no longer.

        Raises:
            NoRoomError: there was none in time.
            CancelledError: the run was called off.
        """
        last = time.monotonic() + seconds
        with self._changed:
            while self._running >= self.runs:
                if cancel is not None and cancel.is_set():
                    raise CancelledError
                if time.monotonic() >= last:
                    raise NoRoomError
                self._changed.wait(_POLL_SECONDS)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    @contextmanager
    def reading(self, size: int, deadline: Deadline) -> Iterator[None]:
        """Wait until there is room to read a frame, and hold that.

        Raises:
            TimeoutError, CancelledError: the deadline is past, or called off.
        """
        with self._changed:
            while self._reading and self._reading + size > self.frame_bytes:
                self._changed.wait(min(_POLL_SECONDS, deadline.wait()))
            self._reading += size
        try:
            yield
        finally:
            with self._changed:
                self._reading -= size
                self._changed.notify_all()


def _runs() -> int:
    given = os.environ.get(ENVIRONMENT, "")
    return int(given) if given.isdecimal() and int(given) else max(_FEWEST, os.cpu_count() or 1)


BUDGET = SandboxBudget(_runs(), _FRAME_BYTES)
"""What all sandboxes of this process share: one for each processor, four at least, and 32 MiB of frames."""
