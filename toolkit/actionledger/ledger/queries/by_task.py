"""What two sets of responses share: turns, or tasks, such as those of two models that were asked the same."""

from dataclasses import dataclass

from actionledger.ledger.queries.base import AUDITABLE, INTENT, READ, Queryable, number, rows
from actionledger.ledger.queries.filters import Filter, rated
from actionledger.ledger.queries.scopes import scope


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What was read of the responses to one task.

    Args:
        task: which.
        intent: how many of them meant to act and can be audited, 1 or more.
        read: how many of these could be read whole.
    """

    task: str
    intent: int
    read: int

    @property
    def share(self) -> float:
        """The share of those that could be read, 0 to 1."""
        return self.read / self.intent


_TASKS = f"""
SELECT task, count(*) AS intent, count(*) FILTER (list_contains($read, outcome)) AS read
FROM parse_attempts WHERE task <> '' AND {AUDITABLE} AND list_contains($intent, outcome) AND {{condition}}
GROUP BY task ORDER BY task"""


def results_by_task(ledger: Queryable, within: Filter) -> list[TaskResult]:
    """Return what was read by task, in the tasks' order; responses without a task are left out.

    Args:
        ledger: what to ask.
        within: which responses.
    """
    condition, parameters = scope(rated(within))
    query = _TASKS.format(condition=condition)
    return rows(ledger, TaskResult, query, parameters | {"read": READ, "intent": INTENT})


_SHARED = """
SELECT count(*) FROM (SELECT DISTINCT turn_id FROM parse_attempts WHERE {before})
JOIN (SELECT DISTINCT turn_id FROM parse_attempts WHERE {after}) USING (turn_id)"""


def shared_turns(ledger: Queryable, before: Filter, after: Filter) -> int:
    """Return how many turns two filters both pick.

    Args:
        ledger: what to ask.
        before: the one.
        after: the other.
    """
    first, second = scope(before).beside("before_"), scope(after).beside("after_")
    query = _SHARED.format(before=first.condition, after=second.condition)
    return number(ledger, query, first.parameters | second.parameters)
