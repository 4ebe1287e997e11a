"""How long something may take, and whether somebody has called it off."""

import time
from threading import Event

_LOOK_EVERY = 0.05
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
        return min(left, _LOOK_EVERY) if self._cancel is not None else left
