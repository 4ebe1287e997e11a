"""Ctrl-C, where it must not come in the middle of something."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType


@contextmanager
def held_back() -> Iterator[None]:
    """Let Ctrl-C wait for the end of what is done in this context; it is then answered as it would have been.

    In another thread than the main one nothing is changed: Python tells only that one of Ctrl-C. Nothing is, either, where it is
    ignored or ends the process at once.
    """
    answer = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(answer):
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, answer)
        if came:
            answer(*came[0])
