"""Addresses of the dashboard's pages: their query parameters, and the values that a parameter may have."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import TypeAlias, TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

from actionledger.core.errors import UsageError

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
