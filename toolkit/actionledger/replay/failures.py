"""Groups of failures: what goes wrong in the same way, with what it made the sessions spend until an action got through."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, get_args

from actionledger.errors import UsageError
from actionledger.frames import Columns, Framed, Kind
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import Stage, refuse_no_ledger
from actionledger.ledger.queries.failures import (
    FailureAt,
    MeantIn,
    Spent,
    Stretch,
    failures_at,
    meant_in,
    stretches,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.trend import Unit
from actionledger.ledger.signatures import signature
from actionledger.rates import Rate
from actionledger.replay.loops import Loop, LoopReport, loops
from actionledger.values import Span
from actionledger.vocabulary import Origin, Reason

EXAMPLES = 5
"""How many examples of a group are kept."""

_LOOP = "loop: "
"""What the signature of a group of loops begins with."""


class FailureKey(NamedTuple):
    """What the failures of a group have in common.

    Args:
        stage: where.
        code: what.
        action: the action's name as the model wrote it; empty where reading failed.
        origin: who had run the action; None where reading or checking failed.
        signature: what is left of their messages without what changes from one to the next; of a loop, its pattern.
    """

    stage: Stage
    code: Reason
    action: str
    origin: Origin | None
    signature: str

    @property
    def is_loop(self) -> bool:
        """Whether it is of sessions that go in circles, and not of something that failed."""
        return self.origin is None and self.signature.startswith(_LOOP)


class FailureExample(NamedTuple):
    """One failure of a group, to open.

    Args:
        session_id, turn_index: the turn.
        attempt_id: the reading; empty for a loop, which has several.
        span: the text that it is about; None where it is about none.
        detail: its particulars, for people; model text may be in it.
    """

    session_id: str
    turn_index: int
    attempt_id: str
    span: Span | None
    detail: str


@dataclass(frozen=True, slots=True)
class InPeriod:
    """How much of a group a day or a week has.

    Args:
        count: how often it happened.
        turns: in how many turns.
        sessions: in how many sessions.
    """

    count: int
    turns: int
    sessions: int


@dataclass(frozen=True, slots=True)
class FailureGroup:
    r"""Failures that are the same but for numbers, names, paths, quoted values and times.

    Args:
        key: what they have in common.
        count: how often: parse attempts, field errors, executions or loops.
        turns: in how many turns; of loops, the turns that they went on for.
        sessions: sessions with it, of those with a response that meant to act; of loops, of those that could be looked through.
        lost: in how many sessions no action got through after it.
        spent: what it made sessions spend: its turns and those behind, until an action got through; each turn once.
        first, last: when it was first and last seen, UTC without a zone; None where no time is recorded.
        examples: the first of them, session by session, each session once.
        periods: the same by day or week, in order; failures without a time are in none.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "get_task", "task_id": 7}]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turns = [runtime.handle(text.replace("7", number)) for number in ("7", "12")]
        ...     [group] = al.failures(ledger).groups
        >>> group.key.signature, group.count, group.turns, group.lost
        ('There is no task with the number #.', 2, 2, 1)
    """

    key: FailureKey
    count: int
    turns: int
    sessions: Rate
    lost: int
    spent: Spent
    first: datetime | None
    last: datetime | None
    examples: tuple[FailureExample, ...]
    periods: Mapping[datetime, InPeriod]


_COLUMNS: dict[str, Kind] = {
    "stage": str,
    "reason": str,
    "action": str,
    "origin": str,
    "signature": str,
    "count": int,
    "turns": int,
    "sessions": int,
    "lost": int,
    "spent_turns": int,
    "spent_tokens": int,
    "spent_seconds": float,
    "spent_usd": float,
    "first": datetime,
    "last": datetime,
    "session_id": str,
    "turn_index": int,
}


@dataclass(frozen=True, slots=True)
class FailureReport(Framed):
    r"""What fails, in groups, the dearest first.

    Args:
        groups: by the turns that they made sessions spend, then by sessions lost, by how often, and by their keys. A turn that
            several groups made necessary is one of each.
        spent: what all of them made sessions spend together, each turn once; without loops.
        turns: how many responses meant to act.
        sessions: in how many sessions.
        periods: the same by day or week, in order.
        unit: how long a period is.
        loops: which of the sessions go in circles, and how many could be looked through.

    Example:
        >>> text = '```actions\n{"actions": [{"type": "get_task", "task_id": 7}]}\n```'
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turns = [runtime.handle(text), runtime.handle(al.render([("list_tasks", {})], "actions"))]
        ...     report = al.failures(ledger)
        >>> report.spent.turns, [(str(group.key.code), group.lost) for group in report.groups]
        (1, [('not_found', 0)])
    """

    groups: tuple[FailureGroup, ...]
    spent: Spent
    turns: int
    sessions: int
    periods: Mapping[datetime, MeantIn]
    unit: Unit
    loops: LoopReport

    def _columns(self) -> Columns:
        """A row for each group, with the turn of its first example; what nobody recorded of any of its turns is None."""
        return Columns(_COLUMNS, [_row(group) for group in self.groups])

    def __repr__(self) -> str:
        from actionledger.display.failures import report_line  # noqa: PLC0415 - only where it is looked at

        return report_line(self)

    def __str__(self) -> str:
        from actionledger.display.failures import report_text  # noqa: PLC0415

        return report_text(self)

    def _repr_html_(self) -> str:
        from actionledger.display.failures import report_html  # noqa: PLC0415

        return report_html(self)


def _row(group: FailureGroup) -> tuple[object, ...]:
    key, spent, example = group.key, group.spent, group.examples[0]
    return (
        str(key.stage),
        str(key.code),
        key.action,
        None if key.origin is None else str(key.origin),
        key.signature,
        group.count,
        group.turns,
        group.sessions.successes,
        group.lost,
        spent.turns,
        spent.input_tokens + spent.output_tokens if spent.counted else None,
        spent.seconds if spent.timed else None,
        spent.cost_usd if spent.priced else None,
        group.first,
        group.last,
        example.session_id,
        example.turn_index,
    )


def failures(
    ledger: Ledger, within: Filter = EVERYTHING, *, unit: Unit = "week", with_loops: bool = True
) -> FailureReport:
    r"""Group the failures in the responses that a filter picks, over reading, checking and execution, loops among them.

    Args:
        ledger: where they are recorded.
        within: which responses.
        unit: how long a period is: ``day`` or ``week``.
        with_loops: whether sessions are looked through for loops, which takes longer than all else where much was executed.

    Returns:
        The groups, the one first that made sessions spend the most turns; what a session spent is counted until an action got
        through in it, or to its end.

    Raises:
        UsageError: ``ledger`` is no open one, ``within`` no filter, or ``unit`` neither of them.

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
    if not isinstance(within, Filter):
        raise UsageError(f"{within!r} is no filter; of an address, al.Filter.of_address makes one.")
    if unit not in get_args(Unit):
        raise UsageError(f"{unit!r} is no period; choose one of {', '.join(get_args(Unit))}.")
    whole, *by_period = meant_in(ledger, within, unit)
    gathered: dict[FailureKey, _Gathered] = defaultdict(_Gathered)
    spent = _Gathered()
    for each in failures_at(ledger, within, unit):
        gathered[key_of(each)].take(each)
        spent.pay(each.session_id, each.next_index, each.spent)
    found = loops(ledger, within) if with_loops else LoopReport((), 0, 0)
    groups = [
        *(each.group(key, whole.sessions) for key, each in gathered.items()),
        *_loop_groups(ledger, found, within, unit),
    ]
    return FailureReport(
        groups=tuple(sorted(groups, key=_dearest)),
        spent=spent.spent,
        turns=whole.turns,
        sessions=whole.sessions,
        periods={each.period: each for each in by_period if each.period is not None},
        unit=unit,
        loops=found,
    )


