"""Detect repetition in a session's fingerprints: the model is nudged first, then the action is withheld."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rapidfuzz.fuzz import ratio

from actionledger.core.text import counted
from actionledger.runtime.repetition.fingerprints import ActionFingerprint
from actionledger.runtime.repetition.forms import CallForm
from actionledger.runtime.repetition.limits import STANDARD_REPETITION, Pattern, RepetitionLimits

_LONGEST_CYCLE = 4
"""The maximum length of a cycle that is searched for, in steps."""

_TELLING = 20
"""A thought shorter than this, in characters, matches only an identical one."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """A repetition in a session."""

    pattern: Pattern  # the kind of repetition
    count: int  # the number of times so far; for an alternation, of rounds
    name: str  # the last action's name; empty if none could be parsed
    is_stop: bool  # whether the model is stopped, and not only told
    is_proposed: bool = False  # whether the last time was only requested, and not executed
    length: int = 0  # the number of fingerprints in a row that it covers

    @property
    def described(self) -> str:
        """The repetition as a clause for people."""
        last = f" (last: {self.name[:100]})" if self.name else ""
        if not self.name and self.pattern in {Pattern.SAME_ACTION, Pattern.SAME_THOUGHT}:
            return f"the same response {counted(self.count, 'time')} in a row, or nearly, and no action can be read in it"
        if not self.is_proposed:
            return f"{self._words(self.count)}{last}"
        return f"{self._words(self.count - 1)}, and now once more{last}"

    def _words(self, count: int) -> str:
        forms = {f"{word}s": counted(count, word) for word in ("time", "round", "action")}
        return _WORDS[self.pattern].format(**forms)


_WORDS = {
    Pattern.SAME_ACTION: "the same action {times} in a row, with the same outcome",
    Pattern.ALTERNATION: "the same few actions in turn, {rounds} of them, with the same outcomes",
    Pattern.POLLING: "the same question {times} in a row, and it is still not ready",
    Pattern.RETRY: "the same action failed {times} in a row, for a reason that has not passed",
    Pattern.SAME_THOUGHT: "the same thought {times} in a row, nearly word for word",
    Pattern.SAME_MISTAKE: "the same mistake {times} in a row in how actions are written",
    Pattern.SAME_ERROR: "the same error {times} in a row, from different actions",
    Pattern.NO_CHANGE: "{actions} in a row that changed nothing",
}


class PatternWatch:
    """Follows one session, fingerprint by fingerprint."""

    def __init__(self, limits: RepetitionLimits = STANDARD_REPETITION) -> None:
        self._limits = limits
        self.forget()

    def forget(self) -> None:
        """Start over, because the user requested something else, or the same on purpose."""
        self._recent: deque[ActionFingerprint] = deque(maxlen=_LONGEST_CYCLE)
        self._streaks = dict.fromkeys(Pattern, 1)
        self._matches = dict.fromkeys(range(2, _LONGEST_CYCLE + 1), 0)
        self._is_waiting = False
        self._circle = 0

    def see(self, done: ActionFingerprint) -> tuple[Repetition, ...]:
        """Add a fingerprint; return the current repetitions: stops first, then in the order of ``Pattern``."""
        if self._limits.spares(done.name):
            self.forget()
            return ()
        last = self._recent[-1] if self._recent else None
        for pattern in _STREAKS:
            goes_on = last is not None and self._goes_on(pattern, last, done)
            self._streaks[pattern] = self._streaks[pattern] + 1 if goes_on else 1
        rounds, length = self._rounds(done)
        others = list(self._recent)[1 - length :] if length else []
        self._is_waiting = any(each.is_waiting for each in (done, *others))
        self._streaks[Pattern.ALTERNATION] = rounds
        self._circle = self._matches[length] + length if length else 0
        self._recent.append(done)
        return tuple(sorted(self._found(done.name), key=lambda found: not found.is_stop))

    def expect(self, call: CallForm) -> tuple[ActionFingerprint, tuple[Repetition, ...]] | None:
        """Return the repetitions if a call had the same result as before; None if the call is new."""
        expected = None
        for before in reversed(list(self._recent)):
            if not self._is_same_call(before.call, call):
                continue
            done = replace(before, call=call)
            found = tuple(replace(each, is_proposed=True) for each in self._preview(done))
            if any(each.is_stop for each in found):
                return done, found
            expected = expected or (done, found)
        return expected

    def _preview(self, done: ActionFingerprint) -> tuple[Repetition, ...]:
        """Return the repetitions after a fingerprint, without adding it."""
        kept = self._recent.copy(), self._streaks.copy(), self._matches.copy()
        found = self.see(done)
        self._recent, self._streaks, self._matches = kept
        return found

    def _goes_on(self, pattern: Pattern, last: ActionFingerprint, done: ActionFingerprint) -> bool:
        match pattern:
            case Pattern.SAME_THOUGHT:
                return self._is_same_thought(last, done)
            case Pattern.SAME_MISTAKE:
                return done.is_refused and (last.name, last.error) == (done.name, done.error)
            case Pattern.SAME_ERROR:
                return bool(done.error) and done.error == last.error and not done.is_limited
            case Pattern.NO_CHANGE:
                return all(
                    each.is_unchanged and not self._limits.is_thought(each.name) for each in (last, done)
                )
        return _is_same(last, done)

    def _is_same_thought(self, one: ActionFingerprint, other: ActionFingerprint) -> bool:
        if one.name != other.name or not (other.is_unread or self._limits.is_thought(other.name)):
            return False
        return self._is_near(one.call.words, other.call.words) or self._is_near(one.thought, other.thought)

    def _is_same_call(self, one: CallForm, other: CallForm) -> bool:
        if one.name != other.name:
            return False
        if one.exact == other.exact or one.loose == other.loose:
            return True
        return self._limits.is_thought(one.name) and self._is_near(one.words, other.words)

    def _is_near(self, one: str, other: str) -> bool:
        if one == other:
            return bool(one)
        # Steps three and four may have the same words except for the number.
        if min(len(one), len(other)) < _TELLING or _digits(one) != _digits(other):
            return False
        least = self._limits.similarity * 100
        return ratio(one, other, score_cutoff=least) >= least

    def _rounds(self, done: ActionFingerprint) -> tuple[int, int]:
        """Return the number of rounds in the last fingerprints and the length of their cycle; (1, 0) without a cycle."""
        most, of = 1, 0
        for length, matched in self._matches.items():
            goes_on = len(self._recent) >= length and self._is_alike(self._recent[-length], done)
            self._matches[length] = matched + 1 if goes_on else 0
            # A cycle of one action only is not a cycle, but the same action again.
            is_circle = max(self._streaks[Pattern.SAME_ACTION], self._streaks[Pattern.SAME_THOUGHT]) < length
            if is_circle and self._matches[length] >= length and self._matches[length] // length + 1 > most:
                most, of = self._matches[length] // length + 1, length
        return most, of

    def _is_alike(self, one: ActionFingerprint, other: ActionFingerprint) -> bool:
        return _is_same(one, other) or self._is_same_thought(one, other)

    def _found(self, name: str) -> Iterator[Repetition]:
        same = self._streaks[Pattern.SAME_ACTION]
        for pattern, count in self._streaks.items():
            if pattern in _WIDER and count <= same:
                continue  # only the same action, which has its own pattern
            named = self._named(pattern)
            threshold = self._limits.of(named)
            if threshold is not None and count >= threshold.nudge:
                is_stop = threshold.stop is not None and count >= threshold.stop
                length = self._circle if pattern is Pattern.ALTERNATION else count
                yield Repetition(named, count, name, is_stop, length=length)

    def _named(self, pattern: Pattern) -> Pattern:
        """Return the final pattern of a repetition, given the results of its last fingerprints."""
        if pattern not in {Pattern.SAME_ACTION, Pattern.ALTERNATION}:
            return pattern
        if self._is_waiting:
            return Pattern.POLLING
        return Pattern.RETRY if pattern is Pattern.SAME_ACTION and self._recent[-1].is_passing else pattern


_WIDER = frozenset({Pattern.SAME_THOUGHT, Pattern.SAME_MISTAKE, Pattern.SAME_ERROR, Pattern.NO_CHANGE})
_STREAKS = tuple(each for each in Pattern if each in {Pattern.SAME_ACTION, *_WIDER})


def _is_same(one: ActionFingerprint, other: ActionFingerprint) -> bool:
    """Return whether two fingerprints have the same call and result."""
    if one.name != other.name:
        return False
    is_call = one.call.exact == other.call.exact or (one.error and one.call.loose == other.call.loose)
    return bool(is_call) and one.outcome == other.outcome


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


class RepetitionGuard:
    """Follows the turns of one session."""

    def __init__(self, limits: RepetitionLimits) -> None:
        self._limits = limits
        self._watch = PatternWatch(limits)
        self._last: tuple[Repetition, ...] = ()
        self._told: frozenset[Pattern] = frozenset()
        self._in_turn: Repetition | None = None
        self._went_on = False

    def begin_turn(self, *, is_new_request: bool) -> None:
        """Begin a turn; after a user's new request the same may be asked for again."""
        self._in_turn = None
        self._went_on = False
        if is_new_request:
            self._watch.forget()
            self._last = ()
        # The repetitions after the last fingerprint are those the model was told of and those that can continue now.
        self._told = _patterns(self._last)

    def refuse(self, call: CallForm) -> str:
        """Return why a call is withheld right before it would run, as a sentence; empty if it may run."""
        if self._limits.ends_turn and (why := self._stopped):
            return why
        expected = self._watch.expect(call)
        if expected is None or not any(map(self._is_stop, expected[1])):
            return ""
        # Later calls of a cycle are compared with it as if it had run.
        self.note([expected[0]], is_proposed=True)
        return self._stopped

    def note(self, fingerprints: Iterable[ActionFingerprint], *, is_proposed: bool = False) -> None:
        """Add the next fingerprints in order, of actions that were executed or only proposed."""
        for done in fingerprints:
            self._last = tuple(replace(each, is_proposed=is_proposed) for each in self._watch.see(done))
            # A nudge about one streak doesn't count for the next one.
            self._told &= _patterns(self._last)
            stops = [each for each in self._last if self._is_stop(each)]
            self._went_on = not stops
            for found in self._last:
                self._keep(found)

    @property
    def found(self) -> Repetition | None:
        """The repetition in this turn; None if there is none."""
        return self._in_turn

    @property
    def told(self) -> str:
        """The feedback about it for the model, one or two sentences; empty if there is none."""
        found = self._in_turn
        if found is None or found.is_stop:
            return self._stopped
        return f"You are repeating yourself: {found.described}. Do something else, or say what is in the way."

    def spent(self) -> str:
        """Return why the session should not continue without a user, as a sentence; empty if another action ran since."""
        return "" if self._went_on else self._stopped

    @property
    def _stopped(self) -> str:
        found = self._in_turn
        return f"Stopped due to repetition: {found.described}." if found and found.is_stop else ""

    def _is_stop(self, found: Repetition) -> bool:
        return found.is_stop and (found.pattern in self._told or not self._limits.needs_nudge)

    def _keep(self, found: Repetition) -> None:
        """Keep the first stop, or otherwise the last state of the first pattern found in this turn."""
        if self._in_turn and self._in_turn.is_stop:
            return
        is_stop = self._is_stop(found)
        if is_stop or self._in_turn is None or found.pattern is self._in_turn.pattern:
            self._in_turn = replace(found, is_stop=is_stop)


def _patterns(found: Iterable[Repetition]) -> frozenset[Pattern]:
    return frozenset(each.pattern for each in found)
