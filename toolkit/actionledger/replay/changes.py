"""Where parse success changed over time, and what was new then."""

from dataclasses import dataclass
from datetime import datetime

from actionledger.core.rates import Rate
from actionledger.ledger.queries.base import Queryable, refuse_no_ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.trend import Arrival, Unit, arrivals, spanning_sessions, success_over_time
from actionledger.replay.statistics import change_points


@dataclass(frozen=True, slots=True)
class Change:
    r"""A day or week from which on parse success is another one.

    Args:
        start: when it begins, UTC without a zone.
        before: parse success since the change before, up to this one.
        after: parse success from here on, up to the next one.
        difference: the 95 % interval of the step, -1 to 1; too narrow by the choice of the largest step.
        p_value: how likely chance alone makes so large a step anywhere in this stretch.
        new: what no response before had, from the period's beginning on up to its end.

    Example:
        >>> from datetime import datetime
        >>> day = lambda number: datetime(2026, 3, number)
        >>> good, bad = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```', '```actions\n{"actions"\n```'
        >>> sessions = [
        ...     al.RecordedSession(
        ...         f"{number}.{nth}", "assistant", model, "", (al.RecordedTurn(0, text, occurred_at=day(number)),)
        ...     )
        ...     for number, model, text in ((1, "old", good), (2, "old", good), (3, "new", bad), (4, "new", bad))
        ...     for nth in range(20)
        ... ]
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     imported = al.import_sessions(ledger, sessions)
        ...     [change] = al.changes(ledger)
        >>> change.start.day, str(change.before), [(each.what, each.label) for each in change.new]
        (3, '100.0% [91.2%, 100.0%] (40/40 in 40 sessions)', [('model', 'new')])
    """

    start: datetime
    before: Rate
    after: Rate
    difference: tuple[float, float] | None
    p_value: float
    new: tuple[Arrival, ...]


def changes(ledger: Queryable, within: Filter = EVERYTHING, unit: Unit = "day") -> tuple[Change, ...]:
    """Return where parse success changed over time by more than chance, and what was new then.

    What was new then need not be the cause: it is what else changed in that period.

    Args:
        ledger: what to ask.
        within: which responses; those without a time are left out.
        unit: how long a period is, ``day`` or ``week``.

    Returns:
        The changes, in order; see docs/statistics.md for how they are found.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     al.changes(ledger)
        ()
    """
    refuse_no_ledger(ledger)
    periods = success_over_time(ledger, within, unit).periods
    starts = [period.start for period in periods]
    spanning = spanning_sessions(ledger, starts, within, unit) if len(starts) > 1 else []
    points = change_points([period.success for period in periods], spanning=spanning)
    new = arrivals(ledger, within) if points else []
    return tuple(
        Change(
            start=(at := periods[point.index]).start,
            before=point.before,
            after=point.after,
            difference=point.difference,
            p_value=point.p_value,
            new=tuple(each for each in new if at.start <= each.first_at < at.end),
        )
        for point in points
    )
