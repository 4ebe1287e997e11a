"""Groups of similar failures, and the report that ranks them by cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from actionledger.core.frames import Columns, Framed, Kind
from actionledger.core.hooks import Shown
from actionledger.core.rates import Rate
from actionledger.core.values import Span
from actionledger.core.vocabulary import Origin, Reason
from actionledger.ledger.queries.base import Stage
from actionledger.ledger.queries.failure_sums import FailureKind, FailureSums, signature
from actionledger.ledger.queries.failures import FailureAt, MeantIn, Spent
from actionledger.ledger.queries.trend import Unit
from actionledger.replay.loops import LoopReport

LOOP = "loop: "
"""Prefix of a loop group's signature."""


class FailureKey(NamedTuple):
    """The properties shared by a group's failures.

    Args:
        stage: the stage that failed.
        code: the failure's code.
        action: the action's name as the model wrote it; empty if parsing failed.
        origin: who executed the action; None if parsing or checking failed.
        signature: their common message without its variable parts; for a loop, its pattern.
    """

    stage: Stage
    code: Reason
    action: str
    origin: Origin | None
    signature: str

    @property
    def is_loop(self) -> bool:
        """Whether the group is of loops rather than failures."""
        return self.origin is None and self.signature.startswith(LOOP)


class FailureExample(NamedTuple):
    """One failure of a group, as an example.

    Args:
        session_id, turn_index: the turn.
        attempt_id: the parse attempt; empty for a loop, which has several.
        span: the span of text that it concerns; None without one.
        detail: details for display; may contain model text.
    """

    session_id: str
    turn_index: int
    attempt_id: str
    span: Span | None
    detail: str


@dataclass(frozen=True, slots=True)
class InPeriod:
    """A group's counts in a day or week.

    Args:
        count: number of failures.
        turns: number of turns with one.
        sessions: number of sessions with one.
    """

    count: int
    turns: int
    sessions: int


@dataclass(frozen=True, slots=True)
class FailureGroup:
    r"""A group of failures that differ only in numbers, names, paths, quoted values and times.

    Args:
        key: their shared properties.
        count: number of parse attempts, field errors, executions or loops.
        turns: number of turns; for loops, of the turns in them.
        sessions: sessions with it, among those that meant to act; for loops, among those that could be searched.
        lost: number of sessions in which no action succeeded after it.
        spent: the cost to sessions: its turns and the following ones until an action succeeded, each turn once.
        first, last: times of the first and last failure, UTC without a zone; None if no time is recorded.
        examples: its first failures, at most one per session.
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


def key_of(failure: FailureAt | FailureKind) -> FailureKey:
    """Return the key of the group that a failure belongs to."""
    return FailureKey(failure.stage, failure.code, failure.action, failure.origin, signature(failure.matter))


def group_of(key: FailureKey, sums: FailureSums, sessions: int) -> FailureGroup:
    return FailureGroup(
        key=key,
        count=sums.count,
        turns=sums.turns,
        sessions=Rate(sums.sessions, sessions),
        lost=sums.lost,
        spent=sums.spent,
        first=sums.first,
        last=sums.last,
        examples=tuple(FailureExample(*each) for each in sums.examples),
        periods={each.start: InPeriod(each.count, each.turns, each.sessions) for each in sums.periods},
    )


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
    "cost_recorded_turns": int,
    "cost_by_prices_turns": int,
    "spent_usd_by_prices": float,
    "price_sources": str,
    "first": datetime,
    "last": datetime,
    "session_id": str,
    "turn_index": int,
}


@dataclass(frozen=True, slots=True, repr=False)
class FailureReport(Framed, Shown):
    r"""Groups of failures, the costliest first.

    Args:
        groups: the groups, ordered by the turns that they cost, lost sessions, count and key. A turn that several groups cost counts in each.
        spent: the total cost of all groups without loops, each turn once.
        turns: number of responses that meant to act.
        sessions: number of their sessions.
        periods: the same by day or week, in order.
        unit: length of a period.
        price_sources: the price lists, with their dates, used for costs that are not recorded.
        answered: number of commands with an exit status of 1 that is an answer (``no_result``); they are in no group.
        loops: the sessions' loops, and how many sessions could be searched.

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
    price_sources: tuple[str, ...] = ()
    answered: int = 0

    def _columns(self) -> Columns:
        """One row per group, with the turn of its first example; values recorded for none of its turns are None."""
        return Columns(_COLUMNS, [_row(group, self.price_sources) for group in self.groups])


def _row(group: FailureGroup, price_sources: Sequence[str]) -> tuple[object, ...]:
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
        spent.priced - spent.by_prices,
        spent.by_prices,
        spent.by_prices_usd if spent.by_prices else None,
        ", ".join(price_sources) if spent.by_prices else None,
        group.first,
        group.last,
        example.session_id,
        example.turn_index,
    )
