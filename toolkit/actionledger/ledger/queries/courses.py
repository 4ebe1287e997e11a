"""The actions of each session, turn by turn, and the outcomes of actions and failures that directly follow others."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

from actionledger.core.frozen import made_quickly
from actionledger.core.rates import Rate
from actionledger.core.values import FieldError
from actionledger.core.vocabulary import ActionStatus, ExecutionStatus, Outcome, Reason
from actionledger.ledger.queries.base import (
    ATTEMPTED,
    INTENT,
    REFUSED,
    Queryable,
    Stage,
    Streamable,
    picked,
    rate_sql,
    rows,
    streamed,
)
from actionledger.ledger.queries.failures import COURSE, COURSE_WORDS, of_whole_sessions
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.reasons import failed
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS, scope


@made_quickly
@dataclass(frozen=True, slots=True)
class RefusedAction:
    """An action that could not run as written."""

    name: str
    arguments: str  # its arguments, as JSON text
    reason: Reason | None  # the first error's code; None if there is none
    errors: tuple[FieldError, ...]  # the errors of its schema


@made_quickly
@dataclass(frozen=True, slots=True)
class TriedAction:
    """The last try of an action within its turn."""

    execution_id: str
    action_index: int  # its place among its response's actions, from 0
    name: str
    arguments: str  # the arguments that it ran with, as JSON text
    status: ExecutionStatus  # how it ended
    reason: Reason | None  # why it did not succeed; None if it did
    result: str  # what the handler returned, as JSON text
    message: str  # the message to the model if it did not succeed


@made_quickly
@dataclass(frozen=True, slots=True)
class TurnCourse:
    """The actions of one turn."""

    session_id: str
    turn_index: int
    profile: str  # the session's profile
    unread: str | None  # the response, if it meant to act and nothing could be parsed; None otherwise
    issue: Reason | None  # the code of its first issue; None if there is none
    is_new_request: bool  # whether a user's request, a decision or a resumed session directly precedes it
    refused: tuple[RefusedAction, ...]  # the actions that could not run as written, in text order
    tried: tuple[TriedAction, ...]  # the other actions, in the order of their execution


_COURSE = picked(
    TurnCourse,
    session_id="t.session_id::VARCHAR",
    turn_index="t.turn_index",
    profile="t.profile",
    unread=f"CASE WHEN r.outcome = '{Outcome.FAILED}' THEN t.text END",
    refused="coalesce(refusals.refused, [])",
    tried="coalesce(tries.tried, [])",
)

_COURSES = f"""
WITH read AS (
    SELECT DISTINCT ON (turn_id) turn_id, session_id, attempt_id, outcome FROM parse_attempts
    WHERE {{condition}} AND session_id IN (SELECT unnest($sessions)::UUID) ORDER BY turn_id, parsed_at, attempt_id),
turns_of AS (FROM turns SEMI JOIN read USING (session_id)),
told AS (
    SELECT turn_id, arg_max(feedback, finished_at) AS feedback FROM resumptions GROUP BY turn_id),
asked AS (
    SELECT turns_of.*, prompt IS NOT NULL AND NOT contains(prompt, coalesce(nullif(before, ''), prompt || '.'))
           OR is_resumed OR coalesce(other_run, false) AS is_new_request
    FROM turns_of JOIN (
        SELECT turn_id, coalesce(lag(coalesce(told.feedback, turns_of.feedback)) OVER session, '') AS before,
               coalesce(lag(told.turn_id IS NOT NULL) OVER session, false) AS is_resumed,
               run_id <> lag(run_id) OVER session AS other_run
        FROM turns_of LEFT JOIN told USING (turn_id)
        WINDOW session AS (PARTITION BY session_id ORDER BY turn_index)) USING (turn_id)),
wrong AS (
    SELECT action_id,
           list({{{{'code': code, 'path': path, 'value': value, 'expected': expected}}}} ORDER BY path, code) AS errors
    FROM validation_errors WHERE {REFUSED} GROUP BY action_id),
refusals AS (
    SELECT attempt_id, list({{{{'name': name, 'arguments': arguments::VARCHAR, 'reason': reason,
                              'errors': coalesce(errors, [])}}}} ORDER BY action_index) AS refused
    FROM actions SEMI JOIN read USING (attempt_id) LEFT JOIN wrong USING (action_id)
    WHERE status IN ('{ActionStatus.INVALID}', '{ActionStatus.UNKNOWN}') GROUP BY attempt_id),
last AS (
    SELECT e.*, coalesce(e.arguments::VARCHAR, a.arguments::VARCHAR, '') AS ran_with
    FROM executions e SEMI JOIN read USING (attempt_id)
    LEFT JOIN (SELECT action_id, arguments FROM actions) a USING (action_id)
    LEFT JOIN (SELECT turn_id, finished_at AS over_at FROM turn_ends) USING (turn_id)
    WHERE over_at IS NULL OR e.finished_at IS NULL OR e.finished_at <= over_at
    QUALIFY row_number() OVER (PARTITION BY action_id ORDER BY try_number DESC) = 1),
