"""Whether a session goes in circles: the same again, nearly the same, to and fro, one error after another, no change. Pure.

Each deed is looked at once and beside a few before it, so a session costs linear time and constant space. Only what comes to the
same counts as the same: asking again until the answer changes, or making many things that are alike, is no circle.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

from rapidfuzz.fuzz import ratio

from actionledger.errors import UsageError
from actionledger.execution.deeds import COMPARED, Deed

_LONGEST_CYCLE = 3
"""Circles of more steps than this are not looked for."""


class Pattern(StrEnum):
    """How a session goes in circles."""

    SAME_ACTION = "same_action"
    ALTERNATION = "alternation"
    SAME_ERROR = "same_error"
    NEAR_ACTION = "near_action"
    NO_CHANGE = "no_change"


@dataclass(frozen=True, slots=True)
class Threshold:
    """How often is too often.

    Args:
        nudge: at the so-manieth time the model is told.
        stop: at the so-manieth time it is stopped; None to never stop it.

    Raises:
        UsageError: the nudge comes at the first time, or after the stop.
    """

    nudge: int
    stop: int | None = None

    def __post_init__(self) -> None:
        if self.nudge < 2 or (self.stop is not None and self.stop < self.nudge):
            raise UsageError(
                f"A nudge at {self.nudge} and a stop at {self.stop} make no sense; nudge from 2 on, and stop no earlier."
            )


@dataclass(frozen=True, slots=True)
class RepetitionLimits:
    """What counts as repetition, and what comes of it; None for a pattern that is not looked for.

    Args:
        same_action: times that the same action with the same arguments in a row came to the same.
        alternation: rounds of a circle of two or three actions, each of which came to the same.
        same_error: times that actions in a row failed in the same way, whatever they were.
        near_action: times that an action with nearly the same arguments in a row came to the same.
        no_change: times that actions in a row gave the same result, whatever they were.
        similarity: how alike nearly the same arguments are, 0 to 1.
        exempt: globs over the names of actions that may be repeated, such as one that waits for something.
        needs_nudge: whether the model must have been told, in an earlier turn, before it is stopped.
    """

    same_action: Threshold | None = Threshold(3, 5)
    alternation: Threshold | None = Threshold(2, 4)
    same_error: Threshold | None = Threshold(3, 6)
    near_action: Threshold | None = Threshold(4, 8)
    no_change: Threshold | None = Threshold(4, 8)
    similarity: float = 0.9
    exempt: tuple[str, ...] = ()
    needs_nudge: bool = True

    def of(self, pattern: Pattern) -> Threshold | None:
        """Return how often a pattern is too often."""
        threshold: Threshold | None = getattr(self, pattern.value)
        return threshold

    def spares(self, name: str) -> bool:
        """Return whether the action of that name may be repeated."""
        return any(fnmatchcase(name, glob) for glob in self.exempt)


STANDARD_REPETITION = RepetitionLimits()
"""Told early and stopped late, as measured on recorded sessions; see ``docs/repetition.md``."""

NO_REPETITION = RepetitionLimits(None, None, None, None, None)
"""Nothing is looked for."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """A session goes in circles.

    Args:
        pattern: how.
        count: how often by now; for an alternation, how many rounds.
        name: the last action's name; empty where none could be read.
        is_stop: whether that is where the model is stopped, rather than told.
    """

    pattern: Pattern
    count: int
    name: str
    is_stop: bool

    @property
    def described(self) -> str:
        """What repeats itself, as a clause for people."""
        last = f" (last: {self.name[:100]})" if self.name else ""
        return f"{_WORDS[self.pattern].format(count=self.count)}{last}"


_WORDS = {
    Pattern.SAME_ACTION: "the same action {count} times in a row, with the same outcome",
    Pattern.ALTERNATION: "the same few actions in turn, {count} rounds of them, with the same outcomes",
    Pattern.SAME_ERROR: "the same error {count} times in a row",
    Pattern.NEAR_ACTION: "nearly the same action {count} times in a row, with the same outcome",
    Pattern.NO_CHANGE: "the same result {count} times in a row, whatever was done",
}


class Watch:
    """Follows one session, deed by deed.

    Args:
        limits: what counts as repetition.
    """

    def __init__(self, limits: RepetitionLimits = STANDARD_REPETITION) -> None:
        self._limits = limits
        self.forget()

    def forget(self) -> None:
        """Begin anew: somebody asked for something else, or for the same on purpose."""
        self._recent: deque[Deed] = deque(maxlen=_LONGEST_CYCLE)
        self._streaks = dict.fromkeys(Pattern, 1)
        self._matches = dict.fromkeys(range(2, _LONGEST_CYCLE + 1), 0)

    def see(self, done: Deed) -> tuple[Repetition, ...]:
        """Look at the next deed; return what repeats itself by now: what stops first, then in the order of ``Pattern``."""
        if self._limits.spares(done.name):
            self.forget()
            return ()
        self._count(done)
        self._recent.append(done)
        return tuple(sorted(self._found(done.name), key=lambda found: not found.is_stop))

    def _count(self, done: Deed) -> None:
        last = self._recent[-1] if self._recent else None
        for pattern in Pattern:
            if pattern is Pattern.ALTERNATION:
                self._streaks[pattern] = self._rounds(done)
            else:
                goes_on = last is not None and self._goes_on(pattern, last, done)
                self._streaks[pattern] = self._streaks[pattern] + 1 if goes_on else 1

    def _goes_on(self, pattern: Pattern, last: Deed, done: Deed) -> bool:
        match pattern:
            case Pattern.SAME_ERROR:
                return bool(done.error) and done.error == last.error
            case Pattern.NO_CHANGE:
                return bool(done.yielded) and done.yielded == last.yielded
            case Pattern.NEAR_ACTION:
                return self._is_near(last, done)
        return _is_same(last, done)

    def _is_near(self, last: Deed, done: Deed) -> bool:
        if (last.name, last.outcome) != (done.name, done.outcome):
            return False
        # A result that says nothing is no sign that the small change changed nothing.
        if not (done.error or done.yielded):
            return False
        least = self._limits.similarity * 100
        return ratio(last.arguments[:COMPARED], done.arguments[:COMPARED], score_cutoff=least) >= least

    def _rounds(self, done: Deed) -> int:
        """Return how many rounds of the shortest circle the last deeds make; 1 where they make none."""
        most = 1
        for length, matched in self._matches.items():
            goes_on = len(self._recent) >= length and _is_same(self._recent[-length], done)
            self._matches[length] = matched + 1 if goes_on else 0
            # A circle in which all is one action is no circle, but the same action again.
            is_circle = self._streaks[Pattern.SAME_ACTION] < length
            if is_circle and self._matches[length] >= length:
                most = max(most, self._matches[length] // length + 1)
        return most

    def _found(self, name: str) -> Iterator[Repetition]:
        for pattern, count in self._streaks.items():
            threshold = self._limits.of(pattern)
            if pattern is Pattern.NEAR_ACTION and count <= self._streaks[Pattern.SAME_ACTION]:
                continue  # nothing but the same action: that has its own name
            if threshold is not None and count >= threshold.nudge:
                is_stop = threshold.stop is not None and count >= threshold.stop
                yield Repetition(pattern, count, name, is_stop)


def _is_same(one: Deed, other: Deed) -> bool:
    return (one.name, one.arguments, one.outcome) == (other.name, other.arguments, other.outcome)


def repetitions(
    deeds: Iterable[Deed], limits: RepetitionLimits = STANDARD_REPETITION
) -> Iterator[tuple[Repetition, ...]]:
    """Yield, for each deed of one session, what repeats itself by then.

    Args:
        deeds: what was done, in order.
        limits: what counts as repetition.
    """
    watch = Watch(limits)
    return map(watch.see, deeds)
