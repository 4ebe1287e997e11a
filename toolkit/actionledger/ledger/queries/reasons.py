"""Reasons of failure of responses and actions, the most frequent first, each with an example to open."""

from dataclasses import dataclass
from typing import get_args

from actionledger.core.rates import Rate
from actionledger.core.text import counted
from actionledger.core.vocabulary import Origin, Reason
from actionledger.ledger.queries.base import (
    ANSWERED,
    INTENT,
    NOT_DONE,
    NOT_READ,
    REFUSED,
    Queryable,
    Stage,
    clustering_sql,
    number,
    rows,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.rolled import ROWS_APART, failing_parts, rolled_scope
from actionledger.ledger.queries.scopes import scope


@dataclass(frozen=True, slots=True)
class Failure:
    """A reason of failure."""

    stage: Stage  # where it failed
    code: Reason
    action: str  # the action's name as the model wrote it; empty if parsing failed
    count: int  # the number of parse attempts, field errors or executions
    turns: Rate  # turns with this failure, of those that meant to act
    session_id: str  # the session of an example
    turn_index: int  # the example's position in it, from 0
    detail: str  # the example's particulars, for people; may contain model text
    origin: Origin | None = None  # who ran the action; None if parsing or checking failed


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
counted AS (
    SELECT session_id, count(*) AS readings, {places} AS places FROM meant GROUP BY session_id),
uncertain AS (SELECT session_id FROM counted WHERE readings <> places),
sizes_of_rows AS (
    SELECT session_id, places::BIGINT AS size FROM counted WHERE readings = places
    UNION ALL
    SELECT session_id, count(DISTINCT turn_id) FROM meant SEMI JOIN uncertain USING (session_id) GROUP BY session_id),
by_session AS (
    SELECT stage, code, action, origin, session_id, count(*) AS hits, {places}::BIGINT AS turns
    FROM found ANTI JOIN uncertain USING (session_id) GROUP BY ALL
    UNION ALL
    SELECT stage, code, action, origin, session_id, count(*), count(DISTINCT turn_id)
    FROM found SEMI JOIN uncertain USING (session_id) GROUP BY ALL),
{of_parts}
sizes AS (SELECT 1::BIGINT AS alike, size FROM sizes_of_rows {and_sizes}),
failures AS (
    SELECT stage, code, action, origin, 1::BIGINT AS alike, hits, turns, size, session_id
    FROM by_session JOIN sizes_of_rows USING (session_id) {and_failures}),
whole AS (SELECT coalesce(sum(alike * size), 0)::BIGINT AS count, {sessions} AS sessions FROM sizes),
failing AS (
    SELECT stage, code, action, origin, sum(alike * hits)::BIGINT AS count, sum(alike * turns)::BIGINT AS turns,
           {failures} AS failures, min(session_id) AS session_id
    FROM failures GROUP BY stage, code, action, origin
    ORDER BY turns DESC, count DESC, stage, code, action, origin LIMIT $limit),
examples AS (
    WITH {examples}
    SELECT found.stage AS stage, found.code AS code, found.action AS action, found.origin AS origin,
           min_by({{'turn_index': turn_index, 'attempt_id': attempt_id, 'detail': detail}},
                  (attempt_id, coalesce(action_index, -1), detail)) AS first
    FROM found JOIN failing ON found.session_id = failing.session_id AND found.stage = failing.stage AND found.code = failing.code
         AND found.action = failing.action AND found.origin IS NOT DISTINCT FROM failing.origin
    GROUP BY ALL)
SELECT $stages[failing.stage] AS stage, failing.code AS code, failing.action AS action, failing.origin AS origin,
       failing.count AS count,
       {{'successes': turns, 'count': whole.count, 'clustering': {{
           'sessions': sessions.sessions, 'sizes': sessions.sizes,
           'totals': failures.totals, 'products': failures.products}}}} AS turns,
       session_id::VARCHAR AS session_id, first.turn_index AS turn_index,
       CASE failing.stage WHEN 1 THEN coalesce((
           SELECT min(detail) FROM issues WHERE attempt_id = first.attempt_id AND issues.code = failing.code), '')
           ELSE first.detail END AS detail
FROM failing JOIN examples
     ON (failing.stage, failing.code, failing.action) = (examples.stage, examples.code, examples.action)
        AND failing.origin IS NOT DISTINCT FROM examples.origin, whole
ORDER BY failing.turns DESC, failing.count DESC, failing.stage, code, action, origin"""

_OF_EXAMPLES = "session_id IN (SELECT session_id FROM failing)"
"""An example is the first failure of the first session, so that only few sessions are queried for it."""
PLACES = "bit_count(bit_or(1::BIGINT << least(turn_index, 62)))"
"""The number of turns of a session in some rows, as SQL. If it equals the number of parse attempts, no turn occurs twice. Otherwise (more turns
than bits, or a turn parsed twice) the turns' identifiers are counted, which takes three times as long."""
_CLUSTERINGS = {
    "sessions": clustering_sql("size", "size", "alike"),
    "failures": clustering_sql("turns", "size", "alike"),
}
_FROM_PARTS = {
    "and_sizes": "UNION ALL SELECT alike, size FROM sizes_of_parts",
    "and_failures": "UNION ALL FROM failures_of_parts",
}
_FROM_ROWS_ALONE = {"of_parts": "", "and_sizes": "", "and_failures": ""}


def failed(condition: str) -> str:
    """Return, as SQL, the responses that meant to act and all their failures: tables to put after WITH."""
    return _FAILED.format(condition=condition, not_read=NOT_READ, not_done=NOT_DONE, refused=REFUSED)


_ANSWERED = f"""
SELECT count(*) FROM executions SEMI JOIN (SELECT attempt_id FROM parse_attempts WHERE {{condition}}) USING (attempt_id) WHERE {ANSWERED}"""


def answered(ledger: Queryable, within: Filter = EVERYTHING) -> int:
    """Return how many executions ended with an exit status of 1 that is an answer, such as no match found: they are no failures."""
    return number(ledger, *scope(rated(within)).filled(_ANSWERED))


def answered_words(count: int) -> str:
    """Return a sentence on such executions; empty if there are none."""
    if not count:
        return ""
    return f"{counted(count, 'command')} ended with 1 as an answer (nothing found, something different, not so): {Reason.NO_RESULT}, no failure."


def reasons(ledger: Queryable, within: Filter = EVERYTHING, *, limit: int = 100) -> list[Failure]:
    """Return the reasons of failure in the responses that a filter selects."""
    condition, parameters = scope(rated(within))
    rolled = rolled_scope(ledger, within)
    of_rows, of_parts = condition, _FROM_ROWS_ALONE
    if rolled is not None:
        of_rows = f"{ROWS_APART} AND {condition}"
        of_parts = {"of_parts": f"{failing_parts(rolled.condition)},", **_FROM_PARTS}
        parameters |= rolled.parameters
    words = {"intent": INTENT, "stages": list(get_args(Stage)), "limit": limit}
    statement = _REASONS.format(
        failed=failed(of_rows),
        examples=failed(f"{_OF_EXAMPLES} AND {condition}"),
        places=PLACES,
        **of_parts,
        **_CLUSTERINGS,
    )
    return rows(ledger, Failure, statement, parameters | words)