def group_turns(ledger: Ledger, key: FailureKey, within: Filter = EVERYTHING) -> tuple[FailureExample, ...]:
    """Return every turn of a group, each with its first failure; of loops the turns that they go on for.

    Args:
        ledger: where they are recorded.
        key: the group's.
        within: which responses.
    """
    if key.is_loop:
        return _loop_turns(loop for loop in loops(ledger, within).loops if _loop_key(loop) == key)
    found: dict[str, FailureExample] = {}
    for each in failures_at(ledger, within):
        if each.turn_id not in found and key_of(each) == key:
            found[each.turn_id] = FailureExample(
                each.session_id, each.turn_index, each.attempt_id, each.span, each.detail
            )
    return tuple(found.values())


def key_of(failure: FailureAt) -> FailureKey:
    """Return the key of the group that a failure belongs to."""
    return FailureKey(failure.stage, failure.code, failure.action, failure.origin, signature(failure.matter))


@dataclass(slots=True)
class _Gathered:
    """What is known of a group so far; failures come session by session, in the order of turns."""

    count: int = 0
    turns: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    spent: Spent = field(default_factory=Spent)
    times: list[datetime] = field(default_factory=list)
    examples: dict[str, FailureExample] = field(default_factory=dict)
    periods: dict[datetime, "_Gathered"] = field(default_factory=dict)
    _paid: tuple[str, int | None] | None = None

    def take(self, failure: FailureAt) -> None:
        """Take in the next failure."""
        self._count(failure)
        self.pay(failure.session_id, failure.next_index, failure.spent)
        if failure.period is not None:
            self._in(failure.period)._count(failure)  # noqa: SLF001 - its own kind
        if len(self.examples) < EXAMPLES and failure.session_id not in self.examples:
            self.examples[failure.session_id] = FailureExample(
                failure.session_id, failure.turn_index, failure.attempt_id, failure.span, failure.detail
            )

    def pay(self, session_id: str, next_index: int | None, spent: Spent) -> None:
        """Add what was spent; of failures that the same turn puts an end to, the first has spent what the others have."""
        if next_index is None:
            self.lost.add(session_id)
        if self._paid != (session_id, next_index) and spent.turns:
            self._paid = session_id, next_index
            self.spent += spent

    def take_loops(self, session_id: str, place: tuple[int, int], count: int, took: Stretch) -> None:
        """Take in loops that go on over the same turns of a session."""
        turns = [f"{session_id} {index}" for index in range(place[0], place[1] + 1)]
        self._note(session_id, turns, took.occurred_at, count)
        self.spent += took.spent
        if took.next_index is None:
            self.lost.add(session_id)
        if took.period is not None:
            self._in(took.period)._note(session_id, turns, None, count)  # noqa: SLF001
        if len(self.examples) < EXAMPLES and session_id not in self.examples:
            self.examples[session_id] = FailureExample(session_id, place[0], "", None, _turns(*place))

    def _count(self, failure: FailureAt) -> None:
        self._note(failure.session_id, [failure.turn_id], failure.occurred_at)

    def _note(
        self, session_id: str, turns: Iterable[str], occurred_at: datetime | None, count: int = 1
    ) -> None:
        self.count += count
        self.turns.update(turns)
        self.sessions.add(session_id)
        if occurred_at is not None:
            self.times = [min([occurred_at, *self.times]), max([occurred_at, *self.times])]

    def _in(self, period: datetime) -> "_Gathered":
        return self.periods.setdefault(period, _Gathered())

    def group(self, key: FailureKey, sessions: int) -> FailureGroup:
        """Return the group, of so many sessions."""
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


