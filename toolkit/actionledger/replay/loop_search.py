"""Search recorded turns for loops with the guard of live sessions."""

import json
from collections.abc import Collection, Iterator
from itertools import groupby

from actionledger.core.values import Observation
from actionledger.core.vocabulary import Reason
from actionledger.ledger import Ledger
from actionledger.ledger.queries.courses import TriedAction, TurnCourse, courses
from actionledger.ledger.queries.filters import Filter
from actionledger.replay.loop import Loop, takes_references
from actionledger.runtime.repetition.fingerprints import (
    ActionFingerprint,
    refused_fingerprint,
    tried_fingerprint,
    unread_fingerprint,
)
from actionledger.runtime.repetition.forms import call_form
from actionledger.runtime.repetition.guard import Repetition, RepetitionGuard
from actionledger.runtime.repetition.limits import Pattern, RepetitionLimits


def search(
    ledger: Ledger, sessions: Collection[str], within: Filter, limits: RepetitionLimits
) -> dict[str, list[Loop]]:
    """Return the loops of each given session, in the order of turns."""
    found: dict[str, list[Loop]] = {session_id: [] for session_id in sessions}
    for session_id, turns in groupby(courses(ledger, sessions, within), key=lambda turn: turn.session_id):
        watched = _Session(limits)
        for turn in turns:
            watched.take(turn)
        found[session_id] = list(watched.loops)
    return found


class _Session:
    """Passes one session's turns through the guard."""

    def __init__(self, limits: RepetitionLimits) -> None:
        self._guard = RepetitionGuard(limits)
        self._turns: list[int] = []
        self._last: Repetition | None = None
        self._loops: dict[tuple[Pattern, int], Loop] = {}

    @property
    def loops(self) -> Iterator[Loop]:
        """The loops so far, in order of discovery."""
        yield from self._loops.values()

    def take(self, turn: TurnCourse) -> None:
        """Check the next turn."""
        references = takes_references(turn.profile)
        self._guard.begin_turn(is_new_request=turn.is_new_request)
        for refused in _refused(turn):
            self._guard.note([refused])
            self._look(turn)
        for tried in turn.tried:
            if tried.reason is Reason.REPETITION:
                self._guard.refuse(call_form(tried.name, tried.arguments, references=references))
            elif done := _tried(tried, references):
                self._guard.note([done])
            else:
                continue
            self._look(turn)

    def _look(self, turn: TurnCourse) -> None:
        """Keep the finding at the last fingerprint; a loop with the same start is extended."""
        self._turns.append(turn.turn_index)
        found, self._last, last = self._guard.found, self._guard.found, self._last
        if found is None or found is last:
            return
        start = max(0, len(self._turns) - found.length)
        was_stop = (before := self._loops.get((found.pattern, start))) is not None and before.is_stop
        self._loops[found.pattern, start] = Loop(
            session_id=turn.session_id,
            first_turn=self._turns[start],
            last_turn=turn.turn_index,
            pattern=found.pattern,
            count=found.count,
            name=found.name,
            is_stop=found.is_stop or was_stop,
        )


def _refused(turn: TurnCourse) -> Iterator[ActionFingerprint]:
    if turn.unread is not None:
        yield unread_fingerprint(turn.unread, turn.issue)
    for action in turn.refused:
        yield refused_fingerprint(action.name, action.arguments, action.reason, action.errors)


def _tried(tried: TriedAction, references: bool) -> ActionFingerprint | None:
    observation = Observation(
        execution_id=tried.execution_id,
        action_index=tried.action_index,
        name=tried.name,
        status=tried.status,
        reason=tried.reason,
        result=json.loads(tried.result),
        message=tried.message,
    )
    return tried_fingerprint(tried.arguments, observation, references=references)
