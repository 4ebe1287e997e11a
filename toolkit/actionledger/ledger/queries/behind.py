"""The turns behind a number: what a mark of a chart opens."""

from dataclasses import dataclass

from actionledger.ledger.queries.base import Queryable, number, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter, Scope, scope
from actionledger.ledger.queries.reasons import NOT_DONE, NOT_READ, Stage
from actionledger.vocabulary import Outcome, Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What of the responses within a filter a number counts; what is left empty leaves nothing out.

    Args:
        stage: where something went wrong in the turn.
        code: what went wrong there; needs a stage.
        action: the action that it went wrong with, as the model wrote it; needs a stage other than reading.
        outcomes: what came of reading the response.
        executions: what came of an execution in the turn.
    """

    stage: Stage | None = None
    code: str | None = None
    action: str | None = None
    outcomes: tuple[str, ...] = ()
    executions: tuple[str, ...] = ()


ALL_TURNS = Mark()
"""Every turn within a filter."""


@dataclass(frozen=True, slots=True)
class TurnBehind:
    """One turn of those that a number counts.

    Args:
        session_id: its session.
        external_id: the session's name where it comes from; empty for live sessions.
        turn_index: its place in the session, from 0.
        model: the language model.
        outcome: what came of reading it.
        reason: what went wrong first, in reading, in checking or in acting; None where nothing did.
        snippet: at most 160 characters of the response, from where its first issue or block begins.
    """

    session_id: str
    external_id: str
    turn_index: int
    model: str
    outcome: Outcome
    reason: Reason | None
    snippet: str


_STAGES: dict[Stage, str] = {
    "reading": "{not_read} AND {reason}",
    "checking": "attempt_id IN (SELECT attempt_id FROM validation_errors WHERE code <> 'converted' AND {code} AND {action})",
    "acting": (
        "attempt_id IN (SELECT attempt_id FROM executions WHERE {not_done} AND {reason} AND {action})"
    ),
}

_EXECUTED = "attempt_id IN (SELECT attempt_id FROM executions WHERE list_contains($executions, status))"

_COUNT = "SELECT count(*) FROM parse_attempts WHERE {condition}"

_PAGE = """
WITH page AS (
    SELECT attempt_id, session_id, turn_id, turn_index, model, outcome, reason, occurred_at FROM parse_attempts
    WHERE {condition}
    ORDER BY occurred_at DESC NULLS LAST, session_id, turn_index, attempt_id LIMIT $limit OFFSET $offset),
places AS (
    SELECT attempt_id, min(span_start) AS place FROM (
        SELECT attempt_id, span_start FROM issues UNION ALL SELECT attempt_id, span_start FROM blocks)
    WHERE attempt_id IN (SELECT attempt_id FROM page) GROUP BY attempt_id),
refused AS (
    SELECT attempt_id, min_by(code, action_index) AS refusal FROM validation_errors
    WHERE code <> 'converted' AND attempt_id IN (SELECT attempt_id FROM page) GROUP BY attempt_id),
failed AS (
    SELECT attempt_id, min_by(reason, action_index) AS failure FROM executions
    WHERE {not_done} AND attempt_id IN (SELECT attempt_id FROM page) GROUP BY attempt_id)
SELECT session_id::VARCHAR AS session_id, external_id, turn_index, model, outcome,
       coalesce(reason, refusal, failure) AS reason,
       trim(regexp_replace(
           CASE WHEN place > 20 THEN '…' || substring(text, place - 19, 159) ELSE substring(text, 1, 160) END,
           '\\s+', ' ', 'g')) AS snippet
FROM page
JOIN (SELECT turn_id, text FROM turn_starts WHERE turn_id IN (SELECT turn_id FROM page)) USING (turn_id)
JOIN (SELECT session_id, external_id FROM session_starts) USING (session_id)
LEFT JOIN places USING (attempt_id) LEFT JOIN refused USING (attempt_id) LEFT JOIN failed USING (attempt_id)
ORDER BY occurred_at DESC NULLS LAST, session_id, turn_index, attempt_id"""


def turns_behind(
    ledger: Queryable,
    within: Filter = EVERYTHING,
    mark: Mark = ALL_TURNS,
    *,
    limit: int = 50,
    offset: int = 0,
) -> list[TurnBehind]:
    """Return a page of the turns that a number counts, the latest first.

    Args:
        ledger: what to ask.
        within: the filter that the number was made under.
        mark: which of the responses within it.
        limit: how many turns a page has.
        offset: how many turns stand before it.
    """
    condition, parameters = _condition(within, mark)
    bound = parameters | {"limit": limit, "offset": offset}
    return rows(ledger, TurnBehind, _PAGE.format(condition=condition, not_done=NOT_DONE), bound)


def count_turns_behind(ledger: Queryable, within: Filter = EVERYTHING, mark: Mark = ALL_TURNS) -> int:
    """Return how many turns a number counts.

    Args:
        ledger: what to ask.
        within: the filter that the number was made under.
        mark: which of the responses within it.
    """
    condition, parameters = _condition(within, mark)
    return number(ledger, _COUNT.format(condition=condition), parameters)


def _condition(within: Filter, mark: Mark) -> Scope:
    condition, parameters = scope(within)
    parts = [condition]
    bound = dict(parameters)
    if mark.stage is not None:
        known = {"code": mark.code, "action": None if mark.stage == "reading" else mark.action}
        bound |= {name: value for name, value in known.items() if value is not None}
        parts.append(
            _STAGES[mark.stage].format(
                not_read=NOT_READ,
                not_done=NOT_DONE,
                reason="true" if mark.code is None else "reason = $code",
                code="true" if mark.code is None else "code = $code",
                action="true" if mark.action is None else "name = $action",
            )
        )
    if mark.outcomes:
        parts.append("list_contains($outcomes, outcome)")
        bound["outcomes"] = list(mark.outcomes)
    if mark.executions:
        parts.append(_EXECUTED)
        bound["executions"] = list(mark.executions)
    return Scope(" AND ".join(parts), bound)
