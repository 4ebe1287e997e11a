"""The basis of every query: protocols of a ledger, conversion of rows to values, and vocabulary lists for SQL.

Statements are constants of their modules. Their ``{places}`` are filled only with SQL from this package, such as a condition of ``scopes.scope`` or
a column of a closed list. Every value is bound as a parameter. The columns of a statement have the names of the row's fields.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from actionledger.core.errors import UsageError
from actionledger.core.rates import NOT_AUDITABLE, Rate
from actionledger.core.vocabulary import ActionStatus, Capture, ExecutionStatus, Origin, Outcome, Reason
from actionledger.ledger.storage.schema import TABLES

Parameters: TypeAlias = Mapping[str, object]
"""The values of a statement's parameters by name."""

Row = TypeVar("Row", bound=Hashable)

INTENT = [str(outcome) for outcome in Outcome if outcome.has_intent]
READ = [str(outcome) for outcome in Outcome if outcome.is_success]
NOTHING_READ = [str(outcome) for outcome in Outcome if outcome.did_nothing]
RUNNABLE = [str(status) for status in ActionStatus if status.is_runnable]
REFUSED_BY_SCHEMA = [str(status) for status in ActionStatus if status.is_refused]
IS_CHECKED = "catalogue IS NOT NULL AND status NOT IN ('illustration', 'needs_approval')"
"""Which actions count in the validation rate, as SQL: those with a catalogue that were meant. Arguments of others show nothing about the model."""
ATTEMPTED = [str(status) for status in ExecutionStatus if status.was_attempted]

IS_RECORDED = f"outcome <> '{Outcome.NOT_RECORDED}'"
"""Which parse attempts rates are about, as SQL: of the others only tokens and times are known."""

AUDITABLE = f"capture NOT IN ('{Capture.CALLS}', '{Capture.NONE}')"
"""Which parse attempts a parse rate is about, as SQL: those whose recording keeps how the calls were written."""

RUN_HERE = f"origin = '{Origin.RUNTIME}'"
WITHIN = 10_000
"""Calls that a call made itself are numbered after those of all actions: each action has this many places."""

OF_ACTIONS = f"action_index < {WITHIN}"
"""Executions of the called actions, without the calls that those made themselves."""

RUN_ELSEWHERE = f"origin = '{Origin.RECORDED}'"
"""Which executions another runtime ran, as SQL."""

CONVERTED = f"code = '{Reason.CONVERTED}'"
REFUSED = f"code <> '{Reason.CONVERTED}'"
"""Which ``validation_errors`` are refusals, as SQL: the others report a field that was converted to another type."""

Stage: TypeAlias = Literal["reading", "checking", "acting"]
"""Where something failed."""

NOT_READ = "outcome IN ('partial', 'failed') AND reason IS NOT NULL"
NOT_DONE = "status NOT IN ('succeeded', 'pending', 'dry_run', 'skipped') AND reason IS NOT NULL"
"""Which parse attempts and executions failed, as SQL. Skipped ones only waited for another one that failed."""

ANSWERED = f"status = 'succeeded' AND reason = '{Reason.NO_RESULT}'"
"""Which executions ended with an exit status of 1 that is an answer, as SQL: they are no failures, and are counted separately."""

_TIMED = ", ".join(f"'{status}'" for status in ExecutionStatus if status.has_duration)
TOOK = f"CASE WHEN status IN ({_TIMED}) THEN duration_ms END"
"""How long an execution took, in milliseconds, as SQL; NULL if it was not tried, or its end is unknown."""

_AS_TEXT = {
    name for table in TABLES for name, sql_type in table.columns.items() if sql_type in {"UUID", "JSON"}
}

TAKEN_BACK = """
SELECT action_id FROM reversals GROUP BY action_id
HAVING count(*) FILTER (kind = 'undone') > count(*) FILTER (kind = 'redone')"""
"""The actions whose changes were undone and not redone since, as SQL."""


