"""Parse success over time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias, get_args

from actionledger.errors import UsageError
from actionledger.ledger.queries.base import AUDITABLE, INTENT, Queryable, as_rate, refuse_no_ledger
from actionledger.ledger.queries.counted import PARSED, Counts, summed_sql
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.rolled import Label, counted, rolled_scope
from actionledger.rates import Rate

Unit: TypeAlias = Literal["day", "week"]
"""How long a period is; a week begins on Monday."""

_LENGTHS: dict[Unit, timedelta] = {"day": timedelta(days=1), "week": timedelta(weeks=1)}


@dataclass(frozen=True, slots=True)
class Period:
    """What was read of the responses of one period.

    Args:
        start: when it begins, UTC without a zone.
        end: when the next one begins.
        success: responses that could be read whole, of those that meant to act and can be audited.
        strict: the same without a repair.
    """

    start: datetime
    end: datetime
    success: Rate
    strict: Rate


@dataclass(frozen=True, slots=True)
class Trend:
    """Parse success over time.

    Args:
        periods: those with a response that meant to act, in order; what has none is left out.
        undated: responses that meant to act and carry no time.
    """

    periods: tuple[Period, ...]
    undated: int


_COUNTS = Counts(
    "parse_attempts", "parse_attempts", f"{AUDITABLE} AND list_contains($intent, outcome)", PARSED
)
_BY_PERIOD = """
SELECT label AS start, {rates} FROM ({counted}) GROUP BY start HAVING sum(alike * audited) > 0 ORDER BY start"""
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
    refuse_no_ledger(ledger)
    refuse_no_period(unit)
    rolled = rolled_scope(ledger, rated(within))
    counts, parameters = counted([_COUNTS], within, rolled, _PERIOD)
    statement = _BY_PERIOD.format(rates=summed_sql((), ("parsed", "strictly")), counted=counts)
    rows = ledger.sql(statement, parameters | {"unit": unit, "intent": INTENT}).fetchall()

    def periods() -> Iterator[Period]:
        for start, success, strict in rows:
            if start is not None:
                yield Period(start, start + _LENGTHS[unit], as_rate(success), as_rate(strict))

    return Trend(tuple(periods()), undated=sum(row[1]["count"] for row in rows if row[0] is None))
