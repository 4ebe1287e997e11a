"""How far a turn or a session got: its tries, its approvals, and the data to resume it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from actionledger.core.ids import is_uuid
from actionledger.core.recording import SessionKey, TurnKey
from actionledger.core.values import Approval
from actionledger.core.vocabulary import ExecutionStatus, Origin, Reason
from actionledger.ledger.queries.base import TAKEN_BACK, Queryable, picked, rows
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS, FIRST_READING


@dataclass(frozen=True, slots=True)
class TurnHead:
    """The columns that identify a recorded turn."""

    turn_id: str
    session_id: str
    turn_index: int
    profile: str  # profile, model, task, occurred_at: its dimensions
    model: str
    task: str
    occurred_at: datetime | None

    @property
    def key(self) -> TurnKey:
        """The turn as its events carry it."""
        session = SessionKey(
            session_id=self.session_id, profile=self.profile, model=self.model, task=self.task
        )
        return TurnKey(
            session=session, turn_id=self.turn_id, index=self.turn_index, occurred_at=self.occurred_at
        )


@dataclass(frozen=True, slots=True)
class TurnProgress(TurnHead):
    """A recorded turn."""

    text: str  # the response
    finish_reason: str | None  # why the model stopped, in its provider's term; None if unknown
    text_is_exact: bool  # False if a lone surrogate or a secret was replaced before recording
    attempt_id: str  # the first parse attempt
    parser_id: str  # the hash of its parser
    is_finished: bool  # whether its end is recorded


@dataclass(frozen=True, slots=True)
class LastTry:
    """The last try at an action."""

    execution_id: str
    action_index: int  # the action's position among its response's actions, from 0
    name: str  # the action's name
    try_number: int
    status: ExecutionStatus  # how it ended
    reason: Reason | None  # why it did not succeed; None if it did
    result: str  # what the handler returned, as JSON text
    message: str  # the message to the model if it did not succeed
    duration_ms: float  # how long it took, in milliseconds
    is_finished: bool  # whether its end is recorded
    is_undone: bool  # whether its changes were undone and not redone since


@dataclass(frozen=True, slots=True)
class ActionTried:
    """An action that was tried."""

    action_id: str
    attempt_id: str
    action_index: int
    name: str
    dialect: str
    session_id: str  # session_id, turn_id, turn_index, profile, model, task, occurred_at: its dimensions
    turn_id: str
    turn_index: int
    profile: str
    model: str
    task: str
    occurred_at: datetime | None


_IS_FINISHED = "EXISTS (SELECT 1 FROM turn_ends WHERE turn_id = $turn_id::UUID)"

_TURN = f"""
SELECT {picked(TurnProgress, is_finished=_IS_FINISHED)}
FROM turn_starts JOIN (SELECT turn_id, attempt_id, parser_id, parsed_at FROM parse_attempts WHERE {FIRST_READING})
USING (turn_id)
WHERE turn_id = $turn_id::UUID
ORDER BY parsed_at LIMIT 1"""

_TRY = picked(
    LastTry,
    result="coalesce(result::VARCHAR, 'null')",
    message="coalesce(message, '')",
    duration_ms="coalesce(duration_ms, 0)",
    is_finished="finished_at IS NOT NULL",
    is_undone=f"action_id IN ({TAKEN_BACK})",
)

_TRIES = f"""
SELECT {_TRY} FROM executions WHERE turn_id = $turn_id::UUID AND attempt_id = $attempt_id::UUID
QUALIFY row_number() OVER (PARTITION BY action_index ORDER BY try_number DESC) = 1"""

_ACTIONS_TRIED = f"""
SELECT DISTINCT ON (action_id) {picked(ActionTried)} FROM executions WHERE list_contains($ids, action_id::VARCHAR)"""

_REVERSALS = """
SELECT action_id::VARCHAR, count(*) FROM reversals WHERE list_contains($ids, action_id::VARCHAR) GROUP BY action_id"""

_NEXT_OF_SOURCE = """
SELECT session_id::VARCHAR, max(turn_index) + 1 FROM turn_starts
SEMI JOIN (SELECT session_id FROM session_starts WHERE source = $source) USING (session_id) GROUP BY ALL"""

_NEXT = "SELECT coalesce(max(turn_index) + 1, 0) FROM turn_starts WHERE session_id = $session_id::UUID"


def turn_progress(ledger: Queryable, turn_id: str) -> tuple[TurnProgress, list[LastTry]] | None:
    """Return a parsed turn, with the last try at each of its actions; None if there is none."""
    if not is_uuid(turn_id):
        return None
    turns = rows(ledger, TurnProgress, _TURN, {"turn_id": turn_id})
    if not turns:
        return None
    of_attempt = {"turn_id": turn_id, "attempt_id": turns[0].attempt_id}
    return turns[0], rows(ledger, LastTry, _TRIES, of_attempt)


def actions_tried(ledger: Queryable, action_ids: Sequence[str]) -> list[ActionTried]:
    """Return those of some actions that were tried."""
    return rows(ledger, ActionTried, _ACTIONS_TRIED, {"ids": list(action_ids)}) if action_ids else []


def reversal_counts(ledger: Queryable, action_ids: Sequence[str]) -> dict[str, int]:
    """Return how often each of some actions was undone or redone; actions with neither are not included."""
    return dict(ledger.sql(_REVERSALS, {"ids": list(action_ids)}).fetchall()) if action_ids else {}


def next_turn_index(ledger: Queryable, session_id: str) -> int:
    """Return the position of a session's next turn."""
    [(index,)] = ledger.sql(_NEXT, {"session_id": session_id}).fetchall()
    return int(index)