def refuse_no_ledger(given: object) -> None:
    """Refuse an object that can't be queried, such as the path of a ledger."""
    if not callable(getattr(given, "sql", None)):
        raise UsageError(f"{given!r} is not an open ledger; give what al.open_ledger(path) returns.")


class Streamed(Protocol):
    """A result that can be fetched in parts."""

    def fetchmany(self, size: int, /) -> list[Any]:
        """Return the next rows, at most ``size``; none at the end."""


class Result(Streamed, Protocol):
    """The result of a statement."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns' names, in order; empty if the statement returns no rows."""

    def fetchall(self) -> list[Any]:
        """Return every row that was not fetched yet, each as a tuple."""


class Queryable(Protocol):
    """Anything that answers SQL, usually a ledger."""

    def sql(self, query: str, parameters: Any = None, /) -> Result:
        """Run one SELECT with its parameters and return its result."""


class Streamable(Protocol):
    """Anything that answers SQL in parts, usually a ledger."""

    def sql(self, query: str, parameters: Any = None, /) -> Streamed:
        """Run one SELECT with its parameters and return its result."""


def rows(ledger: Queryable, kind: type[Row], query: str, parameters: Parameters | None = None) -> list[Row]:
    """Return the rows of a statement as values."""
    refuse_no_ledger(ledger)
    result = ledger.sql(query, parameters)
    make, columns = maker(kind), result.columns
    return [make(dict(zip(columns, row, strict=True))) for row in result.fetchall()]


def streamed(
    ledger: Streamable,
    kind: type[Row],
    query: str,
    parameters: Parameters | None = None,
    *,
    at_once: int = 200,
) -> Iterator[Row]:
    """Yield the rows of a statement as values; the statement selects their fields in order."""
    result, make = ledger.sql(query, parameters), maker(kind)
    while batch := result.fetchmany(at_once):
        yield from map(make, batch)


def rows_by(
    ledger: Queryable, kind: type[Row], query: str, parameters: Parameters | None
) -> dict[str, list[Row]]:
    """Return the rows of a statement as values, grouped by their owner."""
    result = ledger.sql(query, parameters)
    make, columns = maker(kind), result.columns[1:]
    found: dict[str, list[Row]] = {}
    for whose, *row in result.fetchall():
        found.setdefault(whose, []).append(make(dict(zip(columns, row, strict=True))))
    return found


def picked(kind: type[Any], /, **computed: str) -> str:
    """Return the select list for a row class: one column for each field."""
    columns = (
        f"{computed[name]} AS {name}"
        if name in computed
        else f"{name}::VARCHAR AS {name}"
        if name in _AS_TEXT
        else name
        for name in (field.name for field in fields(kind))
    )
    return ", ".join(columns)


def number(ledger: Queryable, query: str, parameters: Parameters | None = None) -> int:
    """Return the single number that a statement counts."""
    [(value,)] = ledger.sql(query, parameters).fetchall()
    return int(value)


def rate_sql(successes: str, count: str, alike: str = "1") -> str:
    """Return the SQL of a rate with its clustering, over rows of one session each."""
    times = _times(alike)
    return (
        f"{{'successes': coalesce(sum({times}{successes}), 0), 'count': coalesce(sum({times}{count}), 0), "
        f"'clustering': {clustering_sql(successes, count, alike)}}}"
    )


def clustering_sql(score: str, count: str, alike: str = "1") -> str:
    """Return the SQL of a clustering, over rows of one session each."""
    times = _times(alike)
    return (
        f"{{'sessions': coalesce(sum({alike}) FILTER ({count} > 0), 0), 'sizes': coalesce(sum({times}{count} * {count}), 0), "
        f"'totals': coalesce(sum({times}{score} * {score}), 0), 'products': coalesce(sum({times}{score} * {count}), 0)}}"
    )


