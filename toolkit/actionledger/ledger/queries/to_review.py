"""Which turns wait for a person to judge them, and what was said of them so far."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from actionledger.core.vocabulary import Outcome, Reason
from actionledger.ledger.queries.base import NOT_DONE, NOT_READ, REFUSED, Queryable, number, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.found import FAILING
from actionledger.ledger.queries.scopes import scope


class Queue(StrEnum):
    """Which turns a person looks at: those that are theirs, that others have judged and they have not, that failed, or all."""

    MINE = "assigned to me"
    SECOND = "judged by others, not by me"
    FAILING = "failing, not judged by me"
    UNJUDGED = "not judged by me"
    JUDGED = "judged by me"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class TurnToReview:
    """A turn of a queue, as it was read.

    Args:
        session_id, turn_index: which turn.
        external_id: the session's name; empty for live sessions.
        model: its session's language model.
        occurred_at: when the response was made; None if unknown.
        outcome: what came of reading it.
        reasons: what went wrong in reading, checking and acting, in this order, each once.
        is_failing: whether something went wrong in it, as ``Filter.is_failing`` has it.
        judged_by: how many people have judged this reading.
        is_mine: whether the person who asks has.
        assigned_to: whom it waits for; empty for nobody.
        labels: all that it was labelled, each once.
        comments: how many comments it has.
    """

    session_id: str
    turn_index: int
    external_id: str
    model: str
    occurred_at: datetime | None
    outcome: Outcome
    reasons: tuple[Reason, ...]
    is_failing: bool
    judged_by: int
    is_mine: bool
    assigned_to: str
    labels: tuple[str, ...]
    comments: int


_TURNS = f"""
WITH last_steps AS (
    SELECT turn_id, attempt_id, aspect, step, value,
           first_value(reviewer) OVER (PARTITION BY review_id ORDER BY reviewed_at) AS reviewer
    FROM reviews
    QUALIFY row_number() OVER (PARTITION BY review_id ORDER BY reviewed_at DESC, step <> 'given' DESC) = 1),
said AS (
    SELECT turn_id, count(*) FILTER (aspect = 'comment') AS comments,
           coalesce(list_sort(list(DISTINCT value) FILTER (aspect = 'label')), []) AS labels,
           coalesce(max(value) FILTER (aspect = 'assignment' AND step <> 'done'), '') AS assigned_to
    FROM last_steps WHERE step <> 'withdrawn' GROUP BY turn_id),
verdicts AS (
    SELECT attempt_id, count(*) AS judged_by, bool_or(reviewer = $by) AS is_mine
    FROM last_steps WHERE step <> 'withdrawn' AND aspect = 'verdict' GROUP BY attempt_id),
found AS (
    SELECT a.attempt_id, a.session_id::VARCHAR AS session_id, turn_index, model, occurred_at, outcome, reason,
           {FAILING} AS is_failing,
           coalesce(judged_by, 0) AS judged_by, coalesce(is_mine, false) AS is_mine,
           coalesce(assigned_to, '') AS assigned_to, coalesce(labels, []) AS labels, coalesce(comments, 0) AS comments
    FROM (SELECT * FROM parse_attempts WHERE {{condition}}) AS a
    LEFT JOIN verdicts USING (attempt_id) LEFT JOIN said USING (turn_id))"""

_QUEUES = {
    Queue.MINE: "assigned_to = $by",
    Queue.SECOND: "judged_by > 0 AND NOT is_mine",
    Queue.FAILING: "is_failing AND NOT is_mine",
    Queue.UNJUDGED: "NOT is_mine",
    Queue.JUDGED: "is_mine",
    Queue.ALL: "$by IS NOT NULL",
}

_ROWS = f"""{_TURNS},
page AS (
    SELECT * FROM found WHERE {{queue}}
    ORDER BY occurred_at DESC NULLS LAST, session_id, turn_index LIMIT $limit OFFSET $offset),
causes AS (
    SELECT 0 AS stage, attempt_id, reason AS code, 0 AS place FROM page WHERE {NOT_READ}
    UNION ALL
    SELECT 1, attempt_id, code, action_index FROM validation_errors
    WHERE {REFUSED} AND attempt_id IN (SELECT attempt_id FROM page)
    UNION ALL
    SELECT 2, attempt_id, reason, action_index FROM executions WHERE {NOT_DONE} AND attempt_id IN (SELECT attempt_id FROM page)),
named AS (SELECT attempt_id, list(code ORDER BY stage, place) AS codes FROM causes GROUP BY attempt_id)
SELECT page.* EXCLUDE (attempt_id, reason), coalesce(external_id, '') AS external_id,
       coalesce(list_filter(codes, lambda code, place: list_position(codes, code) = place), []) AS reasons
FROM page LEFT JOIN named USING (attempt_id)
LEFT JOIN (SELECT DISTINCT session_id::VARCHAR AS session_id, external_id FROM session_starts) USING (session_id)
ORDER BY occurred_at DESC NULLS LAST, session_id, turn_index"""


def turns_to_review(
    ledger: Queryable, queue: Queue, by: str, within: Filter = EVERYTHING, *, limit: int = 50, offset: int = 0
) -> list[TurnToReview]:
    """Return some turns of a queue, the latest first.

    Args:
        ledger: what to ask.
        queue: which one.
        by: whose it is; empty for somebody who has not said who they are.
        within: which readings; the first of each turn where it names no run.
        limit: how many at most.
        offset: how many to pass over.
    """
    condition, parameters = scope(within)
    query = _ROWS.format(condition=condition, queue=_QUEUES[queue])
    return rows(ledger, TurnToReview, query, parameters | {"by": by, "limit": limit, "offset": offset})


def count_turns_to_review(ledger: Queryable, queue: Queue, by: str, within: Filter = EVERYTHING) -> int:
    """Return how many turns a queue has.

    Args:
        ledger: what to ask.
        queue: which one.
        by: whose it is.
        within: which readings.
    """
    condition, parameters = scope(within)
    query = f"{_TURNS} SELECT count(*) FROM found WHERE {_QUEUES[queue]}"
    return number(ledger, query.format(condition=condition), parameters | {"by": by})
