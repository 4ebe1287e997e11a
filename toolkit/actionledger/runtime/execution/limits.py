"""How much a session may do: rates by action, actions in a turn, failures in a row.

A rate holds over a sliding window: of any stretch of that length, not of each minute by the clock.
"""

import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from math import ceil
from threading import Lock
from typing import Protocol

from actionledger.core.errors import UsageError, require_kind, require_number
from actionledger.core.records import dataclass
from actionledger.core.text import counted

_LEAST_TOLD = 100
"""In characters."""


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How often an action may run.

    Args:
        count: at most so many times.
        seconds: in any stretch of so many seconds.

    Raises:
        UsageError: one of them is not positive.

    Example:
        >>> al.RateLimit(count=5, seconds=60)
        RateLimit(count=5, seconds=60)
    """

    count: int
    seconds: float

    def __post_init__(self) -> None:
        for name in ("count", "seconds"):
            require_number(f"The {name} of a rate", getattr(self, name))
        if self.count < 1 or self.seconds <= 0:
            raise UsageError(
                f"A rate of {self.count} in {self.seconds} s is none; give two positive numbers."
            )


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a session may do, and how much of what came of it the model is told; None stands for no limit.

    Args:
        rates: a table of (glob over action names, rate), from the top; each action is counted by its own name.
        shared: whether sessions that write to one ledger share the rates.
        actions_per_turn: how many actions of one response may run.
        failures_per_turn: after so many failures in a row, the rest of the response is skipped.
        failures_per_session: after so many failures in a row, the rest of the session is skipped.
        feedback: the most that the model is told of one response, in characters.
        result: the most that it is shown of one result, in characters.

    Raises:
        UsageError: the feedback has no room for a sentence, or a limit is no number that it can be.

    Example:
        >>> al.Limits(rates=(("send_*", al.RateLimit(5, 60)),)).actions_per_turn
        1000
    """

    rates: Sequence[tuple[str, RateLimit]] = ()
    shared: bool = False
    actions_per_turn: int | None = 1000
    failures_per_turn: int | None = 5
    failures_per_session: int | None = 20
    feedback: int = 16_000
    result: int = 4_000

    def __post_init__(self) -> None:
        for name, least in {
            "actions_per_turn": 0,
            "failures_per_turn": 1,
            "failures_per_session": 1,
        }.items():
            require_number(f"The limit {name!r}", getattr(self, name), least=least, optional=True)
        for name in ("feedback", "result"):
            require_number(f"The limit {name!r}", getattr(self, name), least=_LEAST_TOLD)
        require_kind(self.rates, tuple | list, "rates is a list of pairs, of a glob and a RateLimit")

    def rate_of(self, name: str) -> RateLimit | None:
        """Return how often the action of that name may run; None if nothing limits it.

        Example:
            >>> limits = al.Limits(rates=(("send_*", al.RateLimit(5, 60)),))
            >>> limits.rate_of("send_mail").count, limits.rate_of("read_file")
            (5, None)
        """
        return next((rate for glob, rate in self.rates if fnmatchcase(name, glob)), None)


STANDARD_LIMITS = Limits()
"""No rates; a turn ends after a thousand actions or five failures in a row."""


class Counter(Protocol):
    """Counts what was let through, in one process or in several."""

    def take(self, name: str, count: int, seconds: float) -> float | None:
        """Count one more, if fewer than ``count`` were counted within the last ``seconds``."""


class LocalCounter:
    """Counts within one session; its threads may share it.

    Args:
        clock: tells the time in seconds; it never goes back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._taken: defaultdict[str, deque[float]] = defaultdict(deque)
        self._lock = Lock()

    def take(self, name: str, count: int, seconds: float) -> float | None:
        """See ``Counter``."""
        with self._lock:
            return self._take(name, count, seconds)

    def _take(self, name: str, count: int, seconds: float) -> float | None:
        now = self._clock()
        taken = self._taken[name]
        while taken and now - taken[0] >= seconds:
            taken.popleft()
        if len(taken) >= count:
            return taken[0] + seconds - now
        taken.append(now)
        return None


class Rates:
    """How often each action may run, wherever it is asked for: in a response, or in the course of another action.

    Args:
        limits: the rates.
        counter: counts what was let through.
    """

    def __init__(self, limits: Limits, counter: Counter) -> None:
        self._limits = limits
        self._counter = counter

    def take(self, name: str) -> str:
        """Count an action that is about to run."""
        rate = self._limits.rate_of(name)
        if rate is None:
            return ""
        wait = self._counter.take(name, rate.count, rate.seconds)
        if wait is None:
            return ""
        return f"Rate limit exceeded for {name}: {rate.count} per {rate.seconds:g} s; try again in {ceil(wait)} s."


class FailureBudget:
    """Counts the failures in a row, in the session and in its current turn.

    Args:
        limits: how many there may be.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._in_session = 0
        self._in_turn = 0

    def begin_turn(self) -> None:
        """Forget the failures of the turn before, but not those of the session."""
        self._in_turn = 0

    def note(self, *, failed: bool) -> None:
        """Count what came of an action that was tried; a success makes up for all failures before it."""
        self._in_turn = self._in_turn + 1 if failed else 0
        self._in_session = self._in_session + 1 if failed else 0

    def spent(self) -> str:
        """Return why nothing more may run, as a sentence; empty while something may."""
        for what, failures, limit in (
            ("turn", self._in_turn, self._limits.failures_per_turn),
            ("session", self._in_session, self._limits.failures_per_session),
        ):
            if limit is not None and failures >= limit:
                return f"{counted(failures, 'action')} in a row failed; the rest of the {what} is skipped."
        return ""
