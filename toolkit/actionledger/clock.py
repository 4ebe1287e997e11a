"""Times as they are recorded: UTC, without a zone."""

from datetime import UTC, datetime


def now() -> datetime:
    """Return the current time, UTC without a zone."""
    return utc(datetime.now(UTC))


def utc(moment: datetime) -> datetime:
    """Return a time as UTC without a zone; one without a zone is taken for UTC."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
