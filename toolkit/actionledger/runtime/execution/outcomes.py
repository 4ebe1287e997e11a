"""The one table from exceptions to what is recorded of an execution, and whether it is worth another try."""

from enum import Enum, auto
from typing import NamedTuple

from actionledger.core.errors import ActionError
from actionledger.core.text import writable
from actionledger.core.vocabulary import SENTENCES, ExecutionStatus, Reason

MAX_MESSAGE = 2000
"""The most that is kept of an error's text, in characters."""


class Again(Enum):
    """Whether an action that failed is tried again."""

    NEVER = auto()
    IF_IDEMPOTENT = auto()
    """It may have had its effect: only an action that may be run twice is."""
    ALWAYS = auto()
    """It can't have had any effect."""


class Outcome(NamedTuple):
    """What came of a try that did not succeed.

    Args:
        status: what is recorded.
        reason: why.
        again: whether it is tried again.
    """

    status: ExecutionStatus
    reason: Reason
    again: Again = Again.NEVER


OUTCOMES: tuple[tuple[type[BaseException], Outcome], ...] = (
    (KeyboardInterrupt, Outcome(ExecutionStatus.INTERRUPTED, Reason.STOPPED)),
    (TimeoutError, Outcome(ExecutionStatus.TIMED_OUT, Reason.TIMEOUT)),
    (BlockingIOError, Outcome(ExecutionStatus.FAILED, Reason.UNAVAILABLE, Again.ALWAYS)),
    (ConnectionRefusedError, Outcome(ExecutionStatus.FAILED, Reason.UNAVAILABLE, Again.ALWAYS)),
    (ConnectionError, Outcome(ExecutionStatus.FAILED, Reason.UNAVAILABLE, Again.IF_IDEMPOTENT)),
    (BaseException, Outcome(ExecutionStatus.FAILED, Reason.HANDLER_ERROR)),
)
"""From the top: the first kind that an exception is of decides. An ``ActionError`` speaks for itself."""


def outcome_of(error: BaseException) -> Outcome:
    """Return what an exception of a handler is recorded as."""
    if isinstance(error, ActionError):
        again = Again.ALWAYS if error.transient else Again.NEVER
        reason = _reason(error)
        is_late = reason is Reason.TIMEOUT
        return Outcome(ExecutionStatus.TIMED_OUT if is_late else ExecutionStatus.FAILED, reason, again)
    return next(outcome for kind, outcome in OUTCOMES if isinstance(error, kind))


def message_of(error: BaseException, outcome: Outcome) -> str:
    """Return what the model is told of an exception: its own sentence, or the reason's with the particulars."""
    if isinstance(error, ActionError):
        return _text(error)[:MAX_MESSAGE]
    return f"{SENTENCES[outcome.reason]} {type(error).__name__}: {_text(error)}"[:MAX_MESSAGE]


def _reason(error: ActionError) -> Reason:
    """Return the error's code; one that isn't in the list is the handler's mistake."""
    try:
        return Reason(error.reason)
    except ValueError:
        return Reason.HANDLER_ERROR


def _text(error: BaseException) -> str:
    try:
        return writable(str(error))
    except Exception:  # noqa: BLE001 - a stranger's exception may fail even at that
        return "(the error has no readable text)"
