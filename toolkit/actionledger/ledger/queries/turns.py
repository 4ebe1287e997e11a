"""The turns of one session without their texts, even for thousands: rows, stretches, actions, and the timeline of one turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from actionledger.core.ids import is_uuid
from actionledger.core.vocabulary import PERMISSION, Origin, Outcome, Reason
from actionledger.ledger.queries.base import (
    IS_CHECKED,
    NOT_DONE,
    NOT_READ,
    OF_ACTIONS,
    REFUSED,
    REFUSED_BY_SCHEMA,
    RUNNABLE,
    TOOK,
    Queryable,
    picked,
    rows,
    rows_of_page,
)
from actionledger.ledger.queries.scopes import FAILING, FIRST_EXECUTIONS, FIRST_READING


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One turn of a session, without its text."""

    index: int  # its position in the session, from 0
    outcome: Outcome | None  # its parse outcome; None if it was not parsed, or not by this run
    reason: Reason | None  # why it was not fully parsed; None if it was
    characters: int  # the length of the response, in code points
    actions: int  # how many actions were parsed and meant
    checked: int  # how many of them had a catalogue for their check
    valid: int  # how many of these may run
    refused: int  # how many actions may not run, with or without a catalogue
    errors: int  # how many fields were refused
    executions: int  # how many tries it has
    failed: int  # how many of them were attempted and did not succeed
    # whether the turn is failing in that parse attempt, as in `Filter.is_failing`, or was not parsed; results of another attempt's actions don't count
    has_error: bool = False


@dataclass(frozen=True, slots=True)
class Stretch:
    """Counts over consecutive turns of a session, for a chart without room for each."""

    first: int  # first, last: the positions of its first and its last turn
    last: int
    turns: int
    errors: int  # how many of them have an error
    # first_error, last_error: the positions of the first and the last of these; None if there are none
    first_error: int | None
    last_error: int | None
    repaired: int  # how many were parsed with repairs
    clean: int  # how many were parsed without repairs


STRETCHES = 240
"""The number of stretches that a long session is divided into."""

_FOUND = """
WITH asked AS (
    SELECT turn_id, turn_index, characters FROM turn_starts WHERE session_id = $session_id::UUID {between}),
attempts AS (
    SELECT DISTINCT ON (turn_id) turn_id, attempt_id, outcome, reason FROM parse_attempts SEMI JOIN asked USING (turn_id)
    WHERE session_id = $session_id::UUID AND {reading} ORDER BY turn_id, parsed_at, attempt_id),
calls AS (
    SELECT attempt_id, count(*) FILTER (status <> 'illustration') AS actions,
           count(*) FILTER ({checked}) AS checked, count(*) FILTER ({checked} AND list_contains($runnable, status)) AS valid,
           count(*) FILTER (list_contains($refused, status)) AS refused
    FROM actions SEMI JOIN attempts USING (attempt_id) WHERE session_id = $session_id::UUID GROUP BY attempt_id),
refusals AS (
    SELECT attempt_id, count(*) AS errors FROM validation_errors SEMI JOIN attempts USING (attempt_id)
    WHERE session_id = $session_id::UUID AND {refused} GROUP BY attempt_id),
tries AS (
    SELECT turn_id, count(*) FILTER ({of_actions}) AS executions,
           count(*) FILTER (status IN ('failed', 'timed_out', 'interrupted') AND {of_actions}) AS failed,
           bool_or(attempt_id = shown AND {not_done}) AS is_undone
    FROM executions SEMI JOIN asked USING (turn_id)
    LEFT JOIN (SELECT turn_id, attempt_id AS shown FROM attempts) USING (turn_id)
    WHERE session_id = $session_id::UUID AND {carried_out} GROUP BY turn_id),
counted AS (
    SELECT turn_index AS index, outcome, reason, characters, coalesce(actions, 0) AS actions, coalesce(checked, 0) AS checked,
           coalesce(valid, 0) AS valid, coalesce(refused, 0) AS refused, coalesce(errors, 0) AS errors, coalesce(executions, 0) AS executions, coalesce(failed, 0) AS failed,
           coalesce(is_undone, false) AS is_undone
    FROM asked LEFT JOIN attempts USING (turn_id) LEFT JOIN calls USING (attempt_id)
    LEFT JOIN refusals USING (attempt_id) LEFT JOIN tries USING (turn_id)),
found AS (
    SELECT * EXCLUDE (is_undone), outcome IS NULL OR ({not_read}) OR errors > 0 OR is_undone AS has_error
    FROM counted)"""