def _times(alike: str) -> str:
    return "" if alike == "1" else f"{alike} * "


def as_rate(value: Mapping[str, object]) -> Rate:
    """Return the result of ``rate_sql`` as a value."""
    rate: Rate = maker(Rate)(value)
    return rate


def parse_rate(value: Mapping[str, object], meant: int) -> Rate:
    """Return a parse rate as a value; if responses meant to act and none is auditable, the rate says so."""
    rate = as_rate(value)
    return replace(rate, refusal=NOT_AUDITABLE) if meant and not rate.count else rate


_DATED = "occurred_at BETWEEN (SELECT min(occurred_at) FROM page) AND (SELECT max(occurred_at) FROM page)"


def rows_of_page(table: str, columns: str, key: str) -> str:
    """Return, as SQL, the rows of a table that belong to ``page``, whose rows have the key and ``occurred_at``, which may be NULL."""
    # In one condition with 'occurred_at IS NULL OR …', DuckDB would scan the whole table.
    return f"""
    SELECT {columns} FROM {table} WHERE {key} IN (SELECT {key} FROM page WHERE occurred_at IS NOT NULL) AND {_DATED}
    UNION ALL
    SELECT {columns} FROM {table} WHERE {key} IN (SELECT {key} FROM page WHERE occurred_at IS NULL) AND occurred_at IS NULL"""


Make: TypeAlias = Callable[[Any], Any]


@cache
def maker(kind: Any) -> Make:
    """Return a function that converts a row, a structure or a list from DuckDB to a type: pydantic would take longer to load than a small ledger to query.

    Args:
        kind: a dataclass, a named tuple, an enum, a list or tuple of them, or one of DuckDB's own types; any of these or None.
    """
    return _making(kind) or _as_it_is


def _as_it_is(value: Any) -> Any:
    return value


def _making(kind: Any) -> Make | None:
    """Return a function that converts a value; None if none is needed."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _making(inside[0])
    if origin in {Union, UnionType}:
        [make, *others] = [_making(each) for each in inside if each is not NoneType]
        return None if make is None or others else _or_none(make)
    if origin in {list, tuple}:
        make = _making(inside[0]) if origin is list or inside[1:] == (...,) else None
        return _several(origin, make)
    if kind is int:
        return _whole
    if kind is float:
        return float
    return _of_class(kind) if isinstance(kind, type) else None


def _of_class(kind: type) -> Make | None:
    if issubclass(kind, Enum):
        return _member_of(kind)
    if is_dataclass(kind):
        return _of_fields(kind, tuple(each.name for each in fields(kind) if each.init))
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _of_fields(kind, kind._fields)
    return None


def _member_of(kind: type[Enum]) -> Make:
    members = {each.value: each for each in kind}
    return lambda value: members.get(value) or kind(value)  # the enum raises for an unknown word


def _or_none(make: Make) -> Make:
    return lambda value: None if value is None else make(value)


def _several(kind: type, make: Make | None) -> Make:
    return kind if make is None else lambda values: kind(map(make, values))


def _whole(value: Any) -> int:
    if type(value) is int:
        return value
    if value != int(value):
        raise ValueError(f"{value!r} is not a whole number.")
    return int(value)


def _of_fields(kind: type, names: tuple[str, ...]) -> Make:
    """Return a function that converts a row, by the order of its fields, or a structure, which may have more fields."""
    types = get_type_hints(kind, include_extras=True)
    makers = [(name, make) for name in names if (make := _making(types[name]))]
    own = frozenset(names)

    def made(value: Any) -> Any:
        if isinstance(value, kind):
            return value
        if not isinstance(value, dict):
            given = dict(zip(names, value, strict=True))
        elif value.keys() <= own:
            given = value.copy()
        else:
            given = {name: each for name, each in value.items() if name in own}
        for name, make in makers:
            if name in given:
                given[name] = make(given[name])
        return kind(**given)

    return made
