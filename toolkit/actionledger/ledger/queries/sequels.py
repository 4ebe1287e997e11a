"""What comes of an action right behind another one: how often it was tried, and how often it failed."""

from dataclasses import dataclass

from actionledger.ledger.queries.base import ATTEMPTED, Queryable, rows


@dataclass(frozen=True, slots=True)
class Sequel:
    """An action right behind another one, in the same session.

    Args:
        before: the name of the one before.
        name: the action's name.
        count: how often it was tried there.
        failed: how often it failed there.
        count_elsewhere, failed_elsewhere: the same, for the action behind any other.
    """

    before: str
    name: str
    count: int
    failed: int
    count_elsewhere: int
    failed_elsewhere: int


_SEQUELS = """
WITH tried AS (
    SELECT session_id, turn_index, action_index, started_at, name, (status <> 'succeeded')::INTEGER AS has_failed
    FROM executions WHERE profile = $profile AND status IN (SELECT unnest($attempted))
    QUALIFY row_number() OVER (PARTITION BY action_id ORDER BY try_number DESC) = 1
), paired AS (
    SELECT name, has_failed,
           lag(name) OVER (PARTITION BY session_id ORDER BY turn_index, started_at, action_index) AS before
    FROM tried
), counted AS (
    SELECT before, name, count(*) AS count, sum(has_failed) AS failed FROM paired GROUP BY before, name
)
SELECT before, name, count, failed::BIGINT AS failed,
       (sum(count) OVER of_name - count)::BIGINT AS count_elsewhere,
       (sum(failed) OVER of_name - failed)::BIGINT AS failed_elsewhere
FROM counted
WINDOW of_name AS (PARTITION BY name)
QUALIFY before IS NOT NULL AND count >= $minimum
ORDER BY failed / count DESC, count DESC, before, name"""


def sequels(ledger: Queryable, profile: str, minimum: int) -> list[Sequel]:
    """Return each pair of actions that stood behind each other often enough, the most failing first.

    Args:
        ledger: what to ask.
        profile: whose sessions to look at.
        minimum: how often a pair must have been tried.
    """
    values = {"profile": profile, "minimum": minimum, "attempted": ATTEMPTED}
    return rows(ledger, Sequel, _SEQUELS, values)