_WHY_NOT = f"""
WITH attempts AS (
    SELECT DISTINCT ON (turn_id) turn_id, turn_index, attempt_id, outcome, reason FROM parse_attempts
    WHERE session_id = $session_id::UUID AND {{reading}} ORDER BY turn_id, parsed_at, attempt_id),
found AS (
    SELECT turn_index, 1 AS rank, 0 AS place, reason AS code FROM attempts WHERE reason IS NOT NULL
    UNION ALL SELECT turn_index, 2, action_index, code FROM validation_errors
    JOIN (SELECT attempt_id FROM attempts) USING (attempt_id) WHERE {REFUSED}
    UNION ALL SELECT turn_index, 3, action_index, reason FROM executions
    JOIN (SELECT attempt_id FROM attempts) USING (attempt_id) WHERE {NOT_DONE} AND {OF_ACTIONS}
    UNION ALL SELECT turn_index, 4, 0, concat_ws(': ', ending, why) FROM (
        FROM unacted_turns WHERE session_id = $session_id::UUID)
    JOIN (SELECT attempt_id FROM attempts) USING (attempt_id)
    UNION ALL SELECT turn_index, 5, action_index, reason FROM actions
    JOIN (SELECT attempt_id FROM attempts) USING (attempt_id) WHERE status IN ('illustration', 'needs_approval') AND reason IS NOT NULL)
SELECT turn_index, min_by(code, (rank, place)) FROM found GROUP BY turn_index"""

_TURNS = f"{_FOUND} SELECT * FROM found ORDER BY index"

_STRETCHES = f"""{_FOUND},
placed AS (
    SELECT *, row_number() OVER (ORDER BY index) - 1 AS place, greatest(count(*) OVER (), $most) AS length FROM found)
SELECT min(index) AS first, max(index) AS last, count(*) AS turns, count(*) FILTER (has_error) AS errors,
       min(index) FILTER (has_error) AS first_error, max(index) FILTER (has_error) AS last_error,
       count(*) FILTER (outcome = 'repaired') AS repaired, count(*) FILTER (outcome = 'clean') AS clean
FROM placed GROUP BY place * $most // length ORDER BY first"""

_BETWEEN = "AND turn_index BETWEEN $first AND $last"


def reading(run_id: str | None) -> str:
    """Return the condition on ``parse_attempts`` that selects those of a run, or the first ones."""
    return FIRST_READING if run_id is None else "run_id = $run_id::UUID"


def turns(
    ledger: Queryable, session_id: str, run_id: str | None = None, *, between: tuple[int, int] | None = None
) -> list[TurnRow]:
    """Return the turns of a session in order, in a run (None: first parse attempts) and between two positions; empty if there is no such session."""
    if not _are_ids(session_id, run_id):
        return []
    places = {} if between is None else dict(zip(("first", "last"), between, strict=True))
    query = _query(_TURNS, run_id, "" if between is None else _BETWEEN)
    return rows(ledger, TurnRow, query, _bound(session_id, run_id) | places)


def why_not(ledger: Queryable, session_id: str, run_id: str | None = None) -> dict[int, str]:
    """Return why something in a turn was not done, by the turn's position in its session; turns without a reason are not included. The first that exists counts: parsing failed, its first action was refused, an execution did not succeed, it ended without a call, an illustration or a wait."""
    if not _are_ids(session_id, run_id):
        return {}
    bound = {"session_id": session_id} | ({"run_id": run_id} if run_id else {})
    return dict(ledger.sql(_WHY_NOT.format(reading=reading(run_id)), bound).fetchall())


def stretches(
    ledger: Queryable, session_id: str, run_id: str | None = None, *, most: int = STRETCHES
) -> list[Stretch]:
    """Return a whole session in few rows: its single turns if they are few, otherwise counts over stretches of equal length."""
    if not _are_ids(session_id, run_id):
        return []
    return rows(ledger, Stretch, _query(_STRETCHES, run_id), _bound(session_id, run_id) | {"most": most})


