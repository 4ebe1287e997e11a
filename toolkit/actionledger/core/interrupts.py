"""Ctrl-C, where it must not come in the middle of something."""

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import get_ident, main_thread
from types import FrameType

_Answer = Callable[[int, FrameType | None], object]


class _Gate:
    """Answers Ctrl-C for somebody else: at once, or where something must not be broken, at its end.

    Args:
        answer: how it would have been answered.
    """

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
"""That of the main thread, while it has one: to install it takes as long as a twentieth of taking in a turn."""

_NOTHING = nullcontext()


@contextmanager
def gated() -> Iterator[None]:
    """Let ``held_back`` be cheap in this context, where there is much to hold Ctrl-C back for; between, it is answered as ever.

    In another thread than the main one nothing is changed: Python tells only that one of Ctrl-C. Nothing is, either, where it is
    ignored or ends the process at once.
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


def held_back() -> AbstractContextManager[None]:
    """Return a context for whose end Ctrl-C waits; it is then answered as it would have been."""
    if not _gates:
        return _held_back_alone()
    return _gates[-1] if _is_in_main_thread() else _NOTHING


@contextmanager
def _held_back_alone() -> Iterator[None]:
    with gated(), held_back() if _gates else _NOTHING:
        yield


def _is_in_main_thread() -> bool:
    return get_ident() == main_thread().ident
