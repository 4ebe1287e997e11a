"""What was done in each session, turn by turn: what could not be read, what was refused, and what the others came to."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import TypeAdapter

from actionledger.core.values import FieldError
from actionledger.core.vocabulary import ActionStatus, ExecutionStatus, Outcome, Reason
from actionledger.ledger.queries.base import REFUSED, RUN_ELSEWHERE, Streamable, picked
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS, scope

_BATCH = 200


@dataclass(frozen=True, slots=True)
class RefusedAction:
    """An action that could not be run as it was written.

    Args:
        name: its name.
        arguments: its arguments, as JSON text.
        reason: the first error's code; None where there is none.
        errors: what its model refuses.
    """

    name: str
    arguments: str
    reason: Reason | None
    errors: tuple[FieldError, ...]


@dataclass(frozen=True, slots=True)
class TriedAction:
    """What an action came to before its turn was over.

    Args:
        execution_id: identifies the last try.
        action_index: its place among its response's actions, from 0.
        name: its name.
        arguments: what it ran with, as JSON text.
        status: what came of it.
        reason: why it did not succeed; None where it did.
        result: what the handler returned, as JSON text.
        message: what the model was told where it did not succeed.
    """

    execution_id: str
    action_index: int
    name: str
    arguments: str
    status: ExecutionStatus
    reason: Reason | None
    result: str
    message: str


@dataclass(frozen=True, slots=True)
class TurnCourse:
    """What was done in one turn.

    Args:
        session_id, turn_index: which turn.
        profile: what the session ran under.
        unread: the response, where it meant to act and nothing could be read; None otherwise.
        issue: the code of its first issue; None where there is none.
        is_new_request: whether somebody asked for something, or decided, or opened the session again, right before.
        is_carried_out: whether what came of all of the session's turns is recorded, and not only how they are read.
        refused: the actions that could not be run as they were written, in text order.
        tried: the others, in the order in which they were done.
    """

    session_id: str
    turn_index: int
    profile: str
    unread: str | None
    issue: Reason | None
    is_new_request: bool
    is_carried_out: bool
    refused: tuple[RefusedAction, ...]
    tried: tuple[TriedAction, ...]


_COURSE = picked(
    TurnCourse,
    session_id="t.session_id::VARCHAR",
    turn_index="t.turn_index",
    profile="t.profile",
    unread=f"CASE WHEN r.outcome = '{Outcome.FAILED}' THEN t.text END",
    is_carried_out="true",
    refused="coalesce(refusals.refused, [])",
    tried="coalesce(tries.tried, [])",
)

# A source that was only read may say what the model was told, but never when.
# Where another runtime recorded what came of calls, a response without a call is carried out as it is.
_IS_CARRIED_OUT = (
    "finished_at IS NOT NULL OR has_tries OR NOT coalesce(has_calls, false) AND coalesce(is_recorded, false)"
)

_COURSES = f"""
WITH read_once AS (
    SELECT DISTINCT ON (turn_id) turn_id, turn_index, session_id, attempt_id, outcome FROM parse_attempts WHERE {{condition}}
    ORDER BY turn_id, parsed_at, attempt_id),
called AS (SELECT attempt_id, true AS has_calls FROM actions SEMI JOIN read_once USING (attempt_id) GROUP BY attempt_id),
carried_out AS (SELECT attempt_id, true AS has_tries FROM executions SEMI JOIN read_once USING (attempt_id) GROUP BY attempt_id),
elsewhere AS (SELECT session_id, true AS is_recorded FROM execution_starts WHERE {RUN_ELSEWHERE} AND {FIRST_EXECUTIONS} GROUP BY session_id),
sessions AS (
    SELECT session_id, bool_and(coalesce({_IS_CARRIED_OUT}, false)) AS is_whole, min(turn_index) AS first
    FROM read_once LEFT JOIN (SELECT turn_id, finished_at FROM turn_ends) USING (turn_id)
    LEFT JOIN carried_out USING (attempt_id) LEFT JOIN called USING (attempt_id) LEFT JOIN elsewhere USING (session_id)
    GROUP BY session_id),
read AS (FROM read_once SEMI JOIN (FROM sessions WHERE is_whole) USING (session_id)),
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
FROM course UNION ALL BY NAME
SELECT session_id::VARCHAR AS session_id, first AS turn_index, '' AS profile, false AS is_new_request, false AS is_carried_out,
       [] AS refused, [] AS tried
FROM sessions WHERE NOT is_whole ORDER BY session_id, turn_index"""
"""Which sessions are whole is asked of what takes little: of most recordings of responses alone none is."""

_ROWS = TypeAdapter(list[TurnCourse])


def courses(ledger: Streamable, within: Filter = EVERYTHING) -> Iterator[TurnCourse]:
    """Yield what was done in each turn that the filter's attempts have read, session by session, in order.

    Of a session of which not all was carried out, the place of its first turn stands for all: nothing is said of its course.

    Args:
        ledger: what to ask.
        within: which turns.
    """
    condition, parameters = scope(rated(within))
    names = list(TurnCourse.__dataclass_fields__)
    result = ledger.sql(_COURSES.format(condition=condition), parameters)
    while batch := result.fetchmany(_BATCH):
        yield from _ROWS.validate_python([dict(zip(names, row, strict=True)) for row in batch])
