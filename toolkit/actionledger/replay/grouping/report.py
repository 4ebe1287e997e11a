"""What fails, in groups, the costliest first, as a table or to look at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from actionledger.core.frames import Columns, Framed, Kind
from actionledger.core.hooks import Shown
from actionledger.ledger.queries.failures import MeantIn, Spent
from actionledger.ledger.queries.trend import Unit
from actionledger.replay.grouping.groups import FailureGroup
from actionledger.replay.loops import LoopReport

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
    r"""What fails, in groups, the costliest first.

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