_BEGUN = """
SELECT name, epoch($now - started_at) AS age FROM executions
WHERE session_id = $session_id AND try_number = 1 AND started_at >= $now - to_microseconds($microseconds)
    AND origin = 'runtime' AND status NOT IN ('denied', 'rate_limited', 'skipped', 'pending', 'dry_run')
ORDER BY started_at"""


def recently_begun(
    ledger: Queryable, session_id: str, now: datetime, seconds: float
) -> tuple[tuple[str, float], ...]:
    """Return the actions that a session started within the last seconds: each one's name, and how long ago."""
    given = {"session_id": session_id, "now": now, "microseconds": round(seconds * 1_000_000)}
    return tuple((name, float(age)) for name, age in ledger.sql(_BEGUN, given).fetchall())


def next_turn_indexes(ledger: Queryable, source: str) -> dict[str, int]:
    """Return the position of the next turn for each session of a source, by the session's identifier."""
    return dict(ledger.sql(_NEXT_OF_SOURCE, {"source": source}).fetchall())


_APPROVALS = """
SELECT {columns} FROM approval_starts AS s
LEFT JOIN approval_ends USING (approval_id)
LEFT JOIN (
    SELECT detail->>'approval_id' AS signed_id, recorded_at AS signed_at, detail->>'signature' AS signature
    FROM events WHERE kind = 'approval_decided'
) AS signatures ON signed_id = s.approval_id::VARCHAR AND signed_at = decided_at
WHERE {condition}
ORDER BY requested_at, turn_index, action_index, decided_at"""

_COLUMNS = picked(
    Approval,
    decided_by="coalesce(decided_by, '')",
    why="coalesce(why, '')",
    decided_hash="coalesce(decided_hash, '')",
    changed_arguments="coalesce(changed_arguments::VARCHAR, '')",
    signature="coalesce(signature, '')",
)

_IS_OPEN = """(decision IS NULL OR action_id IN (
    SELECT action_id FROM executions GROUP BY action_id HAVING max_by(status, try_number) = 'pending'))"""


def open_approvals(ledger: Queryable) -> list[Approval]:
    """Return the approvals of pending actions, decided or not, the longest pending first."""
    return rows(ledger, Approval, _APPROVALS.format(columns=_COLUMNS, condition=_IS_OPEN))


def approvals_of_turn(ledger: Queryable, turn_id: str) -> list[Approval]:
    """Return the approvals that were requested in a turn and have a recorded decision, oldest first."""
    if not is_uuid(turn_id):
        return []
    return rows(
        ledger,
        Approval,
        _APPROVALS.format(columns=_COLUMNS, condition="s.turn_id = $id::UUID"),
        {"id": turn_id},
    )


def approvals_called(ledger: Queryable, prefix: str) -> list[Approval]:
    """Return the approvals whose identifier starts with a text."""
    if not prefix or not is_uuid(f"{prefix}{_ANY_ID[len(prefix) :]}"):
        return []
    condition = "starts_with(s.approval_id::VARCHAR, lower($prefix))"
    return rows(
        ledger, Approval, _APPROVALS.format(columns=_COLUMNS, condition=condition), {"prefix": prefix}
    )


_ANY_ID = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True, slots=True)
class RecordedTry:
    """One try at an action.

    Args:
        turn_index: its turn's position in the session, from 0.
        action_index: the action's position among its response's actions, from 0.
        name: the action's name.
        try_number: from 1.
        arguments: the arguments that it ran with, as JSON text of an object.
        status: how it ended.
        reason: why it did not succeed; None if it did.
        result: what the handler returned, as JSON text.
        message: the message to the model if it did not succeed.
        duration_ms: how long it took, in milliseconds; None if its end is unknown.
        started_at, finished_at: when it started and finished, UTC without a zone; None if unknown.
        origin: who ran it.
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


_TRY_OF_SESSION = picked(
    RecordedTry,
    arguments="coalesce(arguments, written, '{}')::VARCHAR",
    result="coalesce(result::VARCHAR, 'null')",
    message="coalesce(message, '')",
)

_TRIES_OF_SESSION = f"""
SELECT {_TRY_OF_SESSION} FROM executions
LEFT JOIN (SELECT action_id, arguments AS written FROM actions WHERE session_id = $session_id::UUID) USING (action_id)
WHERE session_id = $session_id::UUID AND {FIRST_EXECUTIONS}
      AND ($turn_index::INTEGER IS NULL OR turn_index = $turn_index::INTEGER)
ORDER BY turn_index, action_index, try_number"""


def recorded_tries(ledger: Queryable, session_id: str, turn_index: int | None = None) -> list[RecordedTry]:
    """Return every try at every action of a session, without those of reruns, in the order of the actions."""
    if not is_uuid(session_id):
        return []
    return rows(ledger, RecordedTry, _TRIES_OF_SESSION, {"session_id": session_id, "turn_index": turn_index})
