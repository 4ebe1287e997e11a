"""Times as they are recorded: UTC, without a zone."""

from datetime import UTC, datetime


def now() -> datetime:
    """Return the current time, UTC without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)


def utc(moment: datetime) -> datetime:
    """Return a time as UTC without a zone; one without a zone is taken for UTC."""
    if moment.tzinfo is UTC:
        return moment.replace(tzinfo=None)
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
