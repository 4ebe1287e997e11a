"""The alerts that were raised: which rule, when, and by how much."""

from dataclasses import dataclass
from datetime import datetime

from actionledger.core.recording import ALERT_RAISED
from actionledger.ledger.queries.base import Queryable, rows


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
