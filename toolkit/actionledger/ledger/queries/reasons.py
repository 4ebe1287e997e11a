"""Why responses and actions fail, the most frequent first, each with an example to open."""

from dataclasses import dataclass
from typing import get_args

from actionledger.ledger.queries.base import (
    INTENT,
    NOT_DONE,
    NOT_READ,
    REFUSED,
    Queryable,
    Stage,
    clustering_sql,
    rows,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated, scope
from actionledger.rates import Rate
from actionledger.vocabulary import Origin, Reason


@dataclass(frozen=True, slots=True)
class Failure:
    """One reason of failure.

    Args:
        stage: where.
        code: what.
        action: the action's name as the model wrote it; empty where reading failed.
        count: how often: parse attempts, field errors or executions.
        turns: the turns in which it happened, of those that meant to act.
        session_id: the session of an example.
        turn_index: the example's place in it, from 0.
        detail: the example's particulars, for people; model text may be in it.
        origin: who had run the action; None where reading or checking failed.
    """

    stage: Stage
    code: Reason
    action: str
    count: int
    turns: Rate
    session_id: str
    turn_index: int
    detail: str
    origin: Origin | None = None


_FAILED = """
meant AS (
    SELECT attempt_id, session_id, turn_id, turn_index, outcome, reason FROM parse_attempts
    WHERE list_contains($intent, outcome) AND {condition}),
found AS (
    SELECT 1 AS stage, reason AS code, '' AS action, NULL AS origin, session_id, turn_id, turn_index, attempt_id, '' AS detail,
           false AS is_inferred, NULL::INTEGER AS action_index, '' AS matter
    FROM meant WHERE {not_read}
    UNION ALL
    SELECT 2, code, name, NULL, session_id, turn_id, turn_index, attempt_id,
           concat_ws(' ', nullif(path, '') || ':', 'expected ' || expected, 'got ' || nullif(value, '')), false,
           action_index, concat_ws(' ', nullif(path, '') || ':', 'expected ' || expected)
    FROM validation_errors SEMI JOIN meant USING (attempt_id) WHERE {refused}
    UNION ALL
    SELECT 3, reason, name, origin, session_id, turn_id, turn_index, attempt_id, coalesce(message, ''),
           coalesce(is_inferred, false), action_index, coalesce(message, '')
    FROM executions SEMI JOIN meant USING (attempt_id) WHERE {not_done})"""

_REASONS = """
WITH {failed},
sizes AS (SELECT session_id, count(DISTINCT turn_id) AS size FROM meant GROUP BY session_id),
by_session AS (
    SELECT stage, code, action, origin, session_id, count(*) AS hits, count(DISTINCT turn_id) AS turns,
           min_by({{'turn_index': turn_index, 'detail': detail}}, attempt_id) AS example, min(attempt_id) AS attempt_id
    FROM found GROUP BY stage, code, action, origin, session_id),
whole AS (SELECT coalesce(sum(size), 0) AS count, {sessions} AS sessions FROM sizes),
failing AS (
    SELECT stage, code, action, origin, sum(hits)::BIGINT AS count, sum(turns) AS turns, {failures} AS failures,
           min_by(session_id, attempt_id) AS session_id, min_by(example, attempt_id) AS example,
           min(attempt_id) AS attempt_id
    FROM by_session JOIN sizes USING (session_id) GROUP BY stage, code, action, origin
    ORDER BY turns DESC, count DESC, stage, code, action, origin LIMIT $limit)
SELECT $stages[failing.stage] AS stage, code, action, origin, failing.count AS count,
       {{'successes': turns, 'count': whole.count, 'clustering': {{
           'sessions': sessions.sessions, 'sizes': sessions.sizes,
           'totals': failures.totals, 'products': failures.products}}}} AS turns,
       session_id::VARCHAR AS session_id, example.turn_index AS turn_index,
       CASE failing.stage WHEN 1 THEN coalesce((
           SELECT min(detail) FROM issues WHERE attempt_id = failing.attempt_id AND issues.code = failing.code), '')
           ELSE example.detail END AS detail
FROM failing, whole ORDER BY failing.turns DESC, failing.count DESC, failing.stage, code, action, origin"""

_CLUSTERINGS = {"sessions": clustering_sql("size", "size"), "failures": clustering_sql("turns", "size")}


def failed(condition: str) -> str:
    """Return, as SQL, the responses that meant to act and each thing that failed in them: tables to put behind WITH.

    Args:
        condition: which parse attempts.

    Returns:
        ``meant``, a row a response, and ``found``, a row a failure; its ``matter`` is what it says without the value that was
        refused.
    """
    return _FAILED.format(condition=condition, not_read=NOT_READ, not_done=NOT_DONE, refused=REFUSED)


def reasons(ledger: Queryable, within: Filter = EVERYTHING, *, limit: int = 100) -> list[Failure]:
    """Return the reasons of failure in the responses that a filter picks.

    Args:
        ledger: what to ask.
        within: which responses.
        limit: at most how many, of those that most responses have.
    """
    condition, parameters = scope(rated(within))
    words = {"intent": INTENT, "stages": list(get_args(Stage)), "limit": limit}
    statement = _REASONS.format(failed=failed(condition), **_CLUSTERINGS)
    return rows(ledger, Failure, statement, parameters | words)
