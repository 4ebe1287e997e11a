"""What people say of turns."""

from enum import StrEnum


class ReviewAspect(StrEnum):
    """What kind of thing somebody says of a turn.

    Example:
        >>> [str(aspect) for aspect in al.ReviewAspect]
        ['verdict', 'label', 'comment', 'assignment', 'decision']
    """

    VERDICT = "verdict"
    LABEL = "label"
    COMMENT = "comment"
    ASSIGNMENT = "assignment"
    DECISION = "decision"

    @property
    def can_be_settled(self) -> bool:
        """Whether it is open until somebody has done it."""
        return self in {ReviewAspect.ASSIGNMENT, ReviewAspect.DECISION}


class ReviewStep(StrEnum):
    """What is done with something that is said of a turn: it is said, changed, withdrawn, or settled as done."""

    GIVEN = "given"
    CHANGED = "changed"
    WITHDRAWN = "withdrawn"
    DONE = "done"


class Judgement(StrEnum):
    """Whether what was read of a response is right, as a person sees it.

    Example:
        >>> [str(judgement) for judgement in al.Judgement]
        ['right', 'wrong', 'unsure']
    """

    RIGHT = "right"
    WRONG = "wrong"
    UNSURE = "unsure"
