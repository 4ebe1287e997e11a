"""What waits for a decision, and what was decided."""

from actionledger.ledger.queries.base import Queryable, is_uuid, rows
from actionledger.values import Approval

_APPROVALS = """
SELECT approval_id::VARCHAR AS approval_id, session_id::VARCHAR AS session_id, turn_id::VARCHAR AS turn_id, turn_index,
       action_index, profile, model, name, arguments::VARCHAR AS arguments, content_hash, is_exact, requested_at,
       decision, coalesce(decided_by, '') AS decided_by, coalesce(why, '') AS why,
       coalesce(decided_hash, '') AS decided_hash, coalesce(changed_arguments::VARCHAR, '') AS changed_arguments,
       decided_at
FROM approvals WHERE {condition} ORDER BY requested_at, turn_index, action_index"""

_WAITS = "decision IS NULL"

_DECIDED_AND_NOT_DONE = """decision IS NOT NULL AND action_id IN (
    SELECT action_id FROM executions GROUP BY action_id HAVING max_by(status, try_number) = 'pending')"""


def waiting_approvals(ledger: Queryable) -> list[Approval]:
    """Return the actions that wait for a decision, those that have waited longest first."""
    return rows(ledger, Approval, _APPROVALS.format(condition=_WAITS))


def decided_approvals(ledger: Queryable) -> list[Approval]:
    """Return the actions about which a decision was made that nobody has carried out yet."""
    return rows(ledger, Approval, _APPROVALS.format(condition=_DECIDED_AND_NOT_DONE))


def approvals_of_turn(ledger: Queryable, turn_id: str) -> list[Approval]:
    """Return what was asked and decided about in a turn, oldest first."""
    return rows(ledger, Approval, _APPROVALS.format(condition="turn_id = $id::UUID"), {"id": turn_id})


def approvals_called(ledger: Queryable, prefix: str) -> list[Approval]:
    """Return the approvals whose identifier begins so; none for what no identifier begins with."""
    if not prefix or not is_uuid(f"{prefix}{_ANY_ID[len(prefix) :]}"):
        return []
    condition = "starts_with(approval_id::VARCHAR, lower($prefix))"
    return rows(ledger, Approval, _APPROVALS.format(condition=condition), {"prefix": prefix})


_ANY_ID = "00000000-0000-0000-0000-000000000000"
