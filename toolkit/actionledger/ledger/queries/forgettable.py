"""What goes if sessions are forgotten: they, and whatever is their child."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.storage.schema import LINKED_STARTS


class Forgettable(NamedTuple):
    """A session that is to be forgotten.

    Args:
        session_id: identifies it.
        name: its own name; empty for live sessions.
        source: where it comes from.
        is_child: whether it goes because its parent does.
        turns: the identifiers of its turns, those that were superseded among them.
    """

    session_id: str
    name: str
    source: str
    is_child: bool
    turns: tuple[str, ...]


# One long text, since a list of parameters takes DuckDB 1.5 a hundred times as long.
_FAMILY = f"""
WITH RECURSIVE asked AS (SELECT unnest(string_split($ids, ','))::UUID AS session_id),
family AS (
    SELECT session_id FROM asked
    UNION SELECT s.session_id FROM {LINKED_STARTS} AS s JOIN family ON s.parent_session_id = family.session_id),
named AS (SELECT DISTINCT session_id, external_id, source FROM session_starts SEMI JOIN family USING (session_id)),
turned AS (
    SELECT session_id, list(DISTINCT turn_id::VARCHAR) AS turns FROM (
        SELECT session_id, turn_id FROM turn_starts UNION ALL SELECT session_id, turn_id FROM superseded)
    SEMI JOIN family USING (session_id) GROUP BY session_id)
SELECT session_id::VARCHAR, external_id, source, session_id NOT IN (SELECT session_id FROM asked), coalesce(turns, [])
FROM named LEFT JOIN turned USING (session_id) ORDER BY 4, 2, 1"""

_OLDER = f"""
WITH RECURSIVE last AS (
    SELECT session_id, max(coalesce(occurred_at, recorded_at)) AS happened_at FROM turn_starts
    LEFT JOIN (SELECT turn_id, max(recorded_at) AS recorded_at FROM events GROUP BY turn_id) USING (turn_id) GROUP BY session_id
    UNION ALL SELECT session_id, max(finished_at) FROM session_ends GROUP BY session_id
    UNION ALL SELECT session_id, min(started_at) FROM session_starts GROUP BY session_id),
aged AS (SELECT session_id, max(happened_at) AS happened_at FROM session_starts LEFT JOIN last USING (session_id) GROUP BY session_id),
below AS (
    SELECT session_id AS root, session_id FROM aged
    UNION SELECT below.root, s.session_id FROM {LINKED_STARTS} AS s JOIN below ON s.parent_session_id = below.session_id)
SELECT root::VARCHAR FROM below JOIN aged USING (session_id)
GROUP BY root HAVING max(happened_at) < $before AND bool_and(happened_at IS NOT NULL) ORDER BY 1"""


def family(ledger: Queryable, session_ids: Collection[str]) -> list[Forgettable]:
    """Return sessions and all below them, those that were asked for first.

    Args:
        ledger: what to ask.
        session_ids: the sessions; those that there are not are passed over.
    """
    if not session_ids:
        return []
    found = ledger.sql(_FAMILY, {"ids": ",".join(session_ids)}).fetchall()
    return [
        Forgettable(session_id, name, source, is_child, tuple(turns))
        for session_id, name, source, is_child, turns in found
    ]


def older_sessions(ledger: Queryable, before: datetime) -> list[str]:
    """Return the sessions of which nothing happened since a moment, nor of any below them.

    What happened last is the last response's time or the session's end, where its source says them; else when they were recorded.

    Args:
        ledger: what to ask.
        before: the moment, UTC without a zone.
    """
    return [row[0] for row in ledger.sql(_OLDER, {"before": before}).fetchall()]
