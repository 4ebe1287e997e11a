"""The limits of repetition: what counts as one, and how often is too often."""

from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache

from actionledger.core.errors import UsageError


class Pattern(StrEnum):
    """How a session goes in circles."""

    SAME_ACTION = "same_action"
    ALTERNATION = "alternation"
    POLLING = "polling"
    RETRY = "retry"
    SAME_THOUGHT = "same_thought"
    SAME_MISTAKE = "same_mistake"
    SAME_ERROR = "same_error"
    NO_CHANGE = "no_change"


@dataclass(frozen=True, slots=True)
class Threshold:
    """How often is too often.

    Args:
        nudge: at the so-manieth time the model is told.
        stop: the so-manieth time is not done any more; None to never stop it.

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
    """The limits of repetition, by pattern; None for a pattern that is not searched for.

    Args:
        same_action: times that the same action with the same arguments in a row came to the same.
        alternation: rounds of a circle of two to four actions, each of which came to the same.
        polling: times of either, where the answer is that something isn't ready yet.
        retry: times of the same action, where it failed for a reason that may pass, such as a time-out.
        same_thought: times that a thought in a row was the same, or nearly; so with responses that can't be read.
        same_mistake: times that an action could not be run at all in a row, for the same reason.
        same_error: times that actions in a row failed in the same way, whatever they were.
        no_change: times that actions in a row said that they changed nothing.
        similarity: how alike nearly the same thoughts are, 0 to 1.
        thoughts: globs over the names of actions that only think.
        exempt: globs over the names of actions that may be repeated, such as one that asks for the next page.
        needs_nudge: whether the model must have been told, in an earlier turn, before it is stopped.
        ends_turn: whether a stop ends the turn; otherwise only what would repeat is not done.
    """

    same_action: Threshold | None = Threshold(3, 4)
    alternation: Threshold | None = Threshold(2, 3)
    polling: Threshold | None = Threshold(6, 30)
    retry: Threshold | None = Threshold(4, 8)
    same_thought: Threshold | None = Threshold(3, 5)
    same_mistake: Threshold | None = Threshold(3, 6)
    same_error: Threshold | None = Threshold(3)
    no_change: Threshold | None = Threshold(4)
    similarity: float = 0.9
    thoughts: tuple[str, ...] = ("think", "think_*", "thought", "*sequentialthinking", "*sequential_thinking")
    exempt: tuple[str, ...] = ()
    needs_nudge: bool = True
    ends_turn: bool = False

    def of(self, pattern: Pattern) -> Threshold | None:
        """Return how often a pattern is too often."""
        threshold: Threshold | None = getattr(self, pattern._value_)  # without the call that ``value`` is
        return threshold

    def spares(self, name: str) -> bool:
        """Return whether the action of that name may be repeated."""
        return _fits(name, self.exempt)

    def is_thought(self, name: str) -> bool:
        """Return whether the action of that name only thinks."""
        return _fits(name.lower(), self.thoughts)


@lru_cache(maxsize=1024)
def _fits(name: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


STANDARD_REPETITION = RepetitionLimits()
"""Told early and stopped late, as measured on recorded sessions; see ``docs/repetition.md``."""

NO_REPETITION = RepetitionLimits(None, None, None, None, None, None, None, None)
"""Nothing is looked for."""
