"""Of which days the price files are that costs were computed by."""

from datetime import date

from actionledger.ledger.queries.base import Queryable
from actionledger.recording import PRICES_USED

_DATES = """
SELECT DISTINCT detail->>'dated' FROM events
WHERE code = $code AND run_id IN (SELECT run_id FROM turn_starts WHERE cost_origin = 'prices') ORDER BY ALL"""


def price_file_dates(ledger: Queryable) -> tuple[date, ...]:
    """Return the days on which the price files were changed last that a ledger has costs by; none if not recorded.

    Args:
        ledger: what to ask.
    """
    found = ledger.sql(_DATES, {"code": PRICES_USED}).fetchall()
    return tuple(date.fromisoformat(day) for (day,) in found if day)
