"""Addresses of the dashboard's pages: their query parameters, and the values and orders that they may have."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import TypeAlias, TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

from actionledger.core.errors import UsageError

Order: TypeAlias = str
"""The order of sessions: ``newest``, ``oldest``, ``longest`` (by turns), ``slowest`` (by duration), ``costliest``, or ``worst`` (by parse success,
then by failed executions). Or one of ``COLUMNS``, ascending, or descending with a minus before it."""

COLUMNS: dict[str, tuple[str, str]] = {
    "started": ("started_at", ""),
    **{
        name: (f"nullif(lower({column}), '')", "details")
        for name, column in {
            "title": "coalesce(title, CASE WHEN external_id = '' THEN task END)",
            "project": "project",
            "branch": "git_branch",
            "agent": "agent",
            "model": "model",
            "source": "source",
            "profile": "profile",
            "task": "task",
        }.items()
    },
    "outcome": ("outcome", "outcomes"),
    "turns": ("coalesce(turns, 0)", "lengths"),
    "duration": ("last_turn - first_turn", "lengths"),
    "cost": ("cost_usd", "lengths"),
    "tokens": ("coalesce(input_tokens + output_tokens, input_tokens, output_tokens)", "lengths"),
    "tool_calls": ("actions", "numbers"),
    "failed": ("CASE WHEN executions > 0 THEN failed END", "numbers"),
    "parsed": ("read / nullif(intent, 0)", "numbers"),
    "valid": ("CASE WHEN checked > 0 THEN valid END", "numbers"),
}
"""The columns that can order sessions: their SQL and the table that they need, which is then computed for all sessions."""

_NAMED_ORDERS = {
    "newest": ("started_at DESC NULLS LAST, session_id DESC", ""),
    "oldest": ("started_at NULLS LAST, session_id", ""),
    "longest": ("coalesce(turns, 0) DESC, session_id", "lengths"),
    "slowest": ("last_turn - first_turn DESC NULLS LAST, session_id", "lengths"),
    "costliest": (
        "cost_usd DESC NULLS LAST, coalesce(input_tokens, 0) + coalesce(output_tokens, 0) DESC, session_id",
        "lengths",
    ),
    "worst": ("read / nullif(intent, 0) NULLS LAST, failed DESC, session_id", "numbers"),
}


def ordered_by(order: Order) -> tuple[str, str]:
    """Return an order as SQL, with unknown values last in both directions, and the table that it needs for all sessions."""
    if order in _NAMED_ORDERS:
        return _NAMED_ORDERS[order]
    name = order.removeprefix("-")
    if name not in COLUMNS:
        known = ", ".join([*_NAMED_ORDERS, *COLUMNS])
        raise UsageError(
            f"{order!r:.100} is not an order of sessions; choose from {known}, or one with a minus before it."
        )
    column, table = COLUMNS[name]
    return f"{column} {'DESC' if order.startswith('-') else 'ASC'} NULLS LAST, session_id", table


Parameters: TypeAlias = dict[str, str | list[str]]
"""Query parameters by name; a list means a repeated parameter."""

PAGES = (
    "sessions",
    "turns",
    "usage",
    "tools",
    "alerts",
    "transcript",
    "replay",
    "compare",
    "playground",
    "review",
    "left_out",
    "live",
    "sql",
    "health",
)
"""The names of the dashboard's pages in addresses; the overview's name is empty."""

DAY = timedelta(days=1)
Value = TypeVar("Value")


def query_of(parameters: Mapping[str, str | list[str]]) -> str:
    return urlencode(parameters, doseq=True)


def parameters_in(address: str) -> dict[str, list[str]]:
    """Return the query parameters of an address (whole, its end from the page's name on, or its query alone), each with its values."""
    try:
        whole = urlsplit(address.strip())
        is_query = "=" in whole.path and not whole.netloc  # no page has this name
        query = urlsplit(f"?{address.strip()}").query if is_query else whole.query
        return parse_qs(query, keep_blank_values=True)
    except ValueError as error:
        raise UsageError(f"{address!r} is not an address of a page: {error}.") from error


def refuse_others(address: str, *known: str) -> None:
    """Refuse an address with unknown parameters, which would be ignored silently."""
    if others := [name for name in parameters_in(address) if name not in known]:
        raise UsageError(
            f"The address has {', '.join(map(repr, others))}, which is none of {', '.join(known)}; remove it."
        )


def is_page(address: str) -> bool:
    """Return whether a text is a page's address, with a host or with only a page's name."""
    whole = urlsplit(address.strip())
    return bool(whole.netloc) or whole.path.strip("./") in {"", *PAGES}


def only(there: Mapping[str, Sequence[str]], name: str, read: Callable[[str], Value]) -> Value | None:
    """Return the one value of a parameter; None if it is missing."""
    values = there.get(name) or [""]
    if len(values) > 1:
        raise UsageError(f"The address has {name!r} {len(values)} times; give it once.")
    try:
        return read(values[0]) if values[0] else None
    except ValueError as error:
        raise UsageError(f"{name}={values[0]} can't be taken: {error}.") from error


def switch(text: str) -> bool:
    """Return True for ``1``, the only text that a switch may have."""
    if text != "1":
        raise ValueError("it is 1 or left out")
    return True


def day_of(text: str) -> datetime:
    """Return the start of a day such as ``2026-03-01``."""
    return datetime.combine(date.fromisoformat(text), time())
