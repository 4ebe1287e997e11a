"""One session as a whole."""

from dataclasses import dataclass
from datetime import datetime

from actionledger.core.vocabulary import Relation
from actionledger.ledger.queries.base import (
    Queryable,
    picked,
    rows,
)
from actionledger.ledger.storage.projection import is_uuid
from actionledger.ledger.storage.schema import sessions_of


@dataclass(frozen=True, slots=True)
class Session:
    """What is known of one session as a whole.

    Args:
        session_id: identifies it.
        external_id: its name where it comes from; empty for live sessions.
        source: where it comes from.
        profile, model, task: what it ran with, and what it is about.
        started_at, finished_at: when, UTC without a zone; None where the source doesn't say.
        metadata: what else the source says, as JSON text of an object.
        turns: how many responses it has.
        success: whether it reached what it was for; None if unknown.
        reason: why it ended, in its source's words; None if unknown.
        parent_session_id: the session that it is a child of, recorded or not; None where it is none.
        relation: how it is its child.
        scores: what its source has scored it with, as JSON text of an object; None if unknown.
        labels: what its source has filed it under, as JSON text of a list; None if unknown.
    """

    session_id: str
    external_id: str
    source: str
    profile: str
    model: str
    task: str
    started_at: datetime | None
    finished_at: datetime | None
    metadata: str
    turns: int
    success: bool | None
    reason: str | None
    parent_session_id: str | None = None
    relation: Relation | None = None
    scores: str | None = None
    labels: str | None = None


_TURNS = "(SELECT count(*) FROM turn_starts WHERE session_id = $session_id::UUID)"


_ONE = f"SELECT {picked(Session, turns=_TURNS)} FROM ({sessions_of('session_id = $session_id::UUID')}) AS sessions"


def session(ledger: Queryable, session_id: str) -> Session | None:
    """Return what is known of one session, or None where there is none of that id.

    Args:
        ledger: what to ask.
        session_id: the session; anything that is no identifier finds nothing.
    """
    if not is_uuid(session_id):
        return None
    return next(iter(rows(ledger, Session, _ONE, {"session_id": session_id})), None)
