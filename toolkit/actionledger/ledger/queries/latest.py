"""The first page of a search from the latest responses alone, where a text is so frequent that they fill it.

To say in how many turns a text stands, every text of a ledger has to be unpacked. The page stands in the order of time, so that what is
found among the latest responses is what stands first among all. What was read of a response, and what came of that, carry its time.
"""

from dataclasses import replace
from datetime import datetime

from actionledger.ledger.queries.base import Queryable
from actionledger.ledger.queries.filters import Filter
from actionledger.ledger.queries.marks import TurnBehind, turns_page
from actionledger.ledger.queries.scopes import scope

LATEST = 20_000
"""So many responses are looked into: they hold fifty hits where one response in four hundred has the text."""

PART = 5
"""They are this part of what a whole look would take, at most: in vain, it is made beside that."""

_SINCE = """
WITH picked AS (SELECT occurred_at FROM parse_attempts WHERE {condition}),
nth AS (SELECT occurred_at AS since FROM picked ORDER BY occurred_at DESC NULLS LAST LIMIT 1 OFFSET $latest - 1)
SELECT any_value(since) FROM picked, nth HAVING count(*) FILTER (occurred_at >= since) * $part <= count(*)"""


_LAST = "SELECT max(occurred_at) FROM parse_attempts WHERE {condition}"


def last_at(ledger: Queryable, within: Filter) -> datetime | None:
    """Return when the latest response was made that a filter picks; None where none carries a time.

    Args:
        ledger: what to ask.
        within: the filter.
    """
    condition, parameters = scope(within)
    [(found,)] = ledger.sql(_LAST.format(condition=condition), parameters).fetchall()
    return found  # type: ignore[no-any-return]


def latest_turns(ledger: Queryable, within: Filter, *, limit: int = 50) -> list[TurnBehind] | None:
    """Return the first page of the turns that a filter picks, if its text stands often enough in the latest of them.

    Args:
        ledger: what to ask.
        within: the filter, with the text that is looked for.
        limit: how many turns a page has.

    Returns:
        The page as ``turns_page`` has it; None where that has to be asked.
    """
    since = _since(ledger, within)
    if since is None:
        return None
    page = turns_page(ledger, replace(within, since=since), limit=limit)
    return page.turns if page.count >= limit else None


def _since(ledger: Queryable, within: Filter) -> datetime | None:
    """Return the time from which on there are the latest responses; None where there are no more, or most have the same time."""
    condition, parameters = scope(within.given)
    bound = parameters | {"latest": LATEST, "part": PART}
    found: list[tuple[datetime | None]] = ledger.sql(_SINCE.format(condition=condition), bound).fetchall()
    return found[0][0] if found else None
