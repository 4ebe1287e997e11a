"""What somebody was asked, and what is recorded as decided: each request once for every decision about it that stands there.

Who may append to a ledger may append a decision. Which one counts, ``session.valid_decisions`` says; nothing is to be run on what
is found here alone.
"""

from actionledger.core.values import Approval
from actionledger.ledger.queries.base import Queryable, picked, rows
from actionledger.ledger.storage.fitting import is_uuid

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
    """Return the requests about actions that wait, whether something was decided or not, those that have waited longest first."""
    return rows(ledger, Approval, _APPROVALS.format(columns=_COLUMNS, condition=_IS_OPEN))


def approvals_of_turn(ledger: Queryable, turn_id: str) -> list[Approval]:
    """Return what was asked in a turn and recorded as decided, oldest first."""
    if not is_uuid(turn_id):
        return []
    return rows(
        ledger,
        Approval,
        _APPROVALS.format(columns=_COLUMNS, condition="s.turn_id = $id::UUID"),
        {"id": turn_id},
    )


def approvals_called(ledger: Queryable, prefix: str) -> list[Approval]:
    """Return the approvals whose identifier begins so; none for what no identifier begins with."""
    if not prefix or not is_uuid(f"{prefix}{_ANY_ID[len(prefix) :]}"):
        return []
    condition = "starts_with(s.approval_id::VARCHAR, lower($prefix))"
    return rows(
        ledger, Approval, _APPROVALS.format(columns=_COLUMNS, condition=condition), {"prefix": prefix}
    )


_ANY_ID = "00000000-0000-0000-0000-000000000000"
