"""A run's deadline, and the budget shared by this process's sandboxes: the number of runs and the bytes of frames at once."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Event

_POLL_SECONDS = 0.05
"""How often a wait checks for cancellation, in seconds."""


class CancelledError(Exception):
    """The run was cancelled."""


class Deadline:
    """A deadline."""

    def __init__(self, seconds: float, cancel: Event | None = None) -> None:
        self._end = time.monotonic() + seconds
        self._cancel = cancel

    def wait(self) -> float:
        """Return the maximum duration of the next wait, in seconds; call again after it."""
        if self._cancel is not None and self._cancel.is_set():
            raise CancelledError
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return min(left, _POLL_SECONDS) if self._cancel is not None else left


ENVIRONMENT = "ACTIONLEDGER_SANDBOXES"
"""The environment variable with the maximum number of sandboxes at once."""

_FEWEST = 4
_FRAME_BYTES = 32 * 2**20


class NoRoomError(Exception):
    """The maximum number of sandboxes is running, and none ended in time."""


class SandboxBudget:
    """Limits that this process's sandboxes share: runs at once, and bytes of all frames parsed at once; a single frame is always allowed."""

    def __init__(self, runs: int, frame_bytes: int) -> None:
        self.runs, self.frame_bytes = runs, frame_bytes
        self._running = self._reading = 0
        self._changed = Condition()

    @contextmanager
    def run(self, seconds: float, cancel: Event | None) -> Iterator[None]:
        """Wait at most some seconds for a free run, or until ``cancel`` is set from another thread, and hold it within the block."""
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
        """Wait for free memory to parse a frame, and hold it within the block."""
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
"""This process's budget: one run per processor, at least four, and 32 MiB of frames."""
