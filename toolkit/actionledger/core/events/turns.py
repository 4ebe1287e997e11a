"""Events of turns: the response, the end of the turn with its feedback, and later changes."""

from datetime import datetime
from typing import Literal

from actionledger.core.events.base import BigInt, Id, InTurn, TurnEvent, Word
from actionledger.core.frozen import dataclass
from actionledger.core.vocabulary import Capture, CostOrigin


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseReceived(TurnEvent):
    """The model answered; recorded before anyone looks at the text.

    Args:
        text: the raw response; a lone surrogate is stored as U+FFFD (one code point for one, so spans hold).
        text_is_exact: False where ``text`` had a lone surrogate or a secret that was masked.
        prompt: what the model was shown right before; None where it was the feedback of the turn before.
        reasoning: what the model thought to itself before it answered, as far as its provider shows it; no part of ``text``, and
            never read for actions; None if not recorded.
        message_id: the response's own identifier where it comes from; empty where it has none.
        capture: how much of what the model wrote was kept.
        call_count: how many calls stood beside the text, split off by whoever recorded it.
        tools_hash: the hash of the tools that were offered; None if not recorded.
        input_tokens: all that the model was shown, cached or not; None, here and below, if not recorded.
        output_tokens: all that it wrote, thoughts included.
        cached_tokens: how many of the input came from a cache.
        cache_write_tokens: how many of the input were written to a cache.
        reasoning_tokens: how many of the output were thoughts.
        cost_usd: what it cost, in dollars.
        cost_origin: whether the recording says so, a price file or a price list; None where there is no cost.
        latency_ms: from the request to the end of the response, in milliseconds.
        time_to_first_token_ms: from the request to the beginning of the response, in milliseconds.
        finish_reason: why the model stopped, in its provider's word.
    """

    kind: Literal["response_received"] = "response_received"
    text: str
    text_is_exact: bool = True
    prompt: str | None = None
    reasoning: str | None = None
    message_id: Word = ""
    capture: Capture = Capture.TEXT
    call_count: int = 0
    tools_hash: Word | None = None
    input_tokens: BigInt | None = None
    output_tokens: BigInt | None = None
    cached_tokens: BigInt | None = None
    cache_write_tokens: BigInt | None = None
    reasoning_tokens: BigInt | None = None
    cost_usd: float | None = None
    cost_origin: CostOrigin | None = None
    latency_ms: float | None = None
    time_to_first_token_ms: float | None = None
    finish_reason: Word | None = None

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
class TurnSuperseded(InTurn):
    """A recording has more of a response by now: what was recorded of it as ``turn_id`` counts no longer.

    Args:
        superseded_by: the turn that stands for the response now.
    """

    kind: Literal["turn_superseded"] = "turn_superseded"
    superseded_by: Id


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
