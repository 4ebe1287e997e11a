"""How long executions took, and how many were ended for their time: ours, and those of other runtimes."""

from dataclasses import dataclass

from actionledger.core.rates import Rate
from actionledger.core.vocabulary import ExecutionStatus, Origin
from actionledger.ledger.queries.base import ATTEMPTED, TOOK, Queryable, rate_sql, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.scopes import scope


@dataclass(frozen=True, slots=True)
class Pace:
    """How long the executions of one side took that were attempted.

    Args:
        origin: whose they are.
        timeouts: those that were ended for their time, of all that were attempted.
        timed: of how many it is known how long they took.
        median_ms: the median of those, in milliseconds; None where there is none.
        p95_ms: how long all but the slowest twentieth of them took at most, likewise.
    """

    origin: Origin
    timeouts: Rate
    timed: int
    median_ms: float | None
    p95_ms: float | None


_PACE = f"""
WITH tried AS (
    SELECT origin, session_id, status = '{ExecutionStatus.TIMED_OUT}' AS is_late, {TOOK} AS took
    FROM executions WHERE {{condition}} AND list_contains($attempted, status)),
by_session AS (
    SELECT origin, count(*) AS tried, count(*) FILTER (is_late) AS late FROM tried GROUP BY origin, session_id),
late AS (SELECT origin, {{timeouts}} AS timeouts FROM by_session GROUP BY origin),
times AS (
    SELECT origin, count(took) AS timed, median(took) AS median_ms, quantile_cont(took, 0.95) AS p95_ms
    FROM tried GROUP BY origin)
SELECT origin, timeouts, timed, median_ms, p95_ms FROM late JOIN times USING (origin) ORDER BY origin DESC"""


def pace(ledger: Queryable, within: Filter = EVERYTHING) -> list[Pace]:
    """Return how long the executions in the responses that a filter picks took, by whose they are."""
    condition, parameters = scope(rated(within), "executions")
    statement = _PACE.format(condition=condition, timeouts=rate_sql("late", "tried"))
    return rows(ledger, Pace, statement, parameters | {"attempted": ATTEMPTED})
