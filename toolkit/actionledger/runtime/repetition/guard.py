"""What comes of repetition in a session: the model is told first; if it goes on all the same, what would repeat is not done."""

from collections.abc import Iterable
from dataclasses import replace

from actionledger.runtime.repetition.fingerprints import ActionFingerprint
from actionledger.runtime.repetition.forms import CallForm
from actionledger.runtime.repetition.limits import Pattern, RepetitionLimits
from actionledger.runtime.repetition.patterns import Repetition, Watch


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
        self._went_on = False

    def begin_turn(self, *, is_new_request: bool) -> None:
        """Begin a turn.

        Args:
            is_new_request: whether somebody asked for something, so that doing the same again may be what they want.
        """
        self._in_turn = None
        self._went_on = False
        if is_new_request:
            self._watch.forget()
            self._last = ()
        # What was found after the last fingerprint is what the model was told of and what can go on now.
        self._told = _patterns(self._last)

    def refuse(self, call: CallForm) -> str:
        """Return why a proposed call is not made, as a sentence; empty where it may be.

        Args:
            call: the call, right before it would be made.
        """
        if self._limits.ends_turn and (why := self._stopped):
            return why
        expected = self._watch.expect(call)
        if expected is None or not any(map(self._is_stop, expected[1])):
            return ""
        # What comes behind it in a circle is compared with it as if it had been done.
        self.note([expected[0]], is_proposed=True)
        return self._stopped

    def note(self, fingerprints: Iterable[ActionFingerprint], *, is_proposed: bool = False) -> None:
        """Look at what was done next.

        Args:
            fingerprints: what was done.
            is_proposed: whether it was only asked for, and not done.
        """
        for done in fingerprints:
            self._last = tuple(replace(each, is_proposed=is_proposed) for each in self._watch.see(done))
            # Who was told of one streak was not told of the next one.
            self._told &= _patterns(self._last)
            stops = [each for each in self._last if self._is_stop(each)]
            self._went_on = not stops
            for found in self._last:
                self._keep(found)

    @property
    def found(self) -> Repetition | None:
        """What repeats itself in this turn."""
        return self._in_turn

    @property
    def told(self) -> str:
        """What the model is told of that, as a sentence or two; empty where there is nothing to tell."""
        found = self._in_turn
        if found is None or found.is_stop:
            return self._stopped
        return f"You are repeating yourself: {found.described}. Do something else, or say what is in the way."

    def spent(self) -> str:
        """Return why nobody should go on by themselves, as a sentence; empty where something else was done since."""
        return "" if self._went_on else self._stopped

    @property
    def _stopped(self) -> str:
        found = self._in_turn
        return f"Stopped due to repetition: {found.described}." if found and found.is_stop else ""

    def _is_stop(self, found: Repetition) -> bool:
        return found.is_stop and (found.pattern in self._told or not self._limits.needs_nudge)

    def _keep(self, found: Repetition) -> None:
        """Keep the first stop, or else the last state of the first pattern that was found in this turn."""
        if self._in_turn and self._in_turn.is_stop:
            return
        is_stop = self._is_stop(found)
        if is_stop or self._in_turn is None or found.pattern is self._in_turn.pattern:
            self._in_turn = replace(found, is_stop=is_stop)


def _patterns(found: Iterable[Repetition]) -> frozenset[Pattern]:
    return frozenset(each.pattern for each in found)
