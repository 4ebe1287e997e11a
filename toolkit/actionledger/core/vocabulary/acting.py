"""What comes of an action that may run, and what is decided about it."""

from enum import StrEnum


class ExecutionStatus(StrEnum):
    """What came of one try at running an action."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    DENIED = "denied"
    RATE_LIMITED = "rate_limited"
    SKIPPED = "skipped"
    PENDING = "pending"
    DRY_RUN = "dry_run"
    INTERRUPTED = "interrupted"

    @property
    def was_attempted(self) -> bool:
        """Whether the action's effect was tried (the denominator of the execution rate)."""
        return self in {
            ExecutionStatus.SUCCEEDED,
            ExecutionStatus.FAILED,
            ExecutionStatus.TIMED_OUT,
            ExecutionStatus.INTERRUPTED,
        }

    @property
    def has_duration(self) -> bool:
        """Whether it is known how long it took: it was tried, and somebody saw its end."""
        return self.was_attempted and self is not ExecutionStatus.INTERRUPTED


class Reversal(StrEnum):
    """What was done later to the changes of an action that had run: what succeeded has succeeded all the same."""

    UNDONE = "undone"
    REDONE = "redone"


class DecisionKind(StrEnum):
    """What was decided of an action that waited for approval.

    Example:
        >>> [str(decision) for decision in al.DecisionKind]
        ['approved', 'modified', 'rejected']
    """

    APPROVED = "approved"
    MODIFIED = "modified"
    REJECTED = "rejected"