tries AS (
    SELECT attempt_id, list({{{{'execution_id': execution_id::VARCHAR, 'action_index': action_index, 'name': name,
        'arguments': ran_with, 'status': status, 'reason': reason, 'result': coalesce(result::VARCHAR, 'null'),
        'message': coalesce(message, '')}}}} ORDER BY finished_at NULLS LAST, action_index) AS tried
    FROM last GROUP BY attempt_id),
first_issues AS (
    SELECT attempt_id, first(code ORDER BY span_start NULLS LAST, span_end, code) AS issue
    FROM issues SEMI JOIN read USING (attempt_id) GROUP BY attempt_id),
course AS (
    SELECT {_COURSE}
    FROM asked t JOIN read r USING (turn_id)
    LEFT JOIN refusals USING (attempt_id) LEFT JOIN tries USING (attempt_id) LEFT JOIN first_issues USING (attempt_id))
FROM course ORDER BY session_id, turn_index"""


def courses(ledger: Streamable, sessions: Collection[str], within: Filter) -> Iterator[TurnCourse]:
    """Yield the actions of each turn of some sessions, in order; only turns whose parse the filter selects."""
    yield from streamed(ledger, TurnCourse, *scope(rated(within)).filled(_COURSES, sessions=list(sessions)))


@dataclass(frozen=True, slots=True)
class Sequel:
    """An action directly after another one in the same session."""

    before: str  # the name of the action before
    name: str  # the action's name
    failures: Rate  # failures of the action after that one, of its tries there
    elsewhere: Rate  # the same rate after any other action


_SEQUELS = """
WITH tried AS (
    SELECT session_id, turn_index, action_index, started_at, name, (status <> 'succeeded')::INTEGER AS has_failed
    FROM executions WHERE profile = $profile AND status IN (SELECT unnest($attempted)) AND {first}
    QUALIFY row_number() OVER (PARTITION BY action_id ORDER BY try_number DESC) = 1
), paired AS (
    SELECT session_id, name, has_failed,
           lag(name) OVER (PARTITION BY session_id ORDER BY turn_index, started_at, action_index) AS before
    FROM tried
), by_session AS (
    SELECT before, name, session_id, count(*) AS count, sum(has_failed) AS failed
    FROM paired GROUP BY before, name, session_id
), counted AS (
    SELECT before, name, sum(count) AS count, sum(failed) AS failed, {rate} AS failures
    FROM by_session GROUP BY before, name
    HAVING before IS NOT NULL AND sum(count) >= $minimum
), others AS (
    SELECT counted.before, name, session_id, sum(by_session.count) AS count, sum(by_session.failed) AS failed
    FROM counted JOIN by_session USING (name)
    WHERE by_session.before IS DISTINCT FROM counted.before
    GROUP BY counted.before, name, session_id
), elsewhere AS (
    SELECT before, name, {rate} AS elsewhere FROM others GROUP BY before, name
)
SELECT before, name, failures, coalesce(elsewhere, {{'successes': 0, 'count': 0, 'clustering': NULL}}) AS elsewhere
FROM counted LEFT JOIN elsewhere USING (before, name)
ORDER BY failed / count DESC, count DESC, before, name"""


def sequels(ledger: Queryable, profile: str, minimum: int) -> list[Sequel]:
    """Return each pair of actions that follow each other often enough, the one with the most failures first."""
    values = {"profile": profile, "minimum": minimum, "attempted": ATTEMPTED}
    return rows(
        ledger, Sequel, _SEQUELS.format(first=FIRST_EXECUTIONS, rate=rate_sql("failed", "count")), values
    )


Sequence: TypeAlias = Literal["recovered", "failed", "no_action", "ended", "not_recorded"]
"""What the session did in its next turn: succeeded, failed again, wrote text without an action, or ended; or its results are not recorded."""


class Said(NamedTuple):
    """A call that was parsed from a response."""

    name: str  # the action's name
    arguments: str  # its arguments, as JSON text


@dataclass(frozen=True, slots=True)
class FailureThen:
    """A turn that failed, and what its session did next."""

    session_id: str
    turn_index: int
    profile: str  # profile, model, task: those of its session
    model: str
    task: str
    stage: Stage  # stage, code: its first failure
    code: Reason
    streak: int  # how many turns in a row have failed, with this one
    next: Sequence  # what the session did in the next turn
    # the number of turns until the session succeeded, 1 for the next one; None if it never did
    recovered_after: int | None
    turns_left: int  # how many turns the session has after it
    calls: tuple[Said, ...]  # the parsed calls, in order
    next_calls: tuple[Said, ...]  # the parsed calls of the next turn
    text: str | None  # the response, if no call was parsed; None otherwise
    next_text: str | None  # the same of the next turn


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


def failures_then(ledger: Streamable, within: Filter = EVERYTHING) -> Iterator[FailureThen]:
    """Yield each failed turn among the responses that a filter selects, session by session, in order; the next turn is searched among all of the session."""
    condition, parameters = scope(rated(within))
    whole = of_whole_sessions(within)
    words = {"intent": INTENT, "stages": list(get_args(Stage))} | COURSE_WORDS
    statement = _RECOVERIES.format(failed=failed(whole), whole=whole, condition=condition)
    yield from streamed(ledger, FailureThen, statement, parameters | words)
