"""Each turn that failed, with what its session did next: what recoveries are counted from.

A turn **failed** where something of it did (reading, checking or acting, as ``reasons.failed`` says) and it did not get through, as
``failures`` says that; what happens in a turn that gets through all the same is none. Turns are counted as they stand behind each other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

from pydantic import TypeAdapter

from actionledger.core.vocabulary import Reason
from actionledger.ledger.queries.base import INTENT, Stage, Streamable
from actionledger.ledger.queries.failures import COURSE, COURSE_WORDS, of_whole_sessions
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.reasons import failed
from actionledger.ledger.queries.scopes import scope

Sequence: TypeAlias = Literal["recovered", "failed", "no_action", "ended", "not_recorded"]
"""What a session did next: got through, failed again, wrote without an action, had ended; or it is not recorded what came of its actions."""

_BATCH = 200


class Said(NamedTuple):
    """A call that was read in a response.

    Args:
        name: the action's name.
        arguments: its arguments, as JSON text.
    """

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class FailureThen:
    """A turn that failed, and what its session did next.

    Args:
        session_id, turn_index: which turn.
        profile, model, task: its session's.
        stage, code: the first thing that failed in it.
        streak: how many turns had failed in a row by then, itself among them.
        next: what the session did in the turn behind it.
        recovered_after: in how many turns the session got through, 1 for the very next; None where it never did.
        turns_left: how many turns the session has behind it.
        calls: the calls that were read in it, in order.
        next_calls: those of the turn behind it.
        text: the response, where no call was read in it; None otherwise.
        next_text: the same of the turn behind it.
    """

    session_id: str
    turn_index: int
    profile: str
    model: str
    task: str
    stage: Stage
    code: Reason
    streak: int
    next: Sequence
    recovered_after: int | None
    turns_left: int
    calls: tuple[Said, ...]
    next_calls: tuple[Said, ...]
    text: str | None
    next_text: str | None


_RECOVERIES = f"""
WITH {{failed}},
asked AS (SELECT attempt_id FROM parse_attempts WHERE {{condition}}),
{COURSE.replace("{of}", "found SEMI JOIN asked USING (attempt_id)")},
failing AS (
    SELECT session_id, turn_index, attempt_id, min_by({{{{'stage': stage, 'code': code}}}}, (stage, coalesce(action_index, -1), code)) AS first
    FROM found SEMI JOIN looked USING (session_id) ANTI JOIN through USING (session_id, turn_index)
    GROUP BY session_id, turn_index, attempt_id),
placed AS (
    SELECT t.session_id, t.turn_index, t.turn_id, t.text, failing.attempt_id IS NOT NULL AS has_failed,
           through.turn_index IS NOT NULL AS got_through, row_number() OVER session AS place, count(*) OVER whole AS turns,
           count(*) FILTER (failing.attempt_id IS NULL) OVER session AS stretch
    FROM turn_starts t SEMI JOIN looked USING (session_id)
    LEFT JOIN failing USING (session_id, turn_index) LEFT JOIN through USING (session_id, turn_index)
    WINDOW session AS (PARTITION BY t.session_id ORDER BY t.turn_index), whole AS (PARTITION BY t.session_id)),
ordered AS (
    SELECT *, lead(turn_index) OVER session AS next_turn, lead(has_failed) OVER session AS fails_next,
           lead(got_through) OVER session AS gets_through_next, lead(text) OVER session AS next_text,
           min(place) FILTER (got_through) OVER behind AS through_at,
           count(*) FILTER (has_failed) OVER (PARTITION BY session_id, stretch ORDER BY turn_index) AS streak
    FROM placed
    WINDOW session AS (PARTITION BY session_id ORDER BY turn_index),
    behind AS (PARTITION BY session_id ORDER BY turn_index ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)),
said AS (
    SELECT attempt_id, list({{{{'name': name, 'arguments': arguments::VARCHAR}}}} ORDER BY action_index) AS calls
    FROM actions SEMI JOIN reader USING (attempt_id) WHERE status <> 'illustration' GROUP BY attempt_id)
SELECT o.session_id::VARCHAR AS session_id, o.turn_index AS turn_index, here.profile AS profile, here.model AS model,
       coalesce(here.task, '') AS task, $stages[first.stage] AS stage, first.code AS code, streak,
       CASE WHEN next_turn IS NULL THEN 'ended' WHEN gets_through_next THEN 'recovered' WHEN fails_next THEN 'failed'
            WHEN NOT list_contains($intent, behind.outcome) THEN 'no_action' ELSE 'not_recorded' END AS next,
       through_at - place AS recovered_after, turns - place AS turns_left, coalesce(said.calls, []) AS calls,
       coalesce(next_said.calls, []) AS next_calls, CASE WHEN said.calls IS NULL THEN o.text END AS text,
       CASE WHEN next_said.calls IS NULL THEN next_text END AS next_text
FROM ordered o JOIN failing USING (session_id, turn_index) SEMI JOIN asked ON asked.attempt_id = failing.attempt_id
JOIN (SELECT attempt_id, profile, model, task FROM parse_attempts) here ON here.attempt_id = failing.attempt_id
LEFT JOIN said ON said.attempt_id = failing.attempt_id
LEFT JOIN reader behind ON behind.session_id = o.session_id AND behind.turn_index = o.next_turn
LEFT JOIN said next_said ON next_said.attempt_id = behind.attempt_id
ORDER BY o.session_id, o.turn_index"""

_ROWS = TypeAdapter(list[FailureThen])


def failures_then(ledger: Streamable, within: Filter = EVERYTHING) -> Iterator[FailureThen]:
    """Yield each turn that failed of the responses that a filter picks, session by session, in order.

    Args:
        ledger: what to ask.
        within: which responses; what their sessions did next is looked for among all of theirs.
    """
    condition, parameters = scope(rated(within))
    whole = of_whole_sessions(within)
    words = {"intent": INTENT, "stages": list(get_args(Stage))} | COURSE_WORDS
    statement = _RECOVERIES.format(failed=failed(whole), whole=whole, condition=condition)
    result = ledger.sql(statement, parameters | words)
    names = list(FailureThen.__dataclass_fields__)
    while batch := result.fetchmany(_BATCH):
        yield from _ROWS.validate_python([dict(zip(names, row, strict=True)) for row in batch])
