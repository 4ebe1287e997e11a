"""Links between pages: addresses with query parameters, so that any state of a page is a link."""

from collections.abc import Mapping

from actionledger.core.values import Span
from actionledger.ledger.queries import Filter, Mark
from actionledger.ledger.queries.addresses import Parameters, query_of
from actionledger.ledger.queries.filters import FILTERS, filter_parameters
from actionledger.ledger.queries.marks import mark_parameters

__all__ = [
    "BY_IMPORT",
    "BY_REASON",
    "FILTERS",
    "NOT_READ",
    "SESSIONS",
    "Parameters",
    "beside_href",
    "compare_href",
    "filter_parameters",
    "left_out_href",
    "mark_parameters",
    "query_of",
    "replay_href",
    "sessions_href",
    "sql_href",
    "transcript_href",
    "turns_href",
    "usage_href",
]

SESSIONS = "views/sessions.py"
BY_REASON, BY_IMPORT, NOT_READ = "by reason", "by import", "refused"
"""The ways to list skipped input."""


def group_href(here: Mapping[str, str | list[str]], group: str) -> str:
    """Return the link to the overview with the turns of one failure group."""
    return f"./?{query_of({**here, 'show': 'failures', 'group': group})}"


def turns_href(within: Filter, mark: Mark) -> str:
    """Return the link to the turns behind a number."""
    marked = mark_parameters(mark)
    if within.captures and mark.captures:  # only captures that both the filter and the number include
        marked["capture"] = [capture for capture in mark.captures if capture in within.captures]
    return f"turns?{query_of(filter_parameters(within) | marked)}"


def replay_href(
    session_id: str,
    turn_index: int = 0,
    run_id: str | None = None,
    *,
    beside: str | None = None,
    at: Span | None = None,
    child: str | None = None,
) -> str:
    """Return the link to one turn of a session."""
    span = None if at is None else f"{at.start}-{at.end}"
    more = {"run": run_id, "beside": beside, "at": span, "child": child}
    named = {name: value for name, value in more.items() if value is not None}
    return f"replay?{query_of({'session': session_id, 'turn': str(turn_index)} | named)}"


def review_href(session_id: str, turn_index: int, run_id: str | None = None, **more: str) -> str:
    """Return the link to the review of one turn."""
    run = {} if run_id is None else {"run": run_id}
    return f"review?{query_of({'session': session_id, 'turn': str(turn_index)} | run | more)}"


def playground_href(session_id: str, turn_index: int, run_id: str | None = None) -> str:
    """Return the link to the playground with a recorded response in it."""
    run = {} if run_id is None else {"run": run_id}
    return f"playground?{query_of({'session': session_id, 'turn': str(turn_index)} | run)}"


def compare_href(parameters: Mapping[str, str | list[str]]) -> str:
    """Return the link to a comparison."""
    return f"compare?{query_of(parameters)}"


def beside_href(session_id: str) -> str:
    """Return the link to a comparison of a session with one that is yet to be picked."""
    return compare_href({"as": "two sessions", "before_session": session_id})


def transcript_href(session_id: str, turn_index: int | None = None, *, find: str = "") -> str:
    """Return the link to a session's transcript, at one of its turns."""
    turn = {} if turn_index is None else {"turn": str(turn_index)}
    return f"transcript?{query_of({'session': session_id} | turn | ({'find': find} if find else {}))}"


def usage_href(within: Filter) -> str:
    """Return the link to the usage of the responses that a filter picks."""
    return f"usage?{query_of(filter_parameters(within))}"


def sessions_href(within: Filter) -> str:
    """Return the link to the sessions that a filter picks."""
    return f"sessions?{query_of(filter_parameters(within))}"


def left_out_href(by: str) -> str:
    """Return the link to skipped input, listed in one way."""
    return f"left_out?{query_of({'by': by})}"


def sql_href(statement: str) -> str:
    """Return the link to a statement that is written but not run yet."""
    return f"sql?{query_of({'q': statement})}"
