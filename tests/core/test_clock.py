"""Times are UTC without a zone, wherever they come from."""

from datetime import UTC, datetime

from actionledger.core.ids import now, utc

NOON = datetime.fromisoformat("2026-05-04T12:00:00")


def test_times_are_kept_in_utc_without_a_zone():
    """One with a zone is turned, one without is taken for UTC."""
    assert utc(datetime.fromisoformat("2026-05-04T14:00:00+02:00")) == NOON
    assert utc(NOON) == NOON


def test_now_is_such_a_time():
    """It lies between two that the system tells."""
    before = datetime.now(UTC)
    told = now()
    assert told.tzinfo is None
    assert before <= told.replace(tzinfo=UTC) <= datetime.now(UTC)
