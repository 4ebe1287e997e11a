"""Decide when a conversation ends, and why. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from actionledger.core.errors import require_number
from actionledger.core.values import ParseResult, Turn
from actionledger.core.vocabulary import BlockStatus, ExecutionStatus, Outcome, Reason
from actionledger.reading.dialects.parts.truth import truth_of
from actionledger.reading.tolerant_json import decode
from actionledger.runtime.execution.mending import HOW


class Ending(StrEnum):
    """Why a conversation ended."""

    FINAL = "final"
    ANSWERED = "answered"
    WAITING = "waiting"
    TURN_LIMIT = "turn_limit"
    TIME_LIMIT = "time_limit"
    FAILURES = "failures"
    REPETITION = "repetition"
    MODEL_FAILED = "model_failed"
    STOPPED = "stopped"

    @property
    def is_regular(self) -> bool:
        """Whether the model ended it by itself."""
        return self in {Ending.FINAL, Ending.ANSWERED}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationLimits:
    """Limits on a conversation.

    Args:
        turns: the maximum number of responses.
        seconds: no request begins later than this, in seconds. A running request ends by the model's own
            timeouts.
        failures: the conversation ends after this many turns in a row without an executed action.
        broken: the maximum number of retries in a row after an incomplete response.
        context: the maximum size of one request, in characters; older turns are cut first.

    Raises:
        UsageError: a limit that no conversation could keep.

    Example:
        >>> al.ConversationLimits(turns=5).turns
        5
    """

    turns: int = 20
    seconds: float = 1800.0
    failures: int = 3
    broken: int = 2
    context: int = 100_000

    def __post_init__(self) -> None:
        least = {"turns": 1, "failures": 1, "broken": 0, "context": 1000}
        for name, value in least.items():
            require_number(f"The limit {name!r}", getattr(self, name), least=value)
        require_number("The limit 'seconds'", self.seconds, above=0)


_DONE = frozenset({ExecutionStatus.SUCCEEDED, ExecutionStatus.DRY_RUN})


class EndingWatch:
    """Decides after each turn whether the conversation ends; where a protocol demands an action in every turn, prose does not end it."""

    def __init__(self, limits: ConversationLimits, *, demands_action: bool) -> None:
        self.failures = 0
        """The number of turns in a row without an executed action."""
        self._limits = limits
        self._demands_action = demands_action
        self._turns = 0
        self._has_told_refusals = False
        self._has_told_how = False

    def after(self, turn: Turn) -> Ending | None:
        """Return why the conversation ends after a turn; None if it goes on."""
        self._turns += 1
        statuses = {observation.status for observation in turn.observations}
        self.failures = 0 if statuses & _DONE else self.failures + 1
        if ExecutionStatus.PENDING in statuses:
            return Ending.WAITING
        if says_final(turn.result) and not self._owes_refusals(turn):
            return Ending.FINAL
        is_answer = turn.result.outcome in {Outcome.NO_ACTION, Outcome.ABSTAINED}
        if is_answer and not self._demands_action and not self._owes_how(turn):
            return Ending.ANSWERED
        if turn.stopped:
            return Ending.REPETITION
        return Ending.FAILURES if self.failures >= self._limits.failures else None

    def _owes_how(self, turn: Turn) -> bool:
        """Return whether a response without an executed action is not an answer yet: a call in prose, or actions only shown.

        Shown actions count only once, because the model may be explaining something.
        """
        if any(issue.code is Reason.CALL_IN_PROSE for issue in turn.result.unread):
            return True
        is_owed = HOW in turn.feedback and not self._has_told_how
        self._has_told_how |= is_owed
        return is_owed

    def _owes_refusals(self, turn: Turn) -> bool:
        """Return whether the model must still be told about rejected actions of its last step; that is done once."""
        is_owed = (
            not self._has_told_refusals
            and self._turns < self._limits.turns
            and (
                turn.result.outcome in {Outcome.PARTIAL, Outcome.FAILED}
                or any(call.status.is_refused for call in turn.result.actions)
            )
        )
        self._has_told_refusals |= is_owed
        return is_owed


def says_final(result: ParseResult) -> bool:
    """Return whether a response's last iteration block declares itself final."""
    read = {BlockStatus.STRICT, BlockStatus.REPAIRED}
    steps = [block for block in result.blocks if block.dialect == "iteration" and block.status in read]
    if not steps:
        return False
    body = steps[-1].body
    value = decode(result.text[body.start : body.end]).value
    return isinstance(value, dict) and truth_of(value.get("is_final")) is True
