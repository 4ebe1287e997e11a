"""Parse success over time, and that of what other runtimes tried."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias, get_args

from actionledger.core.errors import UsageError
from actionledger.core.rates import Rate
from actionledger.ledger.queries.base import AUDITABLE, INTENT, Queryable, as_rate, refuse_no_ledger
from actionledger.ledger.queries.counts import ACTING, PARSED, RATES, Counts, summed_sql
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.rolled import Label, counted, rolled_scope
from actionledger.ledger.queries.scopes import scope

Unit: TypeAlias = Literal["day", "week"]
"""How long a period is; a week begins on Monday."""

_LENGTHS: dict[Unit, timedelta] = {"day": timedelta(days=1), "week": timedelta(weeks=1)}


@dataclass(frozen=True, slots=True)
class Period:
    """What was read of the responses of one period.

    Args:
        start: when it begins, UTC without a zone.
        end: when the next one begins.
        success: responses that could be read whole, of those that meant to act and can be audited; or executions that succeeded, of
            those that were tried.
        strict: the same without a repair; of executions, which nothing repairs, the same.
    """

    start: datetime
    end: datetime
    success: Rate
    strict: Rate


@dataclass(frozen=True, slots=True)
class Trend:
    """A rate over time.

    Args:
        periods: those with a response that meant to act, or with an execution, in order; what has none is left out.
        undated: responses that meant to act, or executions, that carry no time.
    """

    periods: tuple[Period, ...]
    undated: int


_COUNTS = Counts(
    "parse_attempts", "parse_attempts", f"{AUDITABLE} AND list_contains($intent, outcome)", PARSED
)
_BY_PERIOD = """
SELECT label AS start, {rates} FROM ({counted}) GROUP BY start HAVING sum(alike * {whole}) > 0 ORDER BY start"""
_SPANNING = """
SELECT session_id::VARCHAR, date_trunc($unit, occurred_at) AS start, {audited} AS count, {read} AS hits
FROM parse_attempts WHERE occurred_at IS NOT NULL AND list_contains($intent, outcome) AND {condition}
GROUP BY session_id, start HAVING count > 0
QUALIFY count(*) OVER (PARTITION BY session_id) > 1"""
_PERIOD = Label("date_trunc($unit, occurred_at)", "", "date_trunc($unit, day)")


def refuse_no_period(unit: object) -> None:
    """Refuse what is no period's length, in a sentence.

    Raises:
        UsageError: it is none.
    """
    if unit not in get_args(Unit):
        raise UsageError(f"{unit!r} is no period; choose one of {', '.join(get_args(Unit))}.")


def success_over_time(ledger: Queryable, within: Filter = EVERYTHING, unit: Unit = "day") -> Trend:
    """Return parse success by the time at which the responses were made.

    Args:
        ledger: what to ask.
        within: which responses.
        unit: how long a period is.

    Raises:
        UsageError: ``ledger`` is no open one, or ``unit`` no period.
    """
    return _over_time(ledger, within, unit, _COUNTS, ("parsed", "strictly"))


def elsewhere_over_time(ledger: Queryable, within: Filter = EVERYTHING, unit: Unit = "day") -> Trend:
    """Return how much of what other runtimes tried has succeeded, as their recordings say, by the time of the responses.

    Args:
        ledger: what to ask.
        within: which responses.
        unit: how long a period is.

    Raises:
        UsageError: ``ledger`` is no open one, or ``unit`` no period.
    """
    return _over_time(ledger, within, unit, ACTING, ("succeeded_elsewhere",))


def spanning_sessions(
    ledger: Queryable, starts: Sequence[datetime], within: Filter = EVERYTHING, unit: Unit = "day"
) -> list[dict[int, tuple[int, int]]]:
    """Return the sessions that go on in several periods of parse success: by the period's place, responses that count and those read.

    Args:
        ledger: what to ask.
        starts: when the periods begin, in order.
        within: which responses.
        unit: how long a period is.
    """
    condition, parameters = scope(rated(within))
    words = {"unit": unit, "intent": INTENT}
    statement = _SPANNING.format(condition=condition, audited=PARSED["audited"], read=PARSED["read"])
    places = {start: place for place, start in enumerate(starts)}
    found: dict[str, dict[int, tuple[int, int]]] = {}
    for session_id, start, count, hits in ledger.sql(statement, parameters | words).fetchall():
        if start in places:
            found.setdefault(session_id, {})[places[start]] = (count, hits)
    return list(found.values())


def _over_time(
    ledger: Queryable, within: Filter, unit: Unit, counts: Counts, rates: tuple[str, ...]
) -> Trend:
    refuse_no_ledger(ledger)
    refuse_no_period(unit)
    rolled = rolled_scope(ledger, rated(within))
    counting, parameters = counted([counts], within, rolled, _PERIOD)
    statement = _BY_PERIOD.format(rates=summed_sql((), rates), counted=counting, whole=RATES[rates[0]][1])
    words = {"unit": unit} | ({"intent": INTENT} if "$intent" in statement else {})
    rows = ledger.sql(statement, parameters | words).fetchall()

    def periods() -> Iterator[Period]:
        for start, first, *_, last in (row if len(row) > 2 else (*row, row[1]) for row in rows):
            if start is not None:
                yield Period(start, start + _LENGTHS[unit], as_rate(first), as_rate(last))

    return Trend(tuple(periods()), undated=sum(row[1]["count"] for row in rows if row[0] is None))
