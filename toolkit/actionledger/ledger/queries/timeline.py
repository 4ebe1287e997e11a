"""What came of one turn, in the order in which it was recorded: tries, questions, decisions, undoing, what the model was told."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from actionledger.core.recording.turns import PERMISSION
from actionledger.core.vocabulary import Origin
from actionledger.ledger.queries.base import TOOK, Queryable, picked, rows
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS

Kind: TypeAlias = Literal["asked", "decided", "run", "reversed", "noted", "told"]
"""What happened: a person was asked, and decided; an action was run; what it changed was undone or redone; something was
noted; the model was told."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened in a turn.

    Args:
        occurred_at: when, UTC without a zone; None where it was begun and never ended.
        kind: what.
        action_index: the action's place among its response's actions, from 0; None where it is about none.
        name: the action's name, or what was noted.
        status: how the try ended, what was decided, or whether it was undone or redone; empty where none of these.
        reason: the code of why; empty where there is none.
        text: what the model or a person was told of it, who decided and why, or the first paths that were reversed.
        duration_ms: how long a try took, in milliseconds; None if unknown.
        origin: who has run it; None where it is no try.
    """

    occurred_at: datetime | None
    kind: Kind
    action_index: int | None
    name: str
    status: str
    reason: str
    text: str
    duration_ms: float | None
    origin: Origin | None = None


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
    """Return what came of a turn, in the order in which it happened.

    Args:
        ledger: what to ask.
        turn_id: the turn.
    """
    return rows(ledger, Step, _ORDERED, {"turn_id": turn_id})
