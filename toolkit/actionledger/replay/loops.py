"""Recorded sessions looked through for loops, as the guard looks at live ones; what was not carried out can't be looked through."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from itertools import chain, groupby

from actionledger.core.errors import require_kind
from actionledger.core.rates import Rate
from actionledger.core.text import counted
from actionledger.core.values import Observation
from actionledger.core.vocabulary import Reason
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import refuse_no_ledger
from actionledger.ledger.queries.courses import TriedAction, TurnCourse, courses
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.runtime.repetition.fingerprints import (
    ActionFingerprint,
    refused_fingerprint,
    tried_fingerprint,
    unread_fingerprint,
)
from actionledger.runtime.repetition.forms import call_form
from actionledger.runtime.repetition.guard import Repetition, RepetitionGuard
from actionledger.runtime.repetition.limits import STANDARD_REPETITION, Pattern, RepetitionLimits


@dataclass(frozen=True, slots=True)
class Loop:
    r"""A recorded session goes in circles.

    Args:
        session_id: the session.
        first_turn, last_turn: from which of its turns to which, from 0.
        pattern: how.
        count: how often in the end; for an alternation, how many rounds.
        name: the last action's name; empty where none could be read.
        is_stop: whether it goes so far that a live session is stopped, and not only told.

    Example:
        >>> text = al.render([("list_tasks", {})], "actions")
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turns = [runtime.handle(text) for _ in range(4)]
        ...     [loop] = al.loops(ledger).loops
        >>> str(loop.pattern), loop.count, loop.name, loop.first_turn, loop.last_turn
        ('same_action', 4, 'list_tasks', 0, 3)
    """

    session_id: str
    first_turn: int
    last_turn: int
    pattern: Pattern
    count: int
    name: str
    is_stop: bool


@dataclass(frozen=True, slots=True)
class LoopReport:
    r"""Which recorded sessions go in circles.

    Args:
        loops: each of them, session by session, in the order of turns; those that are only told of as well.
        sessions: how many sessions could be looked through.
        not_recorded: how many could not, since what came of at least one of their turns is not recorded.

    Example:
        >>> text = al.render([("list_tasks", {})], "actions")
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turns = [runtime.handle(text) for _ in range(4)]
        ...     report = al.loops(ledger)
        >>> report.sessions, report.not_recorded, report.rate.successes
        (1, 0, 1)
    """

    loops: tuple[Loop, ...]
    sessions: int
    not_recorded: int

    @property
    def rate(self) -> Rate:
        """How many of the sessions that could be looked through have a loop that a live session is stopped for."""
        return Rate(len({loop.session_id for loop in self.loops if loop.is_stop}), self.sessions)

    @property
    def told(self) -> Rate:
        """How many of them have one that a live session is at least told of."""
        return Rate(len({loop.session_id for loop in self.loops}), self.sessions)

    def __repr__(self) -> str:
        return (
            f"<LoopReport {counted(len(self.loops), 'loop')} in {self.told.successes:,} of {counted(self.sessions, 'session')}; "
            f"{self.not_recorded:,} not recorded>"
        )


def loops(
    ledger: Ledger, within: Filter = EVERYTHING, limits: RepetitionLimits = STANDARD_REPETITION
) -> LoopReport:
    r"""Look through recorded sessions for loops, with the eyes of the guard of live ones.

    Args:
        ledger: where the sessions are.
        within: a filter that picks the turns to look at.
        limits: what counts as repetition.

    Returns:
        The loops, how many sessions were looked through, and how many could not be.

    Example:
        >>> text = al.render([("list_tasks", {})], "actions")
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     report = al.loops(ledger)
        >>> report.loops, report.sessions
        ((), 1)
    """
    refuse_no_ledger(ledger)
    require_kind(limits, RepetitionLimits, "What counts as repetition is said by RepetitionLimits")
    found: list[Loop] = []
    looked_through = not_recorded = 0
    for _session_id, turns in groupby(courses(ledger, within), key=lambda turn: turn.session_id):
        first = next(turns)
        if not first.is_carried_out:
            not_recorded += 1
            continue
        looked_through += 1
        watched = _Session(limits)
        for turn in chain([first], turns):
            watched.take(turn)
        found += watched.loops
    return LoopReport(tuple(found), looked_through, not_recorded)


class _Session:
    """Takes one session's turns through the guard."""

    def __init__(self, limits: RepetitionLimits) -> None:
        self._guard = RepetitionGuard(limits)
        self._turns: list[int] = []
        self._last: Repetition | None = None
        self._loops: dict[tuple[Pattern, int], Loop] = {}

    @property
    def loops(self) -> Iterator[Loop]:
        """The loops so far, in the order in which they were found."""
        yield from self._loops.values()

    def take(self, turn: TurnCourse) -> None:
        """Look at the next turn."""
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
        """Keep what was found at the last fingerprint; a loop that goes on is the one that begins at the same place."""
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


# Which profiles' actions name each other, by ``id`` and ``depends_on``: said without a profile, which takes a second to load.
_REGISTRY = "actionledger.runtime.execution.registry"
_OF_TOOLKIT = {
    "assistant": True,
    "assistant-iterative": True,
    "coder": True,
    "mint": False,
    "orchestrator": False,
    "reasoner": True,
}
"""The profiles that come with the toolkit; none of another package or process can have their names."""


def takes_references(profile: str) -> bool:
    """Return whether ``id`` and ``depends_on`` of a profile's actions name actions of the same response.

    Args:
        profile: its name; one that nobody knows has no such actions.
    """
    if profile in _OF_TOOLKIT or not profile:
        return _OF_TOOLKIT.get(profile, False)
    if _REGISTRY not in sys.modules and profile not in _offered():
        return False  # nothing was registered, and nobody offers it
    from actionledger.runtime.execution.registry import PROFILES  # noqa: PLC0415 - all formats

    known = PROFILES.get(profile)
    return known is not None and known.catalogue.references


@cache
def _offered() -> frozenset[str]:
    """Return the names of the profiles that other packages offer."""
    return frozenset(each.name for each in entry_points(group="actionledger.profiles"))
