"""What a recording says of a session as a whole, beside its steps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class About:
    """What a store, or a session's outermost span, says of it as a whole.

    Args:
        task: what it was asked; empty for the first prompt.
        metadata: what else it says.
        scores: scores by their names.
        labels: what it was filed under.
        success: whether it reached what it was for; None if unknown.
        reason: why it ended.
    """

    task: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    success: bool | None = None
    reason: str = ""

    def filled(self, other: "About") -> "About":
        """Return this with what another says that this doesn't."""
        return About(
            self.task or other.task,
            {**other.metadata, **self.metadata},
            {**other.scores, **self.scores},
            self.labels or other.labels,
            other.success if self.success is None else self.success,
            self.reason or other.reason,
        )


NOTHING_TOLD = About()
"""Where nothing is said."""
