"""When a conversation is over, and why. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from actionledger.core.errors import require_number
from actionledger.core.values import ParseResult, Turn
from actionledger.core.vocabulary import BlockStatus, ExecutionStatus, Outcome, Reason
from actionledger.reading.dialects.parts.truth import truth_of
from actionledger.reading.tolerant_json import decode
from actionledger.runtime.execution.mending import HOW


class Ending(StrEnum):
    """Why a conversation is over."""

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
        """Whether the model itself came to an end."""
        return self in {Ending.FINAL, Ending.ANSWERED}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationLimits:
    """How far a conversation may go.

    Args:
        turns: how many responses.
        seconds: how long; no request is begun later than that. A request that is under way ends by the model's own
            time-outs.
        failures: after so many turns in a row in which nothing was done, it ends.
        broken: how often in a row a response that broke off is asked for again.
        context: how much the model is shown in one request, in characters; older turns give way.

    Raises:
        UsageError: a limit that no conversation could stay within.

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
    """Looks at each turn and says when it is enough.

    Args:
        limits: how far the conversation may go.
        demands_action: whether the protocol demands an action in every turn, so that prose is no end.
    """

    def __init__(self, limits: ConversationLimits, *, demands_action: bool) -> None:
        self.failures = 0
        """How many turns in a row did nothing."""
        self._limits = limits
        self._demands_action = demands_action
        self._turns = 0
        self._has_told_refusals = False
        self._has_told_how = False

    def after(self, turn: Turn) -> Ending | None:
        """Return why the conversation is over after a turn; None where it goes on."""
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
        """Return whether a response that did nothing is no answer yet: a call in prose, or actions that were only shown.

        Of the latter the model is told once: it may be explaining something.
        """
        if any(issue.code is Reason.CALL_IN_PROSE for issue in turn.result.unread):
            return True
        is_owed = HOW in turn.feedback and not self._has_told_how
        self._has_told_how |= is_owed
        return is_owed

    def _owes_refusals(self, turn: Turn) -> bool:
        """Return whether the model is still to be told that something of its last step was refused; that is done once."""
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
    """Return whether the last iteration block of a response says that it is the final one."""
    read = {BlockStatus.STRICT, BlockStatus.REPAIRED}
    steps = [block for block in result.blocks if block.dialect == "iteration" and block.status in read]
    if not steps:
        return False
    body = steps[-1].body
    value = decode(result.text[body.start : body.end]).value
    return isinstance(value, dict) and truth_of(value.get("is_final")) is True