def _are_ids(session_id: str, run_id: str | None) -> bool:
    return is_uuid(session_id) and (run_id is None or is_uuid(run_id))


def _query(query: str, run_id: str | None, between: str = "") -> str:
    return query.format(
        reading=reading(run_id),
        refused=REFUSED,
        checked=IS_CHECKED,
        not_done=NOT_DONE,
        not_read=NOT_READ,
        carried_out=FIRST_EXECUTIONS,
        of_actions=OF_ACTIONS,
        between=between,
    )


def _bound(session_id: str, run_id: str | None) -> dict[str, object]:
    bound: dict[str, object] = {
        "session_id": session_id,
        "runnable": RUNNABLE,
        "refused": REFUSED_BY_SCHEMA,
    }
    return bound | ({"run_id": run_id} if run_id else {})


@dataclass(frozen=True, slots=True)
class TurnActions:
    """The actions of one turn."""

    session_id: str
    turn_index: int  # its position in the session, from 0
    names: tuple[str, ...]  # the actions' names, in text order, without illustrations
    arguments: str = ""  # at most 160 characters of the first one's arguments, as JSON


_CALLED = rows_of_page(
    "actions", "session_id, turn_index, action_index, name, arguments, status", "attempt_id"
)

_ACTIONS = f"""
WITH asked AS (SELECT unnest($sessions)::UUID AS session_id, unnest($places) AS turn_index),
page AS (SELECT attempt_id, occurred_at FROM parse_attempts SEMI JOIN asked USING (session_id, turn_index) WHERE {{reading}}),
called AS ({_CALLED})
SELECT session_id::VARCHAR AS session_id, turn_index, list(name ORDER BY action_index) AS names,
       left(min_by(arguments, action_index)::VARCHAR, 160) AS arguments
FROM called WHERE status <> 'illustration' GROUP BY ALL ORDER BY ALL"""


def actions_of_turns(
    ledger: Queryable, turns: Sequence[tuple[str, int]], run_id: str | None = None
) -> list[TurnActions]:
    """Return the actions of some turns in a run (None: their first parse attempts); turns without any are not included."""
    bound = {"sessions": [session for session, _ in turns], "places": [place for _, place in turns]}
    run = {} if run_id is None else {"run_id": run_id}
    return rows(ledger, TurnActions, _ACTIONS.format(reading=reading(run_id)), bound | run) if turns else []


Kind: TypeAlias = Literal["asked", "decided", "run", "reversed", "noted", "told"]
"""The kind of event: an approval was requested or decided; an action was run; its changes were undone or redone; something was noted; the model
got a message."""


@dataclass(frozen=True, slots=True)
class Step:
    """An event of a turn."""

    occurred_at: datetime | None  # its time, UTC without a zone; None if it started and never ended
    kind: Kind  # the kind of event
    # the action's position among its response's actions, from 0; None if it concerns no action
    action_index: int | None
    name: str  # the action's name, or the note's
    status: str  # how the try ended, the decision, or whether changes were undone or redone; empty otherwise
    reason: str  # the code of its reason; empty if there is none
    # the message to the model or a person, who decided and why, or the first paths that were reversed
    text: str
    duration_ms: float | None  # how long a try took, in milliseconds; None if unknown
    origin: Origin | None = None  # who ran it; None if it is not a try


_BY_WHOM = """
       CASE WHEN decision IS NULL THEN 'by hooks' WHEN decided_by = 'nobody' THEN 'since nobody could be asked'
            WHEN decided_by = 'not_recorded' THEN 'by whom its recording does not say' ELSE 'by the recorded ' || decided_by END
       || CASE WHEN why IS NULL THEN '' ELSE ': ' || why END
       || CASE WHEN hooks IS NULL THEN '' ELSE ' (' || array_to_string(hooks, '; ') || ')' END"""

