"""Nondeterministic inputs of actions: the time, identifiers, durations, and a model's answers.

The caller that runs an action binds a tape. A ``Taking`` tape records the drawn values in order. A ``RecordedDraws`` tape
replays them, so that the same action sees the same time when it runs again. Without a tape every value is fresh.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from threading import Lock
from typing import Any, Literal, Protocol

from actionledger.core.ids import new_id

Kind = Literal["time", "id", "duration", "answer"]


class Tape(Protocol):
    """The source of an action's drawn values."""

    def draw(self, kind: Kind, make: Callable[[], Any]) -> Any:
        """Return the next value of a kind, a JSON value; ``make`` makes a fresh one."""


class Taking:
    """Records drawn values, in order."""

    def __init__(self) -> None:
        self.taken: list[tuple[Kind, Any]] = []
        self._lock = Lock()

    def draw(self, kind: Kind, make: Callable[[], Any]) -> Any:
        """See ``Tape``."""
        value = make()
        with self._lock:
            self.taken.append((kind, value))
        return value


class RecordedDraws:
    """Replays drawn values, each kind in its order. When they run out, values are fresh, except for the time, an ISO 8601 moment with its zone."""

    def __init__(self, drawn: Iterable[tuple[Kind, Any]], moment: str) -> None:
        self._left: defaultdict[Kind, deque[Any]] = defaultdict(deque)
        self._moment = moment
        self._lock = Lock()
        for kind, value in drawn:
            self._left[kind].append(value)

    def draw(self, kind: Kind, make: Callable[[], Any]) -> Any:
        """See ``Tape``."""
        with self._lock:
            if self._left[kind]:
                value = self._left[kind].popleft()
                self._moment = value if kind == "time" else self._moment
                return value
            return self._moment if kind == "time" else make()


_current: ContextVar[Tape | None] = ContextVar("actionledger_tape", default=None)


@contextmanager
def drawing_from(tape: Tape | None) -> Iterator[None]:
    """Bind a tape to this thread within the block; None for no tape."""
    token = _current.set(tape)
    try:
        yield
    finally:
        _current.reset(token)


def draw(kind: Kind, make: Callable[[], Any]) -> Any:
    """Return the next value of a kind, from the bound tape."""
    tape = _current.get()
    return make() if tape is None else tape.draw(kind, make)


def drawn_now() -> datetime:
    """Return the action's time, in UTC with its zone."""
    return datetime.fromisoformat(draw("time", lambda: datetime.now(UTC).isoformat()))


def drawn_id() -> str:
    """Return a fresh identifier for an action."""
    return str(draw("id", new_id))
