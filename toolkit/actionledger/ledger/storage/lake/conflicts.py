"""Commits of several hosts at once: how one is claimed, and tried again if another host was first."""

import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import duckdb
from duckdb import DuckDBPyConnection

if TYPE_CHECKING:
    from tenacity import AttemptManager, RetryCallState

_log = logging.getLogger(__name__)

_PATIENCE_SECONDS = 120.0
_CONFLICTS = ("conflict", "database is locked", "could not serialize", "deadlock")


def claim(connection: DuckDBPyConnection) -> None:
    """Make this transaction conflict with any other one that claims something."""
    connection.execute("UPDATE meta SET toolkit_version = toolkit_version")


def tried_again(
    on: Callable[[BaseException], bool] | None = None, *, seconds: float = _PATIENCE_SECONDS
) -> "Iterable[AttemptManager]":
    """Return the attempts at something that may conflict with another host's commit, for a few minutes."""
    import tenacity  # noqa: PLC0415 - slow to load, and a reader commits nothing

    return tenacity.Retrying(
        retry=tenacity.retry_if_exception(on or is_conflict),
        stop=tenacity.stop_after_delay(seconds),
        wait=tenacity.wait_random_exponential(multiplier=0.2, max=5.0),
        before_sleep=_note_retry,
        reraise=True,
    )


def _note_retry(attempt: "RetryCallState") -> None:
    # For debugging only: that hosts wait for each other is normal, and the error's text may be long.
    _log.debug("Another host was first; this is attempt %d.", attempt.attempt_number)


def is_conflict(error: BaseException) -> bool:
    """Return whether another host was in the way, so that another attempt may succeed."""
    said = str(error).lower()
    return isinstance(error, duckdb.Error) and any(words in said for words in _CONFLICTS)
