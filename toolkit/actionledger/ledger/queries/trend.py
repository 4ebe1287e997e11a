"""Rates over time: parse success and the executions of other runtimes, and the first time of each model, prompt or other property."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias, get_args

from actionledger.core.errors import UsageError
from actionledger.core.rates import Rate
from actionledger.ledger.queries.base import AUDITABLE, INTENT, Queryable, as_rate, refuse_no_ledger, rows
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.rolled import (
    ACTING,
    PARSED,
    RATES,
    Counts,
    Label,
    counted,
    rolled_scope,
    rows_beside,
    summed_sql,
)
from actionledger.ledger.queries.scopes import scope
from actionledger.ledger.storage.rollups.tables import OF_ATTEMPT, OF_SESSION, OF_TURN, PARTS

Unit: TypeAlias = Literal["day", "week"]
"""The length of a period; a week starts on Monday."""

_LENGTHS: dict[Unit, timedelta] = {"day": timedelta(days=1), "week": timedelta(weeks=1)}


@dataclass(frozen=True, slots=True)
class Period:
    """The rates of one period."""

    start: datetime  # its start, UTC without a zone
    end: datetime  # the start of the next one
    # responses that were fully parsed, of those that meant to act and can be audited; or executions that succeeded, of those that were tried
    success: Rate
    strict: Rate  # the same without repairs; for executions, which are never repaired, the same as `success`


@dataclass(frozen=True, slots=True)
class Trend:
    """A rate over time."""

    # those with a response that meant to act, or with an execution, in order; empty ones are skipped
    periods: tuple[Period, ...]
    undated: int  # responses that meant to act, or executions, without a time


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
    """Refuse an unknown length of a period."""
    if unit not in get_args(Unit):
        raise UsageError(f"{unit!r} is not a period; choose one of {', '.join(get_args(Unit))}.")


def success_over_time(ledger: Queryable, within: Filter = EVERYTHING, unit: Unit = "day") -> Trend:
    """Return parse success by the time of the responses."""
    return _over_time(ledger, within, unit, _COUNTS, ("parsed", "strictly"))


def elsewhere_over_time(ledger: Queryable, within: Filter = EVERYTHING, unit: Unit = "day") -> Trend:
    """Return the success rate of other runtimes' executions, as recorded, by the time of the responses."""
    return _over_time(ledger, within, unit, ACTING, ("succeeded_elsewhere",))


def spanning_sessions(
    ledger: Queryable, starts: Sequence[datetime], within: Filter, unit: Unit
) -> list[dict[int, tuple[int, int]]]:
    """Return the sessions in several periods: for each period's position, the responses that count and those fully parsed."""
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


Novelty: TypeAlias = Literal["model", "profile", "parser", "source", "prompt", "tools"]
"""Properties of a response that are known before parsing and may be new."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A property that responses have since some time.

    Args:
        what: the kind of property.
        label: its name; for tools and for a prompt (the recorded instructions of a session), the beginning of their hash; for a parser its name and
            the beginning of its hash.
        first_at: the time of the first response with it, UTC without a zone.
        responses: how many have it.
    """

    what: Novelty
    label: str
    first_at: datetime
    responses: int


_READ = f"""
read AS (
    SELECT turn_id, session_id, occurred_at, model, profile, {OF_ATTEMPT} AS parser
    FROM parse_attempts SEMI JOIN session_starts USING (session_id) WHERE occurred_at IS NOT NULL AND {{apart}}{{condition}}),
known AS (
    SELECT model, profile, parser, min(occurred_at) AS first_at, count(*) AS responses FROM read GROUP BY model, profile, parser),
of_sessions AS (
    SELECT source, {OF_SESSION} AS prompt, first_at, responses
    FROM (SELECT session_id, min(occurred_at) AS first_at, count(*) AS responses FROM read GROUP BY session_id)
    JOIN session_starts USING (session_id)),
of_turns AS (
    SELECT tools, min(occurred_at) AS first_at, count(*) AS responses
    FROM read JOIN (SELECT turn_id, {OF_TURN} AS tools FROM turn_starts WHERE tools_hash <> '') USING (turn_id) GROUP BY tools)"""
"""Responses are grouped by their few distinct properties before they are labelled: there are many, and each has six labels."""

_OF_ROWS = {
    "model": "known",
    "profile": "known",
    "parser": "known",
    "source": "of_sessions",
    "prompt": "of_sessions",
    "tools": "of_turns",
}
_OF_PARTS = f"""
parts AS (
    SELECT {", ".join(_OF_ROWS)}, min(first_at) AS first_at, sum(received)::BIGINT AS responses
    FROM {PARTS} WHERE day IS NOT NULL AND {{rolled}} GROUP BY ALL)"""

_LABELLED = """
SELECT what, label, min(first_at) AS first_at, sum(responses)::BIGINT AS responses
FROM ({labelled}) WHERE label <> '' GROUP BY what, label ORDER BY first_at, what, label"""


def arrivals(ledger: Queryable, within: Filter = EVERYTHING) -> list[Arrival]:
    """Return the properties of responses, by the time of the first response with each; responses without a time are ignored."""
    rolled = rolled_scope(ledger, within) if within == within.given else None
    apart, of_rows = rows_beside(within, rolled)
    condition, parameters = scope(of_rows)
    tables = [_READ.format(apart=apart, condition=condition)]
    labelled = [_labelled(what, table) for what, table in _OF_ROWS.items()]
    if rolled is not None:
        tables.append(_OF_PARTS.format(rolled=rolled.condition))
        labelled += [_labelled(what, "parts") for what in _OF_ROWS]
        parameters = parameters | rolled.parameters
    statement = f"WITH {', '.join(tables)} {_LABELLED.format(labelled=' UNION ALL '.join(labelled))}"
    return rows(ledger, Arrival, statement, parameters)


def _labelled(what: str, table: str) -> str:
    return f"SELECT '{what}' AS what, {what} AS label, first_at, responses FROM {table}"
