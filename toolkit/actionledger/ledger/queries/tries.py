"""Every try at every action of a session, as it has to be known to have it once more."""

from dataclasses import dataclass
from datetime import datetime

from actionledger.core.vocabulary import ExecutionStatus, Origin, Reason
from actionledger.ledger.queries.base import Queryable, picked, rows
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS
from actionledger.ledger.storage.fitting import is_uuid


@dataclass(frozen=True, slots=True)
class RecordedTry:
    """One try at running an action.

    Args:
        turn_index: its turn's place in the session, from 0.
        action_index: the action's place among its response's actions, from 0.
        name: the action's name.
        try_number: from 1.
        arguments: what it ran with, as JSON text of an object.
        status: what came of it.
        reason: why it did not succeed; None where it did.
        result: what the handler returned, as JSON text.
        message: what the model was told where it did not succeed.
        duration_ms: how long it took, in milliseconds; None where nobody saw its end.
        started_at, finished_at: when, UTC without a zone; None if unknown.
        origin: who has run it.
    """

    turn_index: int
    action_index: int
    name: str
    try_number: int
    arguments: str
    status: ExecutionStatus
    reason: Reason | None
    result: str
    message: str
    duration_ms: float | None
    started_at: datetime | None
    finished_at: datetime | None
    origin: Origin


_TRY = picked(
    RecordedTry,
    arguments="coalesce(arguments, written, '{}')::VARCHAR",
    result="coalesce(result::VARCHAR, 'null')",
    message="coalesce(message, '')",
)

_TRIES = f"""
SELECT {_TRY} FROM executions
LEFT JOIN (SELECT action_id, arguments AS written FROM actions WHERE session_id = $session_id::UUID) USING (action_id)
WHERE session_id = $session_id::UUID AND {FIRST_EXECUTIONS}
      AND ($turn_index::INTEGER IS NULL OR turn_index = $turn_index::INTEGER)
ORDER BY turn_index, action_index, try_number"""


def recorded_tries(ledger: Queryable, session_id: str, turn_index: int | None = None) -> list[RecordedTry]:
    """Return every first try at every action of a session, in the order of the actions.

    Args:
        ledger: what to ask.
        session_id: the session; anything that is no identifier has none.
        turn_index: the turn whose actions are meant; None for all.
    """
    if not is_uuid(session_id):
        return []
    return rows(ledger, RecordedTry, _TRIES, {"session_id": session_id, "turn_index": turn_index})
