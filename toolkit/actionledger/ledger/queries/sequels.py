"""What comes of an action right behind another one: how often it was tried, and how often it failed."""

from dataclasses import dataclass

from actionledger.core.rates import Rate
from actionledger.ledger.queries.base import ATTEMPTED, Queryable, rate_sql, rows
from actionledger.ledger.queries.scopes import FIRST_EXECUTIONS


@dataclass(frozen=True, slots=True)
class Sequel:
    """An action right behind another one, in the same session.

    Args:
        before: the name of the one before.
        name: the action's name.
        failures: how often it failed there, of how often it was tried there.
        elsewhere: the same, for the action behind any other.
    """

    before: str
    name: str
    failures: Rate
    elsewhere: Rate


_SEQUELS = """
WITH tried AS (
    SELECT session_id, turn_index, action_index, started_at, name, (status <> 'succeeded')::INTEGER AS has_failed
    FROM executions WHERE profile = $profile AND status IN (SELECT unnest($attempted)) AND {first}
    QUALIFY row_number() OVER (PARTITION BY action_id ORDER BY try_number DESC) = 1
), paired AS (
    SELECT session_id, name, has_failed,
           lag(name) OVER (PARTITION BY session_id ORDER BY turn_index, started_at, action_index) AS before
    FROM tried
), by_session AS (
    SELECT before, name, session_id, count(*) AS count, sum(has_failed) AS failed
    FROM paired GROUP BY before, name, session_id
), counted AS (
    SELECT before, name, sum(count) AS count, sum(failed) AS failed, {rate} AS failures
    FROM by_session GROUP BY before, name
    HAVING before IS NOT NULL AND sum(count) >= $minimum
), others AS (
    SELECT counted.before, name, session_id, sum(by_session.count) AS count, sum(by_session.failed) AS failed
    FROM counted JOIN by_session USING (name)
    WHERE by_session.before IS DISTINCT FROM counted.before
    GROUP BY counted.before, name, session_id
), elsewhere AS (
    SELECT before, name, {rate} AS elsewhere FROM others GROUP BY before, name
)
SELECT before, name, failures, coalesce(elsewhere, {{'successes': 0, 'count': 0, 'clustering': NULL}}) AS elsewhere
FROM counted LEFT JOIN elsewhere USING (before, name)
ORDER BY failed / count DESC, count DESC, before, name"""


def sequels(ledger: Queryable, profile: str, minimum: int) -> list[Sequel]:
    """Return each pair of actions that stood behind each other often enough, the most failing first.

    Args:
        ledger: what to ask.
        profile: whose sessions to look at.
        minimum: how often a pair must have been tried.
    """
    values = {"profile": profile, "minimum": minimum, "attempted": ATTEMPTED}
    return rows(
        ledger, Sequel, _SEQUELS.format(first=FIRST_EXECUTIONS, rate=rate_sql("failed", "count")), values
    )
