"""A group of failures: what they have in common, and what is told of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from actionledger.core.rates import Rate
from actionledger.core.values import Span
from actionledger.core.vocabulary import Origin, Reason
from actionledger.ledger.queries.base import Stage
from actionledger.ledger.queries.failure_sums import FailureKind, FailureSums
from actionledger.ledger.queries.failures import FailureAt, Spent
from actionledger.ledger.signatures import signature

LOOP = "loop: "
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
