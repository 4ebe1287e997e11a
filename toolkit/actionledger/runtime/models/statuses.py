"""What an HTTP status means for a request, and what the operator can do about it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

from actionledger.runtime.models.errors import (
    ModelStatusError,
    RateLimitedError,
    RequestRefusedError,
    ServerFailedError,
)
from actionledger.runtime.models.malformed import MalformedError
from actionledger.runtime.models.wire import fault_in, json_object

_ADVICE = {
    400: "change what the request holds",
    401: "check the key",
    403: "check the key and what it gives access to",
    404: "check the base URL and the model's name",
    408: "try again",
    413: "show the model less text",
    422: "change what the request holds",
    429: "wait, or ask less often",
}
_SPENT = frozenset({"insufficient_quota", "billing_not_active"})


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is no success.

    Args:
        status: its HTTP status.
        location: where it points to, as its header says; empty where nowhere.
        retry_after: how long it asks to wait, as its header says; empty where it doesn't.
        body: the beginning of its body.
    """

    status: int
    location: str
    retry_after: str
    body: bytes


def status_error(server: str, refusal: Refusal, quoted: Callable[[str], str]) -> ModelStatusError:
    """Return the error for an answer that is no success."""
    status, wait = refusal.status, seconds_to_wait(refusal.retry_after)
    if status < 400:
        place = quoted(refusal.location.split("?")[0])
        return RequestRefusedError(
            f"{server} answered {status} and points to {place}; a redirect is not followed, because the key would go "
            "along: give the right address as base URL.",
            status=status,
        )
    said, is_spent = _words(refusal.body)
    answered = f"{server} answered {status}: {quoted(said)}"
    asks = f" It asks to wait {wait:g} s." if wait is not None else ""
    if is_spent:
        return RequestRefusedError(f"{answered}; the quota is used up, look at its billing.", status=status)
    if status >= 500:
        message = f"{answered}; look into its log, or try again later.{asks}"
        return ServerFailedError(message, status=status, retry_after=wait)
    message = f"{answered}; {_ADVICE.get(status, 'check the base URL')}.{asks}"
    if status in {408, 429}:
        return RateLimitedError(message, status=status, retry_after=wait)
    return RequestRefusedError(message, status=status)


def _words(body: bytes) -> tuple[str, bool]:
    """Return what a server says of a refusal, and whether it says that the account's quota is used up."""
    text = body.decode(errors="replace")
    try:
        answer = json_object(body)
    except MalformedError:
        return text, False
    fault = answer.get("error")
    return fault_in(answer) or text, isinstance(fault, dict) and fault.get("code") in _SPENT


def seconds_to_wait(retry_after: str) -> float | None:
    """Return how long a ``Retry-After`` header asks to wait, in seconds, or None where it says nothing readable."""
    if not retry_after:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if isfinite(seconds) else None
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
