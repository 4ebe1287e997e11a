"""The numbers that rules can use: those of ``report --json`` by their paths, and a few others."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from difflib import get_close_matches
from typing import Any, get_args

from actionledger.cli.report import NUMBERS
from actionledger.core.errors import UsageError
from actionledger.core.ids import derived_id, now
from actionledger.core.recording import ALERT_RAISED
from actionledger.core.vocabulary import Ending, ExecutionStatus, Outcome, SessionOutcome, Stop
from actionledger.ledger import Ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.recent import last_at
from actionledger.ledger.queries.skipped import Kind
from actionledger.ledger.queries.tools import spending
from actionledger.replay.failures import failures

NEW_GROUPS = "new_failure_groups"
MINUTES = "minutes_since_last_record"
FAILED = "failed"
"""Suffix of a rate's path for its complement."""

NOT_RECORDED = "not recorded"
HOW_TO_LIST = "'actionledger check --numbers' lists them."

_LAST = "SELECT max(recorded_at) FROM events WHERE code IS DISTINCT FROM $alert"

_RESTS_ON = {
    "usage.cost_usd": "usage.priced",
    "usage.by_prices_usd": "usage.by_prices",
    **{
        f"usage.{kind}_tokens": "usage.counted"
        for kind in ("input", "output", "cached", "cache_write", "reasoning")
    },
}
"""Sums that are unknown if the named count is 0: a sum over nothing is not 0."""

_COUNTS: dict[str, Iterable[str]] = {
    "session_outcomes": SessionOutcome,
    "funnel.outcomes": Outcome,
    "funnel.recorded": ExecutionStatus,
    "unacted.endings": Ending,
    "unacted.stops": Stop,
    "not_in_the_numbers": get_args(Kind),
}
"""Counts by kind that omit kinds with a count of 0, with all possible kinds."""

_RECORDED = ("by_profile", "by_model", "recorded_verdicts", "read_in")
"""Parts with recorded names in their paths; in a period without such a name, nothing is recorded for it."""


def _spending(ledger: Ledger, within: Filter) -> dict[str, Any]:
    found = ledger.sql(*spending(within, []))
    rows = found.fetchall()
    return dict(zip(found.columns, rows[0], strict=True)) if rows else dict.fromkeys(found.columns)


PARTS: dict[str, Callable[[Ledger, Filter], object]] = {"spending": _spending} | NUMBERS
"""The beginnings of paths: the parts of ``report --json``, and the total of ``usage --json``."""


def number_at(ledger: Ledger, path: str, within: Filter) -> Any:
    """Return the number, rate, list or None at a path of ``report --json``, such as ``usage.cost_usd`` or ``by_model.gpt-5.5.execution.failed``."""
    first, _, rest = path.partition(".")
    if first not in PARTS:
        raise UsageError(
            f"There is no number {path!r:.200}. {_nearest(first, [*PARTS, NEW_GROUPS, MINUTES])}"
        )
    if (of := _RESTS_ON.get(path)) and not number_at(ledger, of, within):
        return None
    return _at(PARTS[first](ledger, within), first, rest)


def numbers(ledger: Ledger) -> Iterator[tuple[str, str]]:
    """Yield each number that rules can use, with its current value in words."""
    yield NEW_GROUPS, 'needs a time, such as over = "1d"'
    yield MINUTES, in_words(minutes_since_last_record(ledger, now()))
    for name, part in PARTS.items():
        for path, value in _leaves(name, part(ledger, EVERYTHING)):
            of = _RESTS_ON.get(path)
            yield path, in_words(None if of and not number_at(ledger, of, EVERYTHING) else value)


def minutes_since_last_record(ledger: Ledger, moment: datetime) -> float | None:
    """Return the minutes between the last recorded event, alerts excluded, and a moment; None without one."""
    [(last,)] = ledger.sql(_LAST, {"alert": ALERT_RAISED}).fetchall()
    return None if last is None else max((moment - last).total_seconds(), 0.0) / 60


