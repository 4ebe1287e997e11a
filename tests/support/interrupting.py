"""Ctrl-C while DuckDB is at work, as far as a test can press it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDLESS = "SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE hash(a.range, b.range) % 7 = 1"
"""A statement that nobody lives to see the end of: only for what is shown to stop it whatever DuckDB's threads are at."""

LONG = "SELECT count(*) FROM range(200000000) WHERE hash(range) % 7 = 1"
"""A statement that takes a second or a few: DuckDB itself hears of Ctrl-C in the middle of it, or else at its end."""


@contextmanager
def pressed_soon(raised: type[BaseException] = KeyboardInterrupt) -> Iterator[None]:
    """Have what runs here stopped by the user a moment later; a handler runs where Python's own for Ctrl-C would."""

    def press(_number: int, _frame: FrameType | None) -> None:
        raise raised

    before = signal.signal(signal.SIGALRM, press)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def heard() -> Iterator[None]:
    """Have Ctrl-C heard here as in a terminal: jobs in the background have it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
