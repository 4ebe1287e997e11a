"""Times as they are recorded: UTC, without a zone."""

from datetime import UTC, datetime, timedelta
from time import time_ns

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC, and without a zone as all times are here


def now() -> datetime:
    """Return the current time, UTC without a zone."""
    return _EPOCH + timedelta(microseconds=time_ns() // 1000)  # taking a zone away takes four times as long


def utc(moment: datetime) -> datetime:
    """Return a time as UTC without a zone; one without a zone is taken for UTC."""
    if moment.tzinfo is UTC:
        return moment.replace(tzinfo=None)
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