def new_failure_groups(ledger: Ledger, before: Filter, within: Filter) -> frozenset[str] | None:
    """Return opaque ids of the failure groups that were not there before; None if nothing was recorded before."""
    if last_at(ledger, before) is None:
        return None
    then = {group.key for group in failures(ledger, before, with_loops=False).groups}
    there = {group.key for group in failures(ledger, within, with_loops=False).groups}
    return frozenset(entry_id(*key) for key in there - then)


def entry_id(*about: object) -> str:
    """Return an opaque id for a list's entry."""
    return derived_id("entry", *about)[:13]


def is_rate(value: object) -> bool:
    """Return whether a value is a rate."""
    return isinstance(value, Mapping) and {"successes", "count", "rate"} <= value.keys()


def in_words(value: Any) -> str:
    """Return a number's value in words."""
    if value is None or (is_rate(value) and value["rate"] is None):
        return NOT_RECORDED
    if is_rate(value):
        interval = (
            "no interval" if value["low"] is None else f"95 % {value['low']:.3g} to {value['high']:.3g}"
        )
        return f"{value['rate']:.3g} ({value['successes']:,} of {value['count']:,}; {interval})"
    if isinstance(value, list | tuple | frozenset):
        return f"{len(value):,}"
    return f"{value:,.6g}" if isinstance(value, float) else f"{value:,}"


def _at(found: Any, way: str, rest: str) -> Any:
    """Return the value at the rest of a path; names may contain dots, and the longest matching name is used."""
    if rest == FAILED and is_rate(found):
        return _complement(found)
    if not rest:
        return _one(found, way)
    there = [str(name) for name in found] if isinstance(found, Mapping) else []
    name = max((name for name in there if rest == name or rest.startswith(f"{name}.")), key=len, default=None)
    if name is not None:
        return _at(found[name], f"{way}.{name}", rest[len(name) + 1 :])
    if rest in map(str, _COUNTS.get(way, ())):
        return 0
    if way in _RECORDED:
        return None
    raise UsageError(
        f"There is no number {f'{way}.{rest}'!r:.200}. {_nearest(rest, [*there, *_COUNTS.get(way, ())])}"
    )


def _one(found: Any, way: str) -> Any:
    is_number = isinstance(found, int | float | list | tuple) and not isinstance(found, bool)
    if found is None or is_number or is_rate(found):
        return found
    if isinstance(found, Mapping) and found:
        listed = ", ".join(str(name) for name in [*found][:20])
        raise UsageError(f"{way!r:.200} is several numbers; write one of these behind it: {listed}.")
    raise UsageError(f"{way!r:.200} is not a number. {HOW_TO_LIST}")


def _nearest(name: str, there: Iterable[str]) -> str:
    near = get_close_matches(name, [str(each) for each in there], n=1)
    return f"Did you mean {near[0]!r}? {HOW_TO_LIST}" if near else HOW_TO_LIST


def _complement(rate: Mapping[str, Any]) -> dict[str, Any]:
    """Return the complement of a rate."""
    flipped = {
        name: None if rate[of] is None else 1 - rate[of]
        for name, of in {"rate": "rate", "low": "high", "high": "low"}.items()
    }
    return {**rate, **flipped, "successes": rate["count"] - rate["successes"]}


def _leaves(way: str, value: Any) -> Iterator[tuple[str, Any]]:
    if is_rate(value):
        yield way, value
        yield f"{way}.{FAILED}", _complement(value)
    elif isinstance(value, Mapping):
        for name in {**dict.fromkeys(map(str, _COUNTS.get(way, ())), 0), **value}:
            yield from _leaves(f"{way}.{name}", value.get(name, 0))
    elif value is None or (isinstance(value, int | float | list | tuple) and not isinstance(value, bool)):
        yield way, value
