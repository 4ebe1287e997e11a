"""Which sessions are children of others, which call has started each, and what goes if sessions are forgotten."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

from actionledger.core.ids import is_uuid
from actionledger.core.vocabulary import Relation
from actionledger.ledger.queries.base import ATTEMPTED, Queryable, rows
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS, FIRST_READING
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
        title: what its source or its task calls it; None where nothing does.
    """

    session_id: str
    external_id: str
    relation: Relation | None
    turns: int
    failed: int
    title: str | None = None


_OF_CHILDREN = "session_id IN (SELECT session_id FROM born)"

_CHILDREN = f"""
WITH born AS (SELECT session_id FROM {LINKED_STARTS} WHERE parent_session_id = $session_id::UUID)
SELECT session_id::VARCHAR AS session_id, external_id, title, relation, coalesce(turns, 0) AS turns, coalesce(failed, 0) AS failed
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


Sign: TypeAlias = Literal["call", "result", "text"]
"""What tells it: the sub-agent is named by the call's identifier, the call's result names it, or the call holds what it was told first."""

SHORTEST_NAME = 6
SHORTEST_TEXT = 16
"""How many characters a name and a text have at least, to tell one sub-agent from others."""


@dataclass(frozen=True, slots=True)
class Start:
    """The call that has started a sub-agent.

    Args:
        child_id: the sub-agent's session.
        turn_index: the turn of the parent.
        action_index: the call's place among the actions of its first reading.
        action: its name, as the model wrote it.
        sign: what tells it.
    """

    child_id: str
    turn_index: int
    action_index: int
    action: str
    sign: Sign


_STARTS = f"""
WITH children AS (
    SELECT session_id, regexp_extract(external_id, '(?:agent-)?([^/:]*)$', 1) AS own_name, prompt AS told
    FROM {LINKED_STARTS} LEFT JOIN (
        SELECT session_id, trim(arg_min(prompt, turn_index)) AS prompt FROM turn_starts GROUP BY session_id) USING (session_id)
    WHERE parent_session_id = $session_id::UUID AND relation = '{Relation.SUBAGENT}'),
calls AS (
    SELECT action_id, turn_index, action_index, name, coalesce(call_id, '') AS call_id,
           list_filter(json_extract_string(arguments, '$.*'), lambda each: length(trim(each)) >= {SHORTEST_TEXT}) AS texts
    FROM actions WHERE session_id = $session_id::UUID AND {FIRST_READING} AND status <> 'illustration'),
answers AS (
    SELECT action_id, string_agg(concat_ws(' ', result::VARCHAR, message), ' ') AS answer
    FROM executions WHERE session_id = $session_id::UUID GROUP BY action_id),
signs AS (
    SELECT children.session_id, turn_index, action_index, name, CASE
               WHEN length(call_id) >= {SHORTEST_NAME} AND own_name = call_id THEN 'call'
               WHEN length(own_name) >= {SHORTEST_NAME} AND contains(coalesce(answer, ''), own_name) THEN 'result'
               WHEN len(list_filter(texts, lambda each: contains(told, trim(each)))) > 0 THEN 'text' END AS sign
    FROM children, calls LEFT JOIN answers USING (action_id)),
ranked AS (
    SELECT *, row_number() OVER (PARTITION BY session_id ORDER BY sign, turn_index, action_index) AS place,
           count(*) OVER (PARTITION BY session_id, sign) AS alike
    FROM signs WHERE sign IS NOT NULL)
SELECT session_id::VARCHAR AS child_id, turn_index, action_index, name AS action, sign FROM ranked
WHERE place = 1 AND (sign <> 'text' OR alike = 1)
ORDER BY turn_index, action_index, child_id"""
"""The signs stand in the order of their names. Who is named by several results was asked again by the later ones; of calls with the same
text it is unknown which one it was."""


def starts(ledger: Queryable, session_id: str) -> list[Start]:
    """Return which calls have started the sub-agents of a session; one of which no recording tells is not among them.

    Args:
        ledger: what to ask.
        session_id: the session; anything that is no identifier has none.
    """
    return rows(ledger, Start, _STARTS, {"session_id": session_id}) if is_uuid(session_id) else []


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
