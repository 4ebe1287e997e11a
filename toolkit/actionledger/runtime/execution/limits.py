"""Limits on a session: rates per action, actions per turn, failures in a row.

A rate holds over a sliding window, not per minute of the clock.
"""

import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import ceil
from threading import Lock
from typing import Protocol

from actionledger.core.errors import UsageError, require_kind, require_number
from actionledger.core.text import counted

_LEAST_TOLD = 100
"""Minimum size of the feedback limit, in characters."""


@dataclass(frozen=True, slots=True)
class RateLimit:
    """A limit on how often an action may run.

    Args:
        count: the maximum number of runs.
        seconds: the length of the sliding window, in seconds.

    Raises:
        UsageError: count or seconds is not positive.

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
    """Limits on a session's actions and feedback; None means no limit.

    Args:
        rates: a table of (glob over action names, rate); the first row that matches applies; each action name is counted separately.
        shared: whether sessions that write to one ledger share the rates.
        actions_per_turn: the maximum number of actions run per response.
        failures_per_turn: after this many failures in a row, the rest of the response is skipped.
        failures_per_session: after this many failures in a row, the rest of the session is skipped.
        feedback: the maximum feedback on one response, in characters.
        result: the maximum shown of one result, in characters.

    Raises:
        UsageError: the feedback limit is too small for a sentence, or a limit is not a valid number.

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
        """Return the rate limit of an action; None if it has none.

        Example:
            >>> limits = al.Limits(rates=(("send_*", al.RateLimit(5, 60)),))
            >>> limits.rate_of("send_mail").count, limits.rate_of("read_file")
            (5, None)
        """
        return next((rate for glob, rate in self.rates if fnmatchcase(name, glob)), None)

    @property
    def longest_rate(self) -> float:
        """The longest window of all rates, in seconds; 0 if there are none.

        Example:
            >>> al.Limits(rates=(("send_*", al.RateLimit(5, 60)),)).longest_rate
            60
        """
        return max((rate.seconds for _, rate in self.rates), default=0)


STANDARD_LIMITS = Limits()
"""No rates; a turn ends after a thousand actions or five failures in a row."""


class Counter(Protocol):
    """Counts admitted actions, in one process or in several."""

    def take(self, name: str, count: int, seconds: float) -> float | None:
        """Count one more, if fewer than ``count`` were counted within the last ``seconds``."""


class LocalCounter:
    """Counts within one session; its threads may share it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._taken: defaultdict[str, deque[float]] = defaultdict(deque)
        self._lock = Lock()

    def take(self, name: str, count: int, seconds: float) -> float | None:
        """See ``Counter``."""
        with self._lock:
            return self._take(name, count, seconds)

    def taken_before(self, begun: Iterable[tuple[str, float]]) -> None:
        """Count actions that the session ran in another process: pairs of name and age in seconds, oldest first."""
        now = self._clock()
        with self._lock:
            for name, age in begun:
                self._taken[name].append(now - max(0.0, age))

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
    """Counts each action against its rate, whether a response or another action requests it."""

    def __init__(self, limits: Limits, counter: Counter) -> None:
        self._limits = limits
        self._counter = counter

    def take(self, name: str) -> str:
        """Count an action that is about to run; return why it may not, as a sentence, or an empty text."""
        rate = self._limits.rate_of(name)
        if rate is None:
            return ""
        wait = self._counter.take(name, rate.count, rate.seconds)
        if wait is None:
            return ""
        return f"Rate limit exceeded for {name}: {rate.count} per {rate.seconds:g} s; try again in {ceil(wait)} s."


class FailureBudget:
    """Counts the failures in a row, in the session and in its current turn."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._in_session = 0
        self._in_turn = 0

    def begin_turn(self) -> None:
        """Reset the turn's failure count, but not the session's."""
        self._in_turn = 0

    def note(self, *, failed: bool) -> None:
        """Count the outcome of an action that was run; a success resets both counts."""
        self._in_turn = self._in_turn + 1 if failed else 0
        self._in_session = self._in_session + 1 if failed else 0

    def spent(self) -> str:
        """Return why nothing more may run, as a sentence; empty if something may."""
        for what, failures, limit in (
            ("turn", self._in_turn, self._limits.failures_per_turn),
            ("session", self._in_session, self._limits.failures_per_session),
        ):
            if limit is not None and failures >= limit:
                return f"{counted(failures, 'action')} in a row failed; the rest of the {what} is skipped."
        return ""
