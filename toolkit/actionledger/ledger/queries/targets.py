"""What the assistant's plan set itself as targets, as far as records can show it."""

from dataclasses import dataclass

from actionledger.core.rates import Rate
from actionledger.ledger.queries.base import ATTEMPTED, RUN_HERE, TOOK, Queryable, as_rate, rate_sql
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.scopes import scope

CODE_ACTIONS = ("execute_code", "execute", "execute_command")
"""The actions that run code or a program; how long they take says nothing of the toolkit."""


@dataclass(frozen=True, slots=True)
class Timings:
    """How long attempted executions took, of those that were run here.

    Args:
        count: executions of actions that run no code, so far as their time is known.
        mean_ms: how long they took on average, in milliseconds; None where there is none.
        p95_ms: how long all but the slowest twentieth of them took at most, likewise.
        code_timeouts: executions of actions that run code that were ended for their time, of all of those.
        code_limits: how many of those were ended for something else that they used too much of.
    """

    count: int
    mean_ms: float | None
    p95_ms: float | None
    code_timeouts: Rate
    code_limits: int


_TIMINGS = """
WITH found AS (
    SELECT session_id, status, reason, is_code,
           {took} AS duration_ms
    FROM (SELECT *, list_contains($code, name) AS is_code FROM executions)
    WHERE {run_here} AND {condition} AND list_contains($attempted, status)),
by_session AS (
    SELECT count(*) AS code, count(*) FILTER (status = 'timed_out') AS late
    FROM found WHERE is_code GROUP BY session_id)
SELECT count(duration_ms) FILTER (NOT is_code), avg(duration_ms) FILTER (NOT is_code),
       quantile_cont(duration_ms, 0.95) FILTER (NOT is_code), (SELECT {late} FROM by_session),
       count(*) FILTER (is_code AND reason = 'code_limit')
FROM found"""


def timings(ledger: Queryable, within: Filter = EVERYTHING) -> Timings:
    """Return how long executions took, code apart.

    Args:
        ledger: what to ask.
        within: which responses' executions.
    """
    condition, parameters = scope(rated(within), "executions")
    words = {"code": list(CODE_ACTIONS), "attempted": ATTEMPTED}
    query = _TIMINGS.format(run_here=RUN_HERE, condition=condition, took=TOOK, late=rate_sql("late", "code"))
    [(count, mean, p95, late, limited)] = ledger.sql(query, parameters | words).fetchall()
    return Timings(count, mean, p95, as_rate(late), limited)
