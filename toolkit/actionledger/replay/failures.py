"""Group failures and loops, with the cost that they caused until an action succeeded."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from actionledger.core.rates import Rate
from actionledger.core.vocabulary import Reason
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import refuse_no_ledger
from actionledger.ledger.queries.failure_sums import failure_sums
from actionledger.ledger.queries.failures import Spent, Stretch, failures_at, intended_by_period, stretches
from actionledger.ledger.queries.filters import EVERYTHING, Filter, refuse_no_filter
from actionledger.ledger.queries.reasons import answered
from actionledger.ledger.queries.trend import Unit, refuse_no_period
from actionledger.ledger.queries.usage import price_sources
from actionledger.replay.failure_groups import (
    LOOP,
    FailureExample,
    FailureGroup,
    FailureKey,
    FailureReport,
    InPeriod,
    group_of,
    key_of,
)
from actionledger.replay.loop import Loop
from actionledger.replay.loops import LoopReport, loops

EXAMPLES = 5
"""Maximum number of examples kept per group."""


@dataclass(slots=True)
class LoopGroup:
    """The loops of a group, while they are gathered."""

    count: int = 0
    turns: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    spent: Spent = field(default_factory=Spent)
    times: list[datetime] = field(default_factory=list)
    examples: dict[str, FailureExample] = field(default_factory=dict)
    periods: dict[datetime, "LoopGroup"] = field(default_factory=dict)

    def take_loops(self, session_id: str, place: tuple[int, int], count: int, took: Stretch) -> None:
        """Add loops over the same turns of a session."""
        turns = [f"{session_id} {index}" for index in range(place[0], place[1] + 1)]
        self._note(session_id, turns, took.occurred_at, count)
        self.spent += took.spent
        if took.next_index is None:
            self.lost.add(session_id)
        if took.period is not None:
            self.periods.setdefault(took.period, LoopGroup())._note(session_id, turns, None, count)  # noqa: SLF001
        if len(self.examples) < EXAMPLES and session_id not in self.examples:
            self.examples[session_id] = FailureExample(session_id, place[0], "", None, turns_in_words(*place))

    def _note(
        self, session_id: str, turns: Iterable[str], occurred_at: datetime | None, count: int = 1
    ) -> None:
        self.count += count
        self.turns.update(turns)
        self.sessions.add(session_id)
        if occurred_at is not None:
            self.times = [min([occurred_at, *self.times]), max([occurred_at, *self.times])]

    def group(self, key: FailureKey, sessions: int) -> FailureGroup:
        """Return the group, for this number of sessions."""
        return FailureGroup(
            key=key,
            count=self.count,
            turns=len(self.turns),
            sessions=Rate(len(self.sessions), sessions),
            lost=len(self.lost),
            spent=self.spent,
            first=self.times[0] if self.times else None,
            last=self.times[-1] if self.times else None,
            examples=tuple(self.examples.values()),
            periods={
                period: InPeriod(part.count, len(part.turns), len(part.sessions))
                for period, part in sorted(self.periods.items())
            },
        )


def turns_in_words(first: int, last: int) -> str:
    """Return a loop's turns in words, as an example's detail."""
    return f"turns {first} to {last}"


def loop_groups(ledger: Ledger, report: LoopReport, within: Filter, unit: Unit) -> Iterator[FailureGroup]:
    """Yield a group for each combination of loop pattern and action."""
    by_place = [(each, together) for each in _together(report.loops) for together in each.places]
    took = stretches(ledger, [(each.session_id, *place) for each, place in by_place], within, unit)
    gathered: dict[FailureKey, LoopGroup] = defaultdict(LoopGroup)
    for (each, place), stretch in zip(by_place, took, strict=True):
        gathered[each.key].take_loops(each.session_id, place, each.counts[place], stretch)
    for key, group in gathered.items():
        yield group.group(key, report.sessions)


class _Circles(NamedTuple):
    """The loops of one kind in one session; overlapping ones are merged into one stretch of turns."""

    key: FailureKey
    session_id: str
    counts: dict[tuple[int, int], int]

    @property
    def places(self) -> list[tuple[int, int]]:
        """The stretches, in order."""
        return sorted(self.counts)


def _together(found: Iterable[Loop]) -> Iterator[_Circles]:
    alike: dict[tuple[FailureKey, str], list[Loop]] = defaultdict(list)
    for loop in found:
        alike[key_of_loop(loop), loop.session_id].append(loop)
    for (key, session_id), of_kind in alike.items():
        counts: dict[tuple[int, int], int] = {}
        first = last = -1
        for loop in sorted(of_kind, key=lambda loop: loop.first_turn):
            before = counts.pop((first, last), 0) if loop.first_turn <= last else 0
            first = first if before else loop.first_turn
            last = max(last, loop.last_turn)
            counts[first, last] = before + 1
        yield _Circles(key, session_id, counts)


def key_of_loop(loop: Loop) -> FailureKey:
    """Return the key of the group that a loop belongs to."""
    return FailureKey("acting", Reason.REPETITION, loop.name, None, f"{LOOP}{loop.pattern}")


def turns_of_loops(found: Iterable[Loop]) -> tuple[FailureExample, ...]:
    """Return the turns that are part of loops, each once."""
    turns = {
        (loop.session_id, index): turns_in_words(loop.first_turn, loop.last_turn)
        for loop in found
        for index in range(loop.first_turn, loop.last_turn + 1)
    }
    return tuple(
        FailureExample(session_id, index, "", None, words)
        for (session_id, index), words in sorted(turns.items())
    )


def failures(
    ledger: Ledger,
    within: Filter = EVERYTHING,
    *,
    unit: Unit = "week",
    with_loops: bool = True,
    keep: bool | None = None,
) -> FailureReport:
    r"""Group the failures in filtered responses: of parsing, checking and execution, and loops.

    Args:
        ledger: the ledger with the responses.
        within: filter for the responses.
        unit: length of a period: ``day`` or ``week``.
        with_loops: whether to search sessions for loops, the slowest step if much was executed.
        keep: whether to cache the loops; see ``loops``.

    Returns:
        The groups, those that cost the most turns first. A session's cost is counted until an action succeeded, or to its end.

    Raises:
        UsageError: ``ledger`` is not an open ledger, ``within`` is not a filter, or ``unit`` is neither ``day`` nor ``week``.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "get_task", "task_id": 7}]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle(text)
        ...     report = al.failures(ledger)
        >>> [(group.key.stage, str(group.key.code), group.count) for group in report.groups]
        [('acting', 'not_found', 1)]
    """
    refuse_no_ledger(ledger)
    refuse_no_filter(within)
    refuse_no_period(unit)
    whole, *by_period = intended_by_period(ledger, within, unit)
    sums, spent = failure_sums(ledger, key_of, within, unit, examples=EXAMPLES)
    found = loops(ledger, within, keep=keep) if with_loops else LoopReport((), 0, 0)
    groups = [
        *(group_of(key, each, whole.sessions) for key, each in sums.items()),
        *loop_groups(ledger, found, within, unit),
    ]
    return FailureReport(
        groups=tuple(sorted(groups, key=_costliest)),
        spent=spent,
        turns=whole.turns,
        sessions=whole.sessions,
        periods={each.period: each for each in by_period if each.period is not None},
        unit=unit,
        loops=found,
        price_sources=price_sources(ledger) if any(group.spent.by_prices for group in groups) else (),
        answered=answered(ledger, within),
    )


def group_turns(ledger: Ledger, key: FailureKey, within: Filter = EVERYTHING) -> tuple[FailureExample, ...]:
    """Return every turn of a group with its first failure; for loops, all their turns."""
    if key.is_loop:
        return turns_of_loops(loop for loop in loops(ledger, within).loops if key_of_loop(loop) == key)
    found: dict[str, FailureExample] = {}
    for each in failures_at(ledger, within):
        if each.turn_id not in found and key_of(each) == key:
            found[each.turn_id] = FailureExample(
                each.session_id, each.turn_index, each.attempt_id, each.span, each.detail
            )
    return tuple(found.values())


def _costliest(group: FailureGroup) -> tuple[object, ...]:
    return (-group.spent.turns, -group.lost, -group.count, tuple(map(str, group.key)))
