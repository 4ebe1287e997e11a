"""Which sessions are children of others."""

from dataclasses import dataclass

from actionledger.core.vocabulary import Relation
from actionledger.ledger.queries.base import ATTEMPTED, Queryable, rows
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS
from actionledger.ledger.storage.fitting import is_uuid
from actionledger.ledger.storage.schema import LINKED_STARTS, executions_of, sessions_of


@dataclass(frozen=True, slots=True)
class Child:
    """A session that is another one's child.

    Args:
        session_id: identifies it.
        external_id: its name where it comes from.
        relation: how it is its child; None if unknown.
        turns: how many responses it has.
        failed: how many executions in it were attempted and did not succeed.
    """

    session_id: str
    external_id: str
    relation: Relation | None
    turns: int
    failed: int


_OF_CHILDREN = "session_id IN (SELECT session_id FROM born)"

_CHILDREN = f"""
WITH born AS (SELECT session_id FROM {LINKED_STARTS} WHERE parent_session_id = $session_id::UUID)
SELECT session_id::VARCHAR AS session_id, external_id, relation, coalesce(turns, 0) AS turns, coalesce(failed, 0) AS failed
FROM ({sessions_of(_OF_CHILDREN)}) AS sessions
LEFT JOIN (SELECT session_id, count(*) AS turns FROM turn_starts WHERE {_OF_CHILDREN} GROUP BY session_id) USING (session_id)
LEFT JOIN (
    SELECT session_id, count(*) AS failed FROM ({executions_of(_OF_CHILDREN)}) AS executions
    WHERE list_contains($attempted, status) AND status <> 'succeeded' AND {FIRST_EXECUTIONS} GROUP BY session_id) USING (session_id)
ORDER BY started_at NULLS LAST, external_id"""
"""Who the children are is asked first: DuckDB would count the turns and failures of everybody, and most sessions have no child."""


def children(ledger: Queryable, session_id: str) -> list[Child]:
    """Return the children of a session, the first one first.

    Args:
        ledger: what to ask.
        session_id: the session; anything that is no identifier has none.
    """
    if not is_uuid(session_id):
        return []
    return rows(ledger, Child, _CHILDREN, {"session_id": session_id, "attempted": ATTEMPTED})
