"""The rows that a filter selects, whole, as statements: what an export writes."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from actionledger.core.errors import UsageError
from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.marks import ALL_TURNS, Mark, of_mark, picked_turns_behind, whole_turns_of
from actionledger.ledger.queries.scopes import scope

Selected: TypeAlias = Literal["sessions", "turns", "readings", "actions", "executions"]
"""What there is to select: sessions, responses, parse attempts, actions, tries at them."""


class Selection(NamedTuple):
    """A statement with its values.

    Args:
        statement: one SELECT.
        parameters: its values by name.
    """

    statement: str
    parameters: dict[str, object]


PICKED = "picked"
"""The table of what was picked, by which the rest of each row is found."""


class Picking(NamedTuple):
    """Two statements, one after the other: what finds the rows is over, and holds no memory, before they are sorted with their texts.

    Args:
        picked: gives which rows, without what is long.
        statement: gives the rows of those in the table ``PICKED``.
    """

    picked: Selection
    statement: str


_READ = "SELECT {column} FROM parse_attempts WHERE {condition}"
_STATEMENTS: dict[Selected, str] = {
    "sessions": "SELECT * FROM sessions WHERE session_id IN ({read}) ORDER BY started_at, session_id",
    "turns": "SELECT * FROM turns WHERE turn_id IN ({read}) ORDER BY session_id, turn_index",
    "readings": "SELECT * FROM parse_attempts WHERE attempt_id IN ({read}) ORDER BY session_id, turn_index, attempt_id",
    "actions": "SELECT * FROM actions WHERE attempt_id IN ({read}) ORDER BY session_id, turn_index, action_index, attempt_id",
    "executions": (
        "SELECT * FROM executions WHERE attempt_id IN ({read}) "
        "ORDER BY session_id, turn_index, action_index, try_number, execution_id"
    ),
}
_COLUMNS: dict[Selected, str] = {"sessions": "session_id", "turns": "turn_id"}


def selected(what: Selected, within: Filter = EVERYTHING, mark: Mark = ALL_TURNS) -> Selection:
    """Return the statement that gives the rows of the responses that a filter selects.

    Args:
        what: which rows.
        within: which responses.
        mark: which of those.

    Raises:
        UsageError: there are no such rows.
    """
    if what not in _STATEMENTS:
        raise UsageError(f"{what!r} is nothing that can be selected; choose one of {', '.join(_STATEMENTS)}.")
    condition, parameters = of_mark(within, mark)
    read = _READ.format(column=_COLUMNS.get(what, "attempt_id"), condition=condition)
    return Selection(_STATEMENTS[what].format(read=read), parameters)


def listed_turns(within: Filter = EVERYTHING, mark: Mark = ALL_TURNS) -> Picking:
    """Return the statements that give the turns of the dashboard's list, whole and in its order.

    Args:
        within: which responses.
        mark: which of those.
    """
    return Picking(Selection(*picked_turns_behind(within, mark)), whole_turns_of(PICKED))


_PROFILES = (
    "SELECT DISTINCT profile FROM session_starts WHERE list_contains($ids, session_id::VARCHAR) ORDER BY 1"
)


def profiles_of(ledger: Queryable, session_ids: Sequence[str]) -> list[str]:
    """Return the profiles that some sessions are of.

    Args:
        ledger: what to ask.
        session_ids: which sessions.
    """
    return [name for (name,) in ledger.sql(_PROFILES, {"ids": list(session_ids)}).fetchall()]


def selected_sessions(within: Filter = EVERYTHING) -> Selection:
    """Return the statement that gives the identifiers of the sessions with a response that a filter selects."""
    condition, parameters = scope(within)
    query = f"SELECT DISTINCT session_id::VARCHAR FROM parse_attempts WHERE {condition} ORDER BY 1"
    return Selection(query, parameters)