_STEPS = f"""
SELECT coalesce(finished_at, started_at) AS occurred_at, 'run' AS kind, action_index, name, status, coalesce(reason, '') AS reason,
       CASE WHEN coalesce(message, '') <> '' THEN message ELSE coalesce(result::VARCHAR, '') END AS text,
       {TOOK} AS duration_ms, origin,
       CASE status WHEN 'pending' THEN 2 ELSE 4 END AS rank
FROM executions WHERE turn_id = $turn_id::UUID AND {FIRST_EXECUTIONS}
UNION ALL BY NAME
SELECT requested_at AS occurred_at, 'asked' AS kind, action_index, name, '' AS status, '' AS reason, arguments::VARCHAR AS text, 1 AS rank
FROM approvals WHERE turn_id = $turn_id::UUID
UNION ALL BY NAME
SELECT decided_at AS occurred_at, 'decided' AS kind, action_index, name, decision AS status, '' AS reason,
       'by ' || decided_by || CASE WHEN why <> '' THEN ': ' || why ELSE '' END
              || CASE WHEN changed_arguments IS NULL THEN '' ELSE ' with ' || changed_arguments::VARCHAR END AS text, 3 AS rank
FROM approvals WHERE turn_id = $turn_id::UUID AND decision IS NOT NULL
UNION ALL BY NAME
SELECT finished_at AS occurred_at, 'told' AS kind, '' AS name, '' AS status, '' AS reason, coalesce(feedback, '') AS text, 5 AS rank
FROM turn_ends WHERE turn_id = $turn_id::UUID
UNION ALL BY NAME
SELECT finished_at AS occurred_at, 'told' AS kind, 'again' AS name, '' AS status, '' AS reason, coalesce(feedback, '') AS text, 5 AS rank
FROM resumptions WHERE turn_id = $turn_id::UUID
UNION ALL BY NAME
SELECT reversed_at AS occurred_at, 'reversed' AS kind, action_index, name, kind AS status, '' AS reason,
       array_to_string(paths::VARCHAR[], ', ') || CASE WHEN path_count > len(paths::VARCHAR[]) THEN ', …' ELSE '' END AS text, 6 AS rank
FROM reversals WHERE turn_id = $turn_id::UUID
UNION ALL BY NAME
SELECT recorded_at AS occurred_at, 'noted' AS kind, code AS name, '' AS status, '' AS reason, coalesce(message, '') AS text, 4 AS rank
FROM events WHERE turn_id = $turn_id::UUID AND code IS NOT NULL AND code <> '{PERMISSION}'
UNION ALL BY NAME
SELECT coalesce(finished_at, started_at) AS occurred_at, 'decided' AS kind, action_index, name, coalesce(decision, 'watched') AS status,
       '' AS reason, {_BY_WHOM} AS text, 3 AS rank
FROM (FROM permissions WHERE turn_id = $turn_id::UUID AND (decision IS NOT NULL OR hooks IS NOT NULL))
JOIN (SELECT execution_id, started_at, finished_at FROM executions WHERE turn_id = $turn_id::UUID) USING (execution_id)
"""

_ORDERED = f"""
SELECT {picked(Step)} FROM ({_STEPS})
ORDER BY occurred_at NULLS LAST, rank, action_index"""


def timeline(ledger: Queryable, turn_id: str) -> list[Step]:
    """Return the events of a turn, in the order of their time."""
    return rows(ledger, Step, _ORDERED, {"turn_id": turn_id})


@dataclass(frozen=True, slots=True)
class Landmarks:
    """The positions of a session that a reader jumps to."""

    first: int  # first, last: its first and its last turn
    last: int
    prompts: tuple[int, ...]  # the turns directly after a user's message
    failures: tuple[int, ...]  # the turns with a failure, as in `Filter.is_failing`


_LANDMARKS = f"""
SELECT min(turn_index) AS first, max(turn_index) AS last,
       coalesce(list(turn_index ORDER BY turn_index) FILTER (prompt <> ''), []) AS prompts,
       (SELECT coalesce(list(DISTINCT turn_index ORDER BY turn_index), []) FROM parse_attempts
        WHERE session_id = $session_id::UUID AND {FIRST_READING} AND {FAILING}) AS failures
FROM turn_starts WHERE session_id = $session_id::UUID HAVING count(*) > 0"""


def landmarks(ledger: Queryable, session_id: str) -> Landmarks | None:
    """Return the positions of a session to jump to; None if it has no recorded response."""
    if not is_uuid(session_id):
        return None
    return next(iter(rows(ledger, Landmarks, _LANDMARKS, {"session_id": session_id})), None)
