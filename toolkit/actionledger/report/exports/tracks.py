"""One session as its exports see it: what it is, and everything of its turns, one after the other."""

from collections.abc import Iterator
from dataclasses import dataclass

from actionledger.core.errors import UsageError
from actionledger.ledger import Ledger, queries
from actionledger.ledger.queries import Session, TurnDetail

_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Track:
    """One session.

    Args:
        session: what is known of it as a whole.
        indexes: the places of its turns, in order.
        run_id: the run whose readings are shown; None for the first ones.
        ledger: where it is.
    """

    session: Session
    indexes: tuple[int, ...]
    run_id: str | None
    ledger: Ledger

    def turns(self) -> Iterator[TurnDetail]:
        """Yield everything of each turn; no more are held than are asked for at once."""
        for place in range(0, len(self.indexes), _AT_ONCE):
            held = self.indexes[place : place + _AT_ONCE]
            yield from queries.turn_details(
                self.ledger, self.session.session_id, (held[0], held[-1]), self.run_id
            )


def track(ledger: Ledger, session_id: str, run_id: str | None = None) -> Track:
    """Return a session to go through.

    Args:
        ledger: where it is.
        session_id: which.
        run_id: the run whose readings to show; None for the first ones.

    Raises:
        UsageError: there is no such session.
    """
    session = queries.session(ledger, session_id)
    if session is None:
        raise UsageError(
            f"There is no session {session_id!r} in this ledger; 'actionledger show' lists them."
        )
    indexes = tuple(row.index for row in queries.turns(ledger, session.session_id, run_id))
    return Track(session, indexes, run_id, ledger)
