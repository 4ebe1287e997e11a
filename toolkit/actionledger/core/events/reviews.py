"""What is recorded of a review: what people say of a turn, and each change of it."""

from dataclasses import dataclass
from typing import Literal

from actionledger.core.events.base import TurnEvent
from actionledger.core.events.stored import Id, Word
from actionledger.core.values import Span
from actionledger.core.vocabulary import ReviewAspect, ReviewStep


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed(TurnEvent):
    """Somebody has said something of a turn; or has changed, withdrawn or settled what was said.

    Args:
        review_id: identifies what is said; whatever is done with it later names the same.
        attempt_id: the reading that is judged; None where the response itself is meant, however it was read.
        aspect: what kind of thing is said.
        step: whether it is said for the first time, or what is done with it.
        reviewer: who did so.
        value: what is said: the judgement, the label, the sentence, or to whom the turn is assigned.
        span: the stretch of the response that is meant; None for all of it.
        quote: how that stretch began then; empty without one.
    """

    kind: Literal["reviewed"] = "reviewed"
    review_id: Id
    attempt_id: Id | None = None
    aspect: ReviewAspect
    step: ReviewStep
    reviewer: Word
    value: str
    span: Span | None = None
    quote: str = ""
