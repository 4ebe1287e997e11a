"""Times as they are recorded, and identifiers: time-ordered for what happens now, derived from content for what was recorded elsewhere."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from time import time_ns

from uuid_utils import UUID, uuid5, uuid7

from actionledger.core.patterns import regex
from actionledger.core.text import escaped_halves

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC, and without a zone as all times are here


def now() -> datetime:
    """Return the current time, UTC without a zone."""
    return _EPOCH + timedelta(microseconds=time_ns() // 1000)  # taking a zone away takes four times as long


def utc(moment: datetime) -> datetime:
    """Return a time as UTC without a zone; one without a zone is taken for UTC."""
    if moment.tzinfo is UTC:
        return moment.replace(tzinfo=None)
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


_NAMESPACE = UUID("6f1d5a0e-6a43-5f0e-9c38-0d5a3b0a7c11")


def new_id() -> str:
    """Return a fresh identifier (UUID version 7: later ones sort later)."""
    return str(uuid7())


def derived_id(*parts: object) -> str:
    """Return the identifier that the same parts always get (UUID version 5), so that importing twice doubles nothing."""
    # Half of a surrogate pair, which a stranger's name may hold, is hashed as its escape.
    return str(uuid5(_NAMESPACE, escaped_halves("\x1f".join(map(str, parts)))))


_UUID = regex(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
UUID_CHARACTERS = 36


def is_uuid(text: str) -> bool:
    """Whether ``text`` is a UUID with its hyphens."""
    return len(text) == UUID_CHARACTERS and has_form_of_uuid(text)


@lru_cache(maxsize=4096)  # the rows of an event, and of its neighbours, have the same run, session and turn
def has_form_of_uuid(text: str) -> bool:
    """Whether ``text``, of a UUID's length, is one."""
    return _UUID.fullmatch(text) is not None
