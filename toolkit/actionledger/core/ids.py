"""Recorded times, and identifiers: time-ordered for live events, derived from content for imported ones."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from time import time_ns

from uuid_utils import UUID, uuid5, uuid7

from actionledger.core.patterns import regex
from actionledger.core.text import escaped_halves

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC, and without a zone as all times are here


def now() -> datetime:
    """Return the current time, UTC without a zone."""
    return _EPOCH + timedelta(microseconds=time_ns() // 1000)  # removing a time zone takes four times as long


def utc(moment: datetime) -> datetime:
    """Return a time as UTC without a zone; a time without a zone is assumed to be UTC."""
    if moment.tzinfo is UTC:
        return moment.replace(tzinfo=None)
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


_NAMESPACE = UUID("6f1d5a0e-6a43-5f0e-9c38-0d5a3b0a7c11")


def new_id() -> str:
    """Return a fresh identifier (UUID version 7: later ones sort later)."""
    return str(uuid7())


def derived_id(*parts: object) -> str:
    """Return an identifier that is always the same for the same parts (UUID version 5), so that importing twice duplicates nothing."""
    # A lone surrogate, which an imported name may contain, is hashed as its escape.
    return str(uuid5(_NAMESPACE, escaped_halves("\x1f".join(map(str, parts)))))


_UUID = regex(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
UUID_CHARACTERS = 36


def is_uuid(text: str) -> bool:
    """Return whether ``text`` is a UUID with its hyphens."""
    return len(text) == UUID_CHARACTERS and has_form_of_uuid(text)


@lru_cache(maxsize=4096)  # the rows of an event and of its neighbours share run, session and turn
def has_form_of_uuid(text: str) -> bool:
    """Return whether ``text``, which has a UUID's length, is one."""
    return _UUID.fullmatch(text) is not None
