"""What the model wrote in one session, and what it was shown before and after each time."""

from actionledger.ledger.queries.base import Queryable, rows
from actionledger.ledger.queries.turn import RESPONSES, Response
from actionledger.ledger.storage.fitting import is_uuid

_CONVERSATION = f"{RESPONSES} ORDER BY turn_index"


def conversation(ledger: Queryable, session_id: str) -> list[Response]:
    """Return the responses of a session in order; none where there is no such session.

    Args:
        ledger: what to ask.
        session_id: the session.
    """
    if not is_uuid(session_id):
        return []
    return rows(ledger, Response, _CONVERSATION, {"session_id": session_id})
