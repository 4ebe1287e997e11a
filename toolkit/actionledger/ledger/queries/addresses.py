"""Which responses a page of the dashboard is about, as the query of its address, and back."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, TypeAlias, TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

from actionledger.core.errors import UsageError
from actionledger.core.vocabulary import Origin
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.marks import Mark
from actionledger.ledger.queries.scores import ScoreBound

Parameters: TypeAlias = dict[str, str | list[str]]
"""Query parameters by name; a list is a repeated one."""

FILTERS = (
    *("run", "profile", "model", "task", "source", "capture", "label", "score", "since", "until"),
    *(
        "outcome",
        "ending",
        "dialect",
        "failing",
        "stage",
        "code",
        "action",
        "execution",
        "origin",
        "verdict",
        "turn_label",
        "search",
    ),
)
"""The query parameters that a filter stands in."""

PAGES = (
    "sessions",
    "turns",
    "replay",
    "compare",
    "playground",
    "review",
    "left_out",
    "live",
    "sql",
    "health",
)
"""What the pages of the dashboard are called in their addresses; the overview's is nothing."""

_DAY = timedelta(days=1)
Value = TypeVar("Value")


def query_of(parameters: Mapping[str, str | list[str]]) -> str:
    """Return parameters as a query string."""
    return urlencode(parameters, doseq=True)


def parameters_in(address: str) -> dict[str, list[str]]:
    """Return the query parameters of an address, each with its values.

    Args:
        address: all of it, as the browser shows it, its end from the page's name on, or its query alone.

    Raises:
        UsageError: it is no address.
    """
    try:
        whole = urlsplit(address.strip())
        is_query = "=" in whole.path and not whole.netloc  # no page is called so
        query = urlsplit(f"?{address.strip()}").query if is_query else whole.query
        return parse_qs(query, keep_blank_values=True)
    except ValueError as error:
        raise UsageError(f"{address!r} is no address of a page: {error}.") from error


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
    """Return a filter as the query parameters that the pages read."""
    repeated = {
        "profile": within.profiles,
        "model": within.models,
        "task": within.tasks,
        "source": within.sources,
        "capture": within.captures,
        "label": within.labels,
        "score": tuple(map(str, within.scores)),
        "outcome": within.outcomes,
        "ending": within.endings,
        "dialect": within.dialects,
        "failing": ("1",) if within.is_failing else (),
        "stage": (within.stage,) if within.stage else (),
        "code": within.reasons,
        "execution": within.executions,
        "verdict": within.verdicts,
        "turn_label": within.turn_labels,
    }
    found: Parameters = {name: list(values) for name, values in repeated.items() if values}
    ones = {"run": within.run_id, "action": within.action, "origin": within.origin, "search": within.text}
    found |= {name: str(value) for name, value in ones.items() if value}
    if within.since is not None:
        found["since"] = within.since.date().isoformat()
    if within.until is not None:
        found["until"] = (within.until - _DAY).date().isoformat()
    return found


def filter_of(address: str) -> Filter:
    """Return the filter that an address has; what it says of pages and lists is passed over."""
    there = parameters_in(address)
    if not there and not _is_page(address):
        raise UsageError(
            f"{address!r} is neither an address nor a filter as one has it; write turns?model=small, or model=small alone."
        )
    return filter_of_parameters(there)


def _is_page(address: str) -> bool:
    whole = urlsplit(address.strip())
    return bool(whole.netloc) or whole.path.strip("./") in {"", *PAGES}


def filter_of_parameters(there: Mapping[str, Sequence[str]]) -> Filter:
    """Return the filter that query parameters make.

    Args:
        there: each parameter's values.

    Raises:
        UsageError: something in them is no day, no run, or nothing that responses can have.
    """
    since, until = (_only(there, name, _day) for name in ("since", "until"))
    one: dict[str, Any] = {name: _only(there, name, str) for name in ("run", "stage", "action", "search")}
    return Filter(
        run_id=one["run"],
        profiles=tuple(there.get("profile", ())),
        models=tuple(there.get("model", ())),
        tasks=tuple(there.get("task", ())),
        sources=tuple(there.get("source", ())),
        captures=tuple(there.get("capture", ())),
        labels=tuple(there.get("label", ())),
        scores=tuple(map(ScoreBound.parse, there.get("score", ()))),
        since=since,
        until=until + _DAY if until else None,
        dialects=tuple(there.get("dialect", ())),
        outcomes=tuple(there.get("outcome", ())),
        endings=tuple(there.get("ending", ())),
        is_failing=bool(_only(there, "failing", _switch)),
        stage=one["stage"],
        reasons=tuple(there.get("code", ())),
        action=one["action"],
        executions=tuple(there.get("execution", ())),
        origin=_only(there, "origin", Origin),
        verdicts=tuple(there.get("verdict", ())),
        turn_labels=tuple(there.get("turn_label", ())),
        text=one["search"] or "",
    )


def mark_parameters(mark: Mark) -> Parameters:
    """Return a mark as the query parameters that the page of turns reads as filters."""
    return filter_parameters(mark.filter)


def _only(there: Mapping[str, Sequence[str]], name: str, read: Callable[[str], Value]) -> Value | None:
    values = there.get(name) or [""]
    if len(values) > 1:
        raise UsageError(f"The address has {name!r} {len(values)} times; give it once.")
    try:
        return read(values[0]) if values[0] else None
    except ValueError as error:
        raise UsageError(f"{name}={values[0]} can't be taken: {error}.") from error


def _switch(text: str) -> bool:
    if text != "1":
        raise ValueError("it is 1 or left out")
    return True


def _day(text: str) -> datetime:
    return datetime.combine(date.fromisoformat(text), time())
