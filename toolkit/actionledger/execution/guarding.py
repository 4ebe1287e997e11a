"""What comes of repetition in a session: the model is told first, and stopped if it goes on all the same."""

from collections.abc import Iterable
from dataclasses import replace

from actionledger.execution.deeds import Deed
from actionledger.execution.repetition import Pattern, Repetition, RepetitionLimits, Watch


class RepetitionGuard:
    """Follows the turns of one session.

    Args:
        limits: what counts as repetition, and what comes of it.
    """

    def __init__(self, limits: RepetitionLimits) -> None:
        self._limits = limits
        self._watch = Watch(limits)
        self._last: tuple[Repetition, ...] = ()
        self._told: frozenset[Pattern] = frozenset()
        self._in_turn: Repetition | None = None

    def begin_turn(self, *, is_new_request: bool) -> None:
        """Begin a turn.

        Args:
            is_new_request: whether somebody asked for something, so that doing the same again may be what they want.
        """
        self._in_turn = None
        if is_new_request:
            self._watch.forget()
            self._last = ()
        # What was found after the last deed is what the model was told of and what can go on now.
        self._told = frozenset(found.pattern for found in self._last)

    def note(self, deeds: Iterable[Deed]) -> None:
        """Look at what was done next."""
        for done in deeds:
            self._last = self._watch.see(done)
            for found in self._last:
                self._keep(found)

    @property
    def found(self) -> Repetition | None:
        """What repeats itself in this turn; where that is a stop, the rest of the turn is skipped."""
        return self._in_turn

    @property
    def told(self) -> str:
        """What the model is told of that, as a sentence or two; empty where there is nothing to tell."""
        found = self._in_turn
        if found is None or found.is_stop:
            return self.spent()
        return f"You are repeating yourself: {found.described}. Do something else, or say what is in the way."

    def spent(self) -> str:
        """Return why nothing more may run in this turn, as a sentence; empty while something may."""
        found = self._in_turn
        return f"Stopped due to repetition: {found.described}." if found and found.is_stop else ""

    def _keep(self, found: Repetition) -> None:
        """Keep the first stop, or else the last state of the first pattern that was found in this turn."""
        if self._in_turn and self._in_turn.is_stop:
            return
        is_stop = found.is_stop and (found.pattern in self._told or not self._limits.needs_nudge)
        if is_stop or self._in_turn is None or found.pattern is self._in_turn.pattern:
            self._in_turn = replace(found, is_stop=is_stop)
