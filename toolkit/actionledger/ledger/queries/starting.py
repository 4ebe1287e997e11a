"""Which call of a session has started each of its sub-agents, as far as a recording tells."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from actionledger.core.vocabulary import Relation
from actionledger.ledger.queries.base import Queryable, rows
from actionledger.ledger.queries.scopes import FIRST_READING
from actionledger.ledger.storage.fitting import is_uuid
from actionledger.ledger.storage.schema import LINKED_STARTS

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
