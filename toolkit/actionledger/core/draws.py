"""What actions draw from outside of their arguments and their workspace: the time, identifiers, how long
something took, a model's answers.

Whoever runs an action binds a tape. A tape that takes keeps what was drawn, in order; one that gives hands out what was kept,
so that the same action run again sees the same time. Without a tape everything is drawn afresh.
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
    """Stands between an action and what it draws."""

    def draw(self, kind: Kind, make: Callable[[], Any]) -> Any:
        """Return the next value of a kind, a JSON value; ``make`` draws one afresh."""


class Taking:
    """Keeps what is drawn, in order."""

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
    """Hands out what was drawn before, each kind in its order; what is beyond that is drawn afresh, a time excepted.

    Args:
        drawn: what was kept.
        moment: the time that is given where no other was kept, as ISO 8601 with its zone.
    """

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
    """Have this thread draw from a tape meanwhile; None for none."""
    token = _current.set(tape)
    try:
        yield
    finally:
        _current.reset(token)


def draw(kind: Kind, make: Callable[[], Any]) -> Any:
    """Return the next value of a kind, from the tape that is bound here."""
    tape = _current.get()
    return make() if tape is None else tape.draw(kind, make)


def drawn_now() -> datetime:
    """Return the time as an action sees it, in UTC with its zone."""
    return datetime.fromisoformat(draw("time", lambda: datetime.now(UTC).isoformat()))


def drawn_id() -> str:
    """Return a fresh identifier as an action sees it."""
    return str(draw("id", new_id))
