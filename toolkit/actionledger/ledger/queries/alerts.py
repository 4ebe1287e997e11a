"""The alerts that were raised: which rule, when, and by how much."""

from dataclasses import dataclass
from datetime import datetime

from actionledger.core.recording import ALERT_RAISED
from actionledger.ledger.queries.base import Queryable, rows


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert.

    Args:
        rule: the rule's name.
        number: the number that the rule checks, by its path in ``report --json``.
        asked: the limit and the time in words.
        found: the number's value in words.
        value: the number's value; for a list, its length.
        raised_at: its time, UTC without a zone.
    """

    rule: str
    number: str
    asked: str
    found: str
    value: float
    raised_at: datetime


_ALERTS = """
SELECT detail->>'rule' AS rule, detail->>'number' AS number, detail->>'asked' AS asked, detail->>'found' AS found,
       (detail->>'value')::DOUBLE AS value, recorded_at AS raised_at
FROM events WHERE code = $code ORDER BY recorded_at DESC, event_id LIMIT $limit OFFSET $offset"""


def alerts(ledger: Queryable, *, limit: int = 100, offset: int = 0) -> list[Alert]:
    """Return the alerts that were raised, the newest first.

    Args:
        ledger: the ledger to query.
        limit: the most alerts to return.
        offset: how many of the newest to skip.
    """
    return rows(ledger, Alert, _ALERTS, {"code": ALERT_RAISED, "limit": limit, "offset": offset})


def count_alerts(ledger: Queryable) -> int:
    """Return how many alerts were raised.

    Args:
        ledger: the ledger to query.
    """
    [(found,)] = ledger.sql(
        "SELECT count(*) FROM events WHERE code = $code", {"code": ALERT_RAISED}
    ).fetchall()
    return int(found)
