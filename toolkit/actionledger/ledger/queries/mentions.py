"""Where a text occurs in one session: in which turns, and in what of them."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from actionledger.ledger.queries.base import Queryable, rows
from actionledger.ledger.queries.found import HOLDS, IN_JSON, text_parameters
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS
from actionledger.ledger.storage.fitting import is_uuid

Place: TypeAlias = Literal["response", "arguments", "result"]
"""What of a turn a text occurs in."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A turn that a text occurs in.

    Args:
        index: the turn's place in its session, from 0.
        places: what of it the text occurs in, each once.
    """

    index: int
    places: tuple[Place, ...]


_MENTIONS = f"""
WITH found AS (
    SELECT turn_index, 'response' AS place FROM turns
    WHERE session_id = $session_id::UUID AND {HOLDS.format(column="text")}
    UNION ALL
    SELECT turn_index, 'arguments' FROM actions
    WHERE session_id = $session_id::UUID AND ({HOLDS.format(column="name")} OR {IN_JSON.format(column="arguments::VARCHAR")})
    UNION ALL
    SELECT turn_index, 'result' FROM executions
    WHERE session_id = $session_id::UUID AND {FIRST_EXECUTIONS}
          AND ({IN_JSON.format(column="result::VARCHAR")} OR {HOLDS.format(column="message")}))
SELECT turn_index AS index, list_sort(list(DISTINCT place)) AS places
FROM found GROUP BY turn_index ORDER BY turn_index LIMIT $limit"""


def mentions(ledger: Queryable, session_id: str, text: str, *, limit: int = 1_000) -> list[Mention]:
    """Return the turns of a session that a text occurs in, whatever the case of its letters."""
    if not text or not is_uuid(session_id):
        return []
    return rows(
        ledger, Mention, _MENTIONS, {"session_id": session_id, "limit": limit} | text_parameters(text)
    )
