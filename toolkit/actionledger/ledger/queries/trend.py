"""Parse success over time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from actionledger.ledger.queries.base import AUDITABLE, INTENT, READ, Queryable, as_rate, rate_sql
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.scopes import scope
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


_BY_PERIOD = f"""
WITH by_session AS (
    SELECT date_trunc($unit, occurred_at) AS start, count(*) AS intent,
           count(*) FILTER (list_contains($read, outcome)) AS read, count(*) FILTER (outcome = 'clean') AS clean
    FROM parse_attempts WHERE {AUDITABLE} AND list_contains($intent, outcome) AND {{condition}}
    GROUP BY start, session_id)
SELECT start, {{success}}, {{strict}}
FROM by_session GROUP BY start ORDER BY start"""
_RATES = {"success": rate_sql("read", "intent"), "strict": rate_sql("clean", "intent")}


def success_over_time(ledger: Queryable, within: Filter = EVERYTHING, unit: Unit = "day") -> Trend:
    """Return parse success by the time at which the responses were made.

    Args:
        ledger: what to ask.
        within: which responses.
        unit: how long a period is.
    """
    condition, parameters = scope(rated(within))
    words = {"unit": unit, "read": READ, "intent": INTENT}
    rows = ledger.sql(_BY_PERIOD.format(condition=condition, **_RATES), parameters | words).fetchall()

    def periods() -> Iterator[Period]:
        for start, success, strict in rows:
            if start is not None:
                yield Period(start, start + _LENGTHS[unit], as_rate(success), as_rate(strict))

    return Trend(tuple(periods()), undated=sum(row[1]["count"] for row in rows if row[0] is None))
