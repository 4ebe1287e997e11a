"""Why responses and actions fail, the most frequent first, each with an example to open."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from actionledger.ledger.queries.base import INTENT, Queryable, clustering_sql, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter, scope
from actionledger.rates import Rate
from actionledger.vocabulary import Reason

Stage: TypeAlias = Literal["reading", "checking", "acting"]
"""Where something failed."""

NOT_READ = "outcome IN ('partial', 'failed') AND reason IS NOT NULL"
NOT_DONE = "status NOT IN ('succeeded', 'pending', 'dry_run', 'skipped') AND reason IS NOT NULL"
"""Which parse attempts and which executions failed, as SQL; what was skipped waited for something that did."""


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
    """

    stage: Stage
    code: Reason
    action: str
    count: int
    turns: Rate
    session_id: str
    turn_index: int
    detail: str


_REASONS = """
WITH meant AS (
    SELECT attempt_id, session_id, turn_id, turn_index, outcome, reason FROM parse_attempts
    WHERE list_contains($intent, outcome) AND {condition}),
sizes AS (SELECT session_id, count(DISTINCT turn_id) AS size FROM meant GROUP BY session_id),
found AS ({found}),
by_session AS (
    SELECT code, action, session_id, count(*) AS hits, count(DISTINCT turn_id) AS turns,
           min_by({{'session_id': session_id, 'turn_index': turn_index, 'detail': detail}}, attempt_id) AS example,
           min(attempt_id) AS attempt_id
    FROM found GROUP BY code, action, session_id),
whole AS (SELECT coalesce(sum(size), 0) AS count, {sessions} AS sessions FROM sizes),
failing AS (
    SELECT code, action, sum(hits)::BIGINT AS count, sum(turns) AS turns, {failures} AS failures,
           min_by(example, attempt_id) AS example, min(attempt_id) AS attempt_id
    FROM by_session JOIN sizes USING (session_id) GROUP BY code, action)
SELECT $stage AS stage, code, action, failing.count AS count,
       {{'successes': turns, 'count': whole.count, 'clustering': {{
           'sessions': sessions.sessions, 'sizes': sessions.sizes,
           'totals': failures.totals, 'products': failures.products}}}} AS turns,
       example.session_id::VARCHAR AS session_id, example.turn_index AS turn_index, {detail} AS detail
FROM failing, whole ORDER BY failing.turns DESC, failing.count DESC, code, action LIMIT $limit"""

_ISSUE = """coalesce((SELECT min(detail) FROM issues
                 WHERE attempt_id = failing.attempt_id AND issues.code = failing.code), '')"""

_READING = "SELECT *, reason AS code, '' AS action, '' AS detail FROM meant WHERE {not_read}"

_CHECKING = """
SELECT *, name AS action,
       concat_ws(' ', nullif(path, '') || ':', 'expected ' || expected, 'got ' || nullif(value, '')) AS detail
FROM validation_errors SEMI JOIN meant USING (attempt_id)"""

_ACTING = """
SELECT *, reason AS code, name AS action, coalesce(message, '') AS detail
FROM executions SEMI JOIN meant USING (attempt_id) WHERE {not_done}"""

_FAILED = {"not_read": NOT_READ, "not_done": NOT_DONE}

_STAGES: dict[Stage, tuple[str, str]] = {
    "reading": (_READING, _ISSUE),
    "checking": (_CHECKING, "example.detail"),
    "acting": (_ACTING, "example.detail"),
}
"""Each stage's failures as SQL, and where an example's particulars are."""


def reasons(ledger: Queryable, within: Filter = EVERYTHING, *, limit: int = 100) -> list[Failure]:
    """Return the reasons of failure in the responses that a filter picks.

    Args:
        ledger: what to ask.
        within: which responses.
        limit: at most how many, of those that most responses have.
    """
    condition, parameters = scope(within)
    sums = {"sessions": clustering_sql("size", "size"), "failures": clustering_sql("turns", "size")}
    bound = parameters | {"intent": INTENT, "limit": limit}
    failures = [
        failure
        for stage, (found, detail) in _STAGES.items()
        for failure in rows(
            ledger,
            Failure,
            _REASONS.format(condition=condition, found=found.format(**_FAILED), detail=detail, **sums),
            bound | {"stage": stage},
        )
    ]
    return sorted(failures, key=lambda failure: (-failure.turns.successes, -failure.count))[:limit]