def _loop_groups(ledger: Ledger, report: LoopReport, within: Filter, unit: Unit) -> Iterator[FailureGroup]:
    """Yield a group for each pattern and action that sessions go in circles with."""
    by_place = [(each, together) for each in _together(report.loops) for together in each.places]
    took = stretches(ledger, [(each.session_id, *place) for each, place in by_place], within, unit)
    gathered: dict[FailureKey, _Gathered] = defaultdict(_Gathered)
    for (each, place), stretch in zip(by_place, took, strict=True):
        gathered[each.key].take_loops(each.session_id, place, each.counts[place], stretch)
    for key, group in gathered.items():
        yield group.group(key, report.sessions)


class _Circles(NamedTuple):
    """The loops of one kind in one session; those that overlap are one stretch of its turns.

    Args:
        key: their group's.
        session_id: the session.
        counts: how many loops each stretch has, by its first and last turn.
    """

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
        alike[_loop_key(loop), loop.session_id].append(loop)
    for (key, session_id), of_kind in alike.items():
        counts: dict[tuple[int, int], int] = {}
        first = last = -1
        for loop in sorted(of_kind, key=lambda loop: loop.first_turn):
            before = counts.pop((first, last), 0) if loop.first_turn <= last else 0
            first = first if before else loop.first_turn
            last = max(last, loop.last_turn)
            counts[first, last] = before + 1
        yield _Circles(key, session_id, counts)


def _loop_key(loop: Loop) -> FailureKey:
    return FailureKey("acting", Reason.REPETITION, loop.name, None, f"{_LOOP}{loop.pattern}")


def _loop_turns(found: Iterable[Loop]) -> tuple[FailureExample, ...]:
    turns = {
        (loop.session_id, index): _turns(loop.first_turn, loop.last_turn)
        for loop in found
        for index in range(loop.first_turn, loop.last_turn + 1)
    }
    return tuple(
        FailureExample(session_id, index, "", None, words)
        for (session_id, index), words in sorted(turns.items())
    )


def _turns(first: int, last: int) -> str:
    return f"turns {first} to {last}"


def _dearest(group: FailureGroup) -> tuple[object, ...]:
    return (-group.spent.turns, -group.lost, -group.count, tuple(map(str, group.key)))
