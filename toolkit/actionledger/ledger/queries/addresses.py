"""Which responses a page of the dashboard is about, as the query of its address, and back."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any, TypeAlias, TypeVar, get_args
from urllib.parse import parse_qs, urlencode, urlsplit

from actionledger.errors import UsageError
from actionledger.ledger.queries.behind import Mark
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.reasons import Stage
from actionledger.vocabulary import ExecutionStatus, Origin, Outcome, Reason

Parameters: TypeAlias = dict[str, str | list[str]]
"""Query parameters by name; a list is a repeated one."""

FILTERS = ("run", "profile", "model", "task", "source", "since", "until")
"""The query parameters that the filters of a page stand in."""

MARKS = ("stage", "code", "action", "origin", "search", "outcome", "dialect", "execution")
"""Those of what the turns of a list have in common."""

_DAY = timedelta(days=1)
Value = TypeVar("Value")


def query_of(parameters: Mapping[str, str | list[str]]) -> str:
    """Return parameters as a query string."""
    return urlencode(parameters, doseq=True)


def parameters_in(address: str) -> dict[str, list[str]]:
    """Return the query parameters of an address, each with its values.

    Args:
        address: all of it, as the browser shows it, or its end from the page's name on.
    """
    return parse_qs(urlsplit(address.strip()).query, keep_blank_values=True)


def refuse_others(address: str, *known: str) -> None:
    """Refuse an address that narrows what it shows in a way that would go by in silence.

    Args:
        address: it.
        known: the parameters that are taken.

    Raises:
        UsageError: it has another one.
    """
    if others := [name for name in parameters_in(address) if name not in known]:
        raise UsageError(
            f"The address has {', '.join(map(repr, others))}, which is none of {', '.join(known)}; take it out."
        )


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
        found["until"] = (within.until - _DAY).date().isoformat()
    return found


def filter_of(address: str) -> Filter:
    """Return the filter that an address has; what it says of pages and lists is passed over.

    Args:
        address: all of it, or its end from the page's name on.

    Raises:
        UsageError: a day or a run in it is none.
    """
    there = parameters_in(address)
    since, until = (_only(there, name, _day) for name in ("since", "until"))
    return Filter(
        run_id=_only(there, "run", str),
        profiles=tuple(there.get("profile", ())),
        models=tuple(there.get("model", ())),
        tasks=tuple(there.get("task", ())),
        sources=tuple(there.get("source", ())),
        since=since,
        until=until + _DAY if until else None,
    )


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


def mark_of(address: str) -> Mark:
    """Return what an address of the page of turns says that they have in common.

    Args:
        address: all of it, or its end from the page's name on.

    Raises:
        UsageError: something in it is nothing that turns can have.
    """
    there = parameters_in(address)
    named: dict[str, Any] = {
        "stage": _only(there, "stage", _one_of(get_args(Stage))),
        "code": _only(there, "code", _one_of(list(map(str, Reason)))),
        "action": _only(there, "action", str),
        "origin": _only(there, "origin", lambda text: Origin(_one_of(list(map(str, Origin)))(text))),
        "search": _only(there, "search", str) or "",
    }
    return Mark(
        **named,
        outcomes=tuple(map(_one_of(list(map(str, Outcome))), there.get("outcome", ()))),
        dialects=tuple(there.get("dialect", ())),
        executions=tuple(map(_one_of(list(map(str, ExecutionStatus))), there.get("execution", ()))),
    )


def _only(there: Mapping[str, list[str]], name: str, read: Callable[[str], Value]) -> Value | None:
    values = there.get(name, [""])
    if len(values) > 1:
        raise UsageError(f"The address has {name!r} {len(values)} times; give it once.")
    try:
        return read(values[0]) if values[0] else None
    except ValueError as error:
        raise UsageError(f"{name}={values[0]} can't be taken: {error}.") from error


def _day(text: str) -> datetime:
    return datetime.combine(date.fromisoformat(text), time())


def _one_of(known: "list[str] | tuple[str, ...]") -> Callable[[str], str]:
    def checked(text: str) -> str:
        if text not in known:
            raise UsageError(f"{text!r} is none of {', '.join(known)}.")
        return text

    return checked
