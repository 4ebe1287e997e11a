"""What is recorded of a turn: the response, and what the model was told in the end."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from actionledger.events.base import InTurn, TurnEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseReceived(TurnEvent):
    """The model answered; recorded before anyone looks at the text.

    Args:
        text: the raw response; a lone surrogate is stored as U+FFFD (one code point for one, so spans hold).
        text_is_exact: False where ``text`` had a lone surrogate or a secret that was masked.
        prompt: what the model was shown right before; None where it was the feedback of the turn before.
    """

    kind: Literal["response_received"] = "response_received"
    text: str
    text_is_exact: bool = True
    prompt: str | None = None

    @property
    def characters(self) -> int:
        """How long the response is, in code points."""
        return len(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished(InTurn):
    """The turn is over.

    Args:
        feedback: what the model is told next.
        finished_at: when it was over, UTC without a zone; None where the source doesn't say.
    """

    kind: Literal["turn_finished"] = "turn_finished"
    feedback: str
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResumed(InTurn):
    """A turn that was over went on, after a decision.

    Args:
        feedback: what the model is told of it now.
        finished_at: when, UTC without a zone.
    """

    kind: Literal["turn_resumed"] = "turn_resumed"
    feedback: str
    finished_at: datetime
