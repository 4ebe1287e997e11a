"""Limits of repetition: what counts as repetition, and how often is too often."""

from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache

from actionledger.core.errors import UsageError


class Pattern(StrEnum):
    """A pattern of repetition in a session."""

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
    """When a repetition has consequences.

    Args:
        nudge: the number of times after which the model is told.
        stop: the number of the first time that is withheld; None to never withhold.

    Raises:
        UsageError: ``nudge`` is the first time, or comes after ``stop``.
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
        same_action: times in a row that the same action with the same arguments had the same result.
        alternation: rounds of a cycle of two to four actions, each with the same result.
        polling: times of either, if the result is that something isn't ready yet.
        retry: times of the same action, if it failed for a transient reason such as a timeout.
        same_thought: times in a row that a thought was the same or nearly so; also for unparseable responses.
        same_mistake: times in a row that an action could not be run at all, for the same reason.
        same_error: times in a row that actions of any name failed in the same way.
        no_change: times in a row that actions reported no change.
        similarity: the minimum similarity of nearly the same thoughts, 0 to 1.
        thoughts: globs over the names of actions that only record a thought.
        exempt: globs over the names of actions that may be repeated, such as one that asks for the next page.
        needs_nudge: whether the model must have been told in an earlier turn before it is stopped.
        ends_turn: whether a stop ends the turn; otherwise only the repetition is withheld.
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
        """Return the threshold of a pattern; None if it is not searched for."""
        threshold: Threshold | None = getattr(self, pattern._value_)  # without the function call of ``value``
        return threshold

    def spares(self, name: str) -> bool:
        """Return whether an action may be repeated."""
        return _fits(name, self.exempt)

    def is_thought(self, name: str) -> bool:
        """Return whether an action only records a thought."""
        return _fits(name.lower(), self.thoughts)


@lru_cache(maxsize=1024)
def _fits(name: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


STANDARD_REPETITION = RepetitionLimits()
"""Nudges early and stops late, as measured on recorded sessions; see ``docs/repetition.md``."""

NO_REPETITION = RepetitionLimits(None, None, None, None, None, None, None, None)
"""Searches for no pattern."""
