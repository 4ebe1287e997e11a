"""What events have in common: a head, and the dimensions of the rows that they become."""

from dataclasses import dataclass
from datetime import datetime

from actionledger.core.events.stored import Id, Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What every event has.

    Args:
        event_id: recorded once, however often it is written: a second event of the same id is passed over.
        recorded_at: when it was recorded, UTC without a zone.
        run_id: the run that it belongs to.
        kind: which kind of event it is; each class says its own.
    """

    event_id: Id
    recorded_at: datetime
    run_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class InTurn(Recorded):
    """What every event within a turn has.

    Args:
        session_id: the session that it belongs to.
        turn_id: the turn that it belongs to.
    """

    session_id: Id
    turn_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEvent(InTurn):
    """What an event has that becomes rows with the dimensions of their turn.

    Args:
        turn_index: the turn's place in its session, from 0.
        profile: the profile that the session runs under.
        model: the session's language model, as its source names it.
        task: what the session is about.
        occurred_at: when the response was made, UTC without a zone; None where the source doesn't say.
    """

    turn_index: int
    profile: Word
    model: Word
    task: Word
    occurred_at: datetime | None
