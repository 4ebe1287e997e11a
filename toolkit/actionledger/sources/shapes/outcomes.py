"""What our own exports say of what came of a call, in the words that a ledger has for it."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from actionledger.sources.access import exit_status_of, number_at, text_at
from actionledger.sources.base import RecordedResult
from actionledger.vocabulary import ExecutionStatus, Reason

OWN = "actionledger."
"""What the names of our own attributes begin with."""


def with_outcome(result: RecordedResult, told: Mapping[str, Any], prefix: str = "") -> RecordedResult:
    """Return a result with the status, the reason, the exit status and the time that an export of ours says.

    Args:
        result: what came of a call.
        told: what is said of it; names that a ledger has no such value for are as if they were not there.
        prefix: what the names begin with.
    """
    status = reason = None
    with suppress(ValueError):
        status = ExecutionStatus(text_at(told, f"{prefix}status"))
    with suppress(ValueError):
        reason = Reason(text_at(told, f"{prefix}reason"))
    if status is None:
        return result
    duration = number_at(told, f"{prefix}duration_ms")
    return replace(
        result,
        status=status,
        reason=reason,
        exit_status=exit_status_of(told.get(f"{prefix}exit_status")),
        is_inferred=told.get(f"{prefix}is_inferred") is True,
        duration_ms=result.duration_ms if duration is None else duration,
    )
