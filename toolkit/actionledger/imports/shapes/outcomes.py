"""What our own exports say of a response and of what came of a call, in the words that a ledger has for it."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from actionledger.core.values.recordings import RecordedResult, Usage
from actionledger.core.vocabulary import CostOrigin, ExecutionStatus, Reason
from actionledger.imports.sources.access import exit_status_of, number_at, text_at

OWN = "actionledger."
"""What the names of our own attributes begin with."""


def with_outcome(result: RecordedResult, told: Mapping[str, Any], prefix: str = "") -> RecordedResult:
    """Return a result with the status, the reason, the exit status and the time that an export of ours says."""
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


def with_own(usage: Usage, told: Mapping[str, Any], prefix: str = OWN) -> Usage:
    """Return what a response took with what an export of ours says of it. A cost that was computed there is none that was recorded."""
    is_computed = told.get(f"{prefix}cost_origin") not in {None, CostOrigin.RECORDED}
    cost = number_at(told, f"{prefix}cost_usd") if usage.cost_usd is None else usage.cost_usd
    latency = number_at(told, f"{prefix}latency_ms")
    begun = number_at(told, f"{prefix}time_to_first_token_ms")
    return replace(
        usage,
        cost_usd=None if is_computed else cost,
        latency_ms=usage.latency_ms if latency is None else latency,
        time_to_first_token_ms=usage.time_to_first_token_ms if begun is None else begun,
        finish_reason=usage.finish_reason or text_at(told, f"{prefix}finish_reason")[:80],
    )
