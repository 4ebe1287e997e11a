"""How pages point at each other: an address with query parameters, so that any state of a page is a link."""

from collections.abc import Mapping
from datetime import timedelta
from typing import TypeAlias
from urllib.parse import urlencode

from actionledger.ledger.queries import Filter, Mark

Parameters: TypeAlias = dict[str, str | list[str]]
"""Query parameters by name; a list is a repeated one."""

FILTERS = ("run", "profile", "model", "task", "source", "since", "until")
"""The query parameters that the filters of a page stand in."""

SESSIONS = "views/sessions.py"


def turns_href(within: Filter, mark: Mark) -> str:
    """Return the address of the turns behind a number.

    Args:
        within: the filter that the number was made under.
        mark: what it counts.
    """
    return f"turns?{query_of(filter_parameters(within) | mark_parameters(mark))}"


def replay_href(
    session_id: str, turn_index: int = 0, run_id: str | None = None, *, beside: str | None = None
) -> str:
    """Return the address of one turn of one session.

    Args:
        session_id: the session.
        turn_index: the turn's place in it, from 0.
        run_id: the run whose reading to show; None for the first one.
        beside: the run whose reading to show beside it, or ``first``; None for none.
    """
    runs = {"run": run_id, "beside": beside}
    named = {name: value for name, value in runs.items() if value is not None}
    return f"replay?{query_of({'session': session_id, 'turn': str(turn_index)} | named)}"


def compare_href(parameters: Mapping[str, str | list[str]]) -> str:
    """Return the address of a comparison.

    Args:
        parameters: what it is of.
    """
    return f"compare?{query_of(parameters)}"


def sessions_href(within: Filter) -> str:
    """Return the address of the sessions that a filter picks."""
    return f"sessions?{query_of(filter_parameters(within))}"


def left_out_href(by: str) -> str:
    """Return the address of what was left out, looked at in one way."""
    return f"left_out?{query_of({'by': by})}"


def query_of(parameters: Mapping[str, str | list[str]]) -> str:
    """Return parameters as a query string."""
    return urlencode(parameters, doseq=True)


def filter_parameters(within: Filter) -> Parameters:
    """Return a filter as the query parameters that the filter widgets read."""
    named = {
        "profile": within.profiles,
        "model": within.models,
        "task": within.tasks,
        "source": within.sources,
    }
    found: Parameters = {name: list(values) for name, values in named.items() if values}
    if within.run_id is not None:
        found["run"] = within.run_id
    if within.since is not None:
        found["since"] = within.since.date().isoformat()
    if within.until is not None:
        found["until"] = (within.until - timedelta(days=1)).date().isoformat()
    return found


def mark_parameters(mark: Mark) -> Parameters:
    """Return a mark as the query parameters that the page of turns reads."""
    named = {
        "stage": mark.stage,
        "code": mark.code,
        "action": mark.action,
        "origin": mark.origin,
        "search": mark.search,
    }
    found: Parameters = {name: str(value) for name, value in named.items() if value}
    repeated = {"outcome": mark.outcomes, "dialect": mark.dialects, "execution": mark.executions}
    return found | {name: list(values) for name, values in repeated.items() if values}
