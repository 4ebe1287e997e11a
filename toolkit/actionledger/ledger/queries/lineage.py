"""Which sessions are children of others, which call started each, and which sessions an erasure includes."""

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
    """A child of another session."""

    session_id: str
    external_id: str  # its name at its source
    relation: Relation | None  # how it is related to its parent; None if unknown
    turns: int  # how many responses it has
    failed: int  # how many of its attempted executions did not succeed
    title: str | None = None  # its title by its source or its task; None if it has none


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
"""Children are selected first: DuckDB would otherwise count the turns and failures of all sessions, and most have no child."""


def children(ledger: Queryable, session_id: str) -> list[Child]:
    """Return the children of a session, the oldest first."""
    if not is_uuid(session_id):
        return []
    return rows(ledger, Child, _CHILDREN, {"session_id": session_id, "attempted": ATTEMPTED})


Sign: TypeAlias = Literal["call", "result", "text"]
"""The evidence: the call's identifier is the sub-agent's name, the call's result contains that name, or the call contains the sub-agent's prompt."""

SHORTEST_NAME = 6
SHORTEST_TEXT = 16
"""The fewest characters of a name and of a text that identify a sub-agent."""


@dataclass(frozen=True, slots=True)
class Start:
    """The call that started a sub-agent."""

    child_id: str  # the sub-agent's session
    turn_index: int  # the turn of the parent
    action_index: int  # the call's position among the actions of its first parse
    action: str  # its name, as the model wrote it
    sign: Sign  # the evidence


_STARTS = f"""
WITH born AS MATERIALIZED (
    SELECT session_id, regexp_extract(external_id, '(?:agent-)?([^/:]*)$', 1) AS own_name FROM {LINKED_STARTS}
    WHERE parent_session_id = $session_id::UUID AND relation = '{Relation.SUBAGENT}'),
children AS (
    SELECT session_id, own_name, prompt AS told FROM born LEFT JOIN (
        SELECT session_id, trim(arg_min(prompt, turn_index)) AS prompt FROM turn_starts
        WHERE session_id IN (SELECT session_id FROM born) GROUP BY session_id) USING (session_id)),
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
"""Signs rank by their names in alphabetical order. If several results name a sub-agent, the later ones continued it. If several calls have the
same text, the starting call is unknown."""


def starts(ledger: Queryable, session_id: str) -> list[Start]:
    """Return the calls that started the sub-agents of a session; sub-agents without evidence are not included."""
    return rows(ledger, Start, _STARTS, {"session_id": session_id}) if is_uuid(session_id) else []


class Forgettable(NamedTuple):
    """A session that is to be erased."""

    session_id: str
    name: str  # its own name; empty for live sessions
    source: str  # where it comes from
    is_child: bool  # whether it is erased because its parent is
    turns: tuple[str, ...]  # the identifiers of its turns, superseded ones included


# One long text, since DuckDB 1.5 takes a hundred times as long for a list of parameters.
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
    """Return sessions and all their descendants, the requested ones first; unknown ones are ignored."""
    if not session_ids:
        return []
    found = ledger.sql(_FAMILY, {"ids": ",".join(session_ids)}).fetchall()
    return [
        Forgettable(session_id, name, source, is_child, tuple(turns))
        for session_id, name, source, is_child, turns in found
    ]


def older_sessions(ledger: Queryable, before: datetime) -> list[str]:
    """Return the sessions without activity since a time (UTC, no zone), in themselves or their descendants: a last response, an end, or else the recording."""
    return [row[0] for row in ledger.sql(_OLDER, {"before": before}).fetchall()]
