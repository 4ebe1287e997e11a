"""The turns of one session, light enough for a session of thousands."""

from dataclasses import dataclass

from actionledger.ledger.queries.base import REFUSED, RUNNABLE, Queryable, is_uuid, rows
from actionledger.ledger.queries.filters import FIRST_EXECUTIONS, FIRST_READING
from actionledger.vocabulary import Outcome, Reason


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One turn of a session, without its text.

    Args:
        index: its place in the session, from 0.
        outcome: what came of reading it; None where nothing (or not this run) has read it.
        reason: why it could not be read whole; None where it could.
        characters: how long the response is, in code points.
        actions: how many actions were read and meant.
        valid: how many of them may run.
        errors: how many fields were refused.
        executions: how many tries there were.
        failed: how many of them were attempted and did not succeed.
    """

    index: int
    outcome: Outcome | None
    reason: Reason | None
    characters: int
    actions: int
    valid: int
    errors: int
    executions: int
    failed: int

    @property
    def has_error(self) -> bool:
        """Whether something in the turn could not be read, is not valid or was not done."""
        unread = self.outcome is None or (self.outcome.has_intent and not self.outcome.is_success)
        return unread or self.valid < self.actions or self.failed > 0


_TURNS = """
WITH attempts AS (
    SELECT DISTINCT ON (turn_id) turn_id, attempt_id, outcome, reason FROM parse_attempts
    WHERE session_id = $session_id::UUID AND {reading} ORDER BY turn_id, parsed_at, attempt_id),
calls AS (
    SELECT attempt_id, count(*) FILTER (status <> 'illustration') AS actions,
           count(*) FILTER (list_contains($runnable, status)) AS valid
    FROM actions WHERE session_id = $session_id::UUID GROUP BY attempt_id),
refusals AS (
    SELECT attempt_id, count(*) AS errors
    FROM validation_errors WHERE session_id = $session_id::UUID AND {refused} GROUP BY attempt_id),
tries AS (
    SELECT turn_id, count(*) AS executions,
           count(*) FILTER (status IN ('failed', 'timed_out', 'interrupted')) AS failed
    FROM executions WHERE session_id = $session_id::UUID AND {carried_out} GROUP BY turn_id)
SELECT turn_index AS index, outcome, reason, characters, coalesce(actions, 0) AS actions, coalesce(valid, 0) AS valid,
       coalesce(errors, 0) AS errors, coalesce(executions, 0) AS executions, coalesce(failed, 0) AS failed
FROM turn_starts LEFT JOIN attempts USING (turn_id) LEFT JOIN calls USING (attempt_id)
LEFT JOIN refusals USING (attempt_id) LEFT JOIN tries USING (turn_id)
WHERE session_id = $session_id::UUID
ORDER BY turn_index"""


def reading(run_id: str | None) -> str:
    """Return the condition on ``parse_attempts`` that picks a run's readings, or the first ones."""
    return FIRST_READING if run_id is None else "run_id = $run_id::UUID"


def turns(ledger: Queryable, session_id: str, run_id: str | None = None) -> list[TurnRow]:
    """Return the turns of a session in order; none where there is no such session.

    Args:
        ledger: what to ask.
        session_id: the session.
        run_id: the run whose readings to show; None for the first ones.
    """
    if not is_uuid(session_id) or not (run_id is None or is_uuid(run_id)):
        return []
    bound = {"session_id": session_id, "runnable": RUNNABLE} | ({"run_id": run_id} if run_id else {})
    return rows(
        ledger,
        TurnRow,
        _TURNS.format(reading=reading(run_id), refused=REFUSED, carried_out=FIRST_EXECUTIONS),
        bound,
    )
