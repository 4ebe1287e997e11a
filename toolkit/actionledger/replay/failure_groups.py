"""Groups of failures: what those of a group have in common, and the report of them, the costliest first."""

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
"""What the signature of a group of loops begins with."""


class FailureKey(NamedTuple):
    """The properties that the failures of a group have in common.

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
        return self.origin is None and self.signature.startswith(LOOP)


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


def key_of(failure: FailureAt | FailureKind) -> FailureKey:
    """Return the key of the group that a failure belongs to."""
    return FailureKey(failure.stage, failure.code, failure.action, failure.origin, signature(failure.matter))


def group_of(key: FailureKey, sums: FailureSums, sessions: int) -> FailureGroup:
    """Return the group of some failures."""
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
        groups: by the turns that they made sessions spend, then by sessions lost, by how often, and by their keys. A turn that
            several groups made necessary is one of each.
        spent: what all of them made sessions spend together, each turn once; without loops.
        turns: how many responses meant to act.
        sessions: in how many sessions.
        periods: the same by day or week, in order.
        unit: how long a period is.
        price_sources: the prices that costs were computed by where no recording says them, with their days.
        answered: how many commands ended with an exit status of 1 that is an answer (``no_result``): in no group.
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
    price_sources: tuple[str, ...] = ()
    answered: int = 0

    def _columns(self) -> Columns:
        """A row for each group, with the turn of its first example; what was not recorded of any of its turns is None."""
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
