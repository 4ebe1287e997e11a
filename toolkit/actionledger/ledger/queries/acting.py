"""What actions turns have: their names and how the first one begins, for a list of turns."""

from collections.abc import Sequence
from dataclasses import dataclass

from actionledger.ledger.queries.base import Queryable, rows
from actionledger.ledger.queries.dating import rows_of_page
from actionledger.ledger.queries.turns import reading


@dataclass(frozen=True, slots=True)
class TurnActions:
    """The actions of one turn.

    Args:
        session_id: its session.
        turn_index: its place in the session, from 0.
        names: the actions' names, in text order; what was shown and not meant is none.
        arguments: at most 160 characters of the first one's arguments, as JSON.
    """

    session_id: str
    turn_index: int
    names: tuple[str, ...]
    arguments: str = ""


_CALLED = rows_of_page(
    "actions", "session_id, turn_index, action_index, name, arguments, status", "attempt_id"
)

_ACTIONS = f"""
WITH asked AS (SELECT unnest($sessions)::UUID AS session_id, unnest($places) AS turn_index),
page AS (SELECT attempt_id, occurred_at FROM parse_attempts SEMI JOIN asked USING (session_id, turn_index) WHERE {{reading}}),
called AS ({_CALLED})
SELECT session_id::VARCHAR AS session_id, turn_index, list(name ORDER BY action_index) AS names,
       left(min_by(arguments, action_index)::VARCHAR, 160) AS arguments
FROM called WHERE status <> 'illustration' GROUP BY ALL ORDER BY ALL"""


def actions_of_turns(
    ledger: Queryable, turns: Sequence[tuple[str, int]], run_id: str | None = None
) -> list[TurnActions]:
    """Return what actions some turns have; a turn without any is not among them.

    Args:
        ledger: what to ask.
        turns: each a session's id and a place in it.
        run_id: the run whose readings to take; None for the first ones.
    """
    bound = {"sessions": [session for session, _ in turns], "places": [place for _, place in turns]}
    run = {} if run_id is None else {"run_id": run_id}
    return rows(ledger, TurnActions, _ACTIONS.format(reading=reading(run_id)), bound | run) if turns else []
