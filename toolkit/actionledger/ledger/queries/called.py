"""What recorded sessions have called, in their order: the calls that another schema or policy is asked about."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from actionledger.core.vocabulary import ActionStatus, Evidence, ExecutionStatus, Reason
from actionledger.ledger.queries.base import Queryable, Streamable, picked
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.scopes import scope

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class RecordedAction:
    """One action of a recorded response.

    Args:
        session_id, turn_id, turn_index, action_index: which.
        at: when the first try at it began, ours or another runtime's, or else its response was made, UTC without a zone; None where
            neither is recorded.
        name: its name.
        arguments: its arguments, as JSON text.
        dialect: the dialect that it was read in.
        evidence: what says that it was meant, where it stands without its format's own marks.
        status: what came of checking it.
        reason: why it could not run; None where it could.
        execution: what came of the last try at it, ours or another runtime's; None where none is recorded.
    """

    session_id: str
    turn_id: str
    turn_index: int
    action_index: int
    at: datetime | None
    name: str
    arguments: str
    dialect: str
    evidence: Evidence | None
    status: ActionStatus
    reason: Reason | None
    execution: ExecutionStatus | None


_COLUMNS = picked(
    RecordedAction,
    arguments="arguments::VARCHAR",
    at="coalesce(begun.at, occurred_at)",
    execution="last.status",
    status="actions.status",
)

_ACTIONS = f"""
WITH last AS (
    SELECT action_id, status FROM executions
    QUALIFY row_number() OVER (PARTITION BY action_id ORDER BY try_number DESC) = 1),
begun AS (SELECT action_id, min(started_at) AS at FROM executions GROUP BY action_id)
SELECT {_COLUMNS}
FROM (SELECT * FROM actions WHERE status <> '{ActionStatus.ILLUSTRATION}' AND {{condition}}) AS actions
LEFT JOIN last USING (action_id) LEFT JOIN begun USING (action_id)
ORDER BY session_id, turn_index, turn_id, action_index"""


def recorded_actions(ledger: Streamable, within: Filter = EVERYTHING) -> Iterator[RecordedAction]:
    """Yield the actions that were meant, session by session, in the order in which they were written.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    condition, parameters = scope(within, "actions")
    result = ledger.sql(_ACTIONS.format(condition=condition), parameters)
    while batch := result.fetchmany(_BATCH):
        for row in batch:
            yield _action(row)


def _action(row: tuple[Any, ...]) -> RecordedAction:
    session_id, turn_id, turn_index, action_index, at, name, arguments, dialect = row[:8]
    evidence, status, reason, execution = row[8:]
    return RecordedAction(
        session_id,
        turn_id,
        turn_index,
        action_index,
        at,
        name,
        arguments,
        dialect,
        evidence=Evidence(evidence) if evidence else None,
        status=ActionStatus(status),
        reason=Reason(reason) if reason else None,
        execution=ExecutionStatus(execution) if execution else None,
    )


_FIELDS = """
SELECT name, list_sort(list_distinct(flatten(list(json_keys(arguments))))) FROM actions
WHERE name <> '' AND status <> 'illustration' AND {condition} GROUP BY name ORDER BY name"""


def called_fields(ledger: Queryable, within: Filter = EVERYTHING) -> dict[str, list[str]]:
    """Return which arguments the calls of each name were given.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    condition, parameters = scope(within, "actions")
    return dict(ledger.sql(_FIELDS.format(condition=condition), parameters).fetchall())
