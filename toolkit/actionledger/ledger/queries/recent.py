"""The latest responses: those that are live now, and the first page of a search; and the alerts that were raised."""

from dataclasses import dataclass, replace
from datetime import datetime

from actionledger.core.recording import ALERT_RAISED
from actionledger.core.vocabulary import Outcome, Reason
from actionledger.ledger.queries.base import REFUSED_BY_SCHEMA, Queryable, number, picked, rows
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.marks import TurnBehind, turns_page
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS, FIRST_READING, scope


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert."""

    rule: str  # the rule's name
    number: str  # the number that the rule checks, by its path in `report --json`
    asked: str  # the limit and the time in words
    found: str  # the number's value in words
    value: float  # the number's value; for a list, its length
    raised_at: datetime  # its time, UTC without a zone


_ALERTS = """
SELECT detail->>'rule' AS rule, detail->>'number' AS number, detail->>'asked' AS asked, detail->>'found' AS found,
       (detail->>'value')::DOUBLE AS value, recorded_at AS raised_at
FROM events WHERE code = $code ORDER BY recorded_at DESC, event_id LIMIT $limit OFFSET $offset"""


def alerts(ledger: Queryable, *, limit: int = 100, offset: int = 0) -> list[Alert]:
    """Return the alerts that were raised, the newest first."""
    return rows(ledger, Alert, _ALERTS, {"code": ALERT_RAISED, "limit": limit, "offset": offset})


def count_alerts(ledger: Queryable) -> int:
    """Return how many alerts were raised."""
    [(found,)] = ledger.sql(
        "SELECT count(*) FROM events WHERE code = $code", {"code": ALERT_RAISED}
    ).fetchall()
    return int(found)


SNIPPET = 160
"""How many characters of a response to show."""


@dataclass(frozen=True, slots=True)
class RecentTurn:
    """A recent response."""

    session_id: str
    turn_index: int  # its position in the session, from 0
    model: str  # the language model
    occurred_at: datetime  # when it was made, UTC without a zone
    outcome: Outcome | None  # its parse outcome; None if it was not parsed yet
    reason: Reason | None  # why it was not fully parsed; None if it was
    actions: int  # how many actions were parsed and meant
    refused: int  # how many of them may not run
    executions: int  # how many tries it has
    running: int  # how many of them started and have no end; they may be interrupted
    failed: int  # how many of them were attempted and did not succeed
    waiting: int  # how many actions wait for a person's approval
    snippet: str  # the beginning of the response
    has_ended: bool  # whether its session has


_COUNTS = ("actions", "refused", "executions", "running", "failed", "waiting")
_COLUMNS = picked(RecentTurn, **{name: f"coalesce({name}, 0)" for name in _COUNTS})

_HAS_ENDED = "(finished_at IS NOT NULL OR success IS NOT NULL OR reason IS NOT NULL)"

_GOES_ON = f"""
SELECT count(*) FROM sessions WHERE session_id = $session_id::UUID AND NOT {_HAS_ENDED} AND (
    started_at >= $since OR session_id IN (
        SELECT session_id FROM turn_starts WHERE session_id = $session_id::UUID AND occurred_at >= $since))"""

_LATELY = f"""
WITH late AS (
    SELECT session_id, turn_id, turn_index, model, occurred_at, left(text, {SNIPPET}) AS snippet
    FROM turn_starts WHERE occurred_at >= $since ORDER BY occurred_at DESC, turn_index DESC LIMIT $limit),
attempts AS (
    SELECT DISTINCT ON (turn_id) turn_id, attempt_id, outcome, reason
    FROM parse_attempts SEMI JOIN late USING (turn_id) WHERE {FIRST_READING} ORDER BY turn_id, parsed_at, attempt_id),
calls AS (
    SELECT attempt_id, count(*) FILTER (status <> 'illustration') AS actions,
           count(*) FILTER (list_contains($refused, status)) AS refused
    FROM actions SEMI JOIN attempts USING (attempt_id) GROUP BY attempt_id),
last_tries AS (
    SELECT turn_id, action_id, max_by(status, try_number) AS status, count(*) AS tries,
           count(*) FILTER (status IN ('failed', 'timed_out')) AS failed, count(*) FILTER (status = 'interrupted') AS running
    FROM executions SEMI JOIN late USING (turn_id) WHERE {FIRST_EXECUTIONS} GROUP BY turn_id, action_id),
tries AS (
    SELECT turn_id, sum(tries)::BIGINT AS executions, sum(running)::BIGINT AS running, sum(failed)::BIGINT AS failed,
           count(*) FILTER (status = 'pending') AS waiting
    FROM last_tries GROUP BY turn_id),
of_sessions AS (
    SELECT session_id, {_HAS_ENDED} AS has_ended
    FROM sessions SEMI JOIN late USING (session_id))
SELECT {_COLUMNS}
FROM late LEFT JOIN attempts USING (turn_id) LEFT JOIN calls USING (attempt_id) LEFT JOIN tries USING (turn_id)
LEFT JOIN of_sessions USING (session_id)
ORDER BY occurred_at DESC, turn_index DESC, session_id"""


def recent_turns(ledger: Queryable, since: datetime, *, limit: int = 50) -> list[RecentTurn]:
    """Return the recent responses, the latest first."""
    return rows(ledger, RecentTurn, _LATELY, {"since": since, "limit": limit, "refused": REFUSED_BY_SCHEMA})


def goes_on(ledger: Queryable, session_id: str, since: datetime) -> bool:
    """Return whether a session may soon have more responses: it has no end, and its start or a response is recent."""
    return number(ledger, _GOES_ON, {"session_id": session_id, "since": since}) > 0


LATEST = 20_000
"""How many responses are searched first: they contain fifty hits if one response in four hundred has the text."""

PART = 5
"""They are searched first only if all responses are at least this many times as many: after a search in vain, all are searched as well."""

_SINCE = """
WITH picked AS (SELECT occurred_at FROM parse_attempts WHERE {condition}),
nth AS (SELECT occurred_at AS since FROM picked ORDER BY occurred_at DESC NULLS LAST LIMIT 1 OFFSET $latest - 1)
SELECT any_value(since) FROM picked, nth HAVING count(*) FILTER (occurred_at >= since) * $part <= count(*)"""


_LAST = "SELECT max(occurred_at) FROM parse_attempts WHERE {condition}"


def last_at(ledger: Queryable, within: Filter) -> datetime | None:
    """Return the time of the latest response that a filter selects; None if none has a time."""
    [(found,)] = ledger.sql(*scope(within).filled(_LAST)).fetchall()
    return found  # type: ignore[no-any-return]


def latest_turns(ledger: Queryable, within: Filter, *, limit: int = 50) -> list[TurnBehind] | None:
    """Return the first page of the turns that a filter selects, if the latest responses contain its text often enough. None if ``turns_page`` has to be called."""
    # The time of the oldest response to search; None if there are too few responses, or most have the same time.
    query = scope(within.given).filled(_SINCE, latest=LATEST, part=PART)
    found: list[tuple[datetime | None]] = ledger.sql(*query).fetchall()
    since = found[0][0] if found else None
    if since is None:
        return None
    page = turns_page(ledger, replace(within, since=since), limit=limit)
    return page.turns if page.count >= limit else None
