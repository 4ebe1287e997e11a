"""Turns from a list of messages: each model message is one, and the messages between two are its feedback."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedTurn
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.shapes.base import Message, Passed
from actionledger.imports.sources.base import Wording


@dataclass(slots=True)
class MessageTurns:
    """Takes messages in order, and makes turns of them."""

    turns: list[RecordedTurn] = field(default_factory=list)  # the turns so far
    passed: Passed = field(default_factory=Counter)  # what was skipped
    system: str = ""  # the instructions before the first turn, as one text
    _told: list[str] = field(default_factory=list)
    _owners: dict[str, int] = field(default_factory=dict)
    _last_with_calls: int | None = None

    def add(self, message: Message) -> None:
        """Add a message. Results go to the turn whose call they name, or without a name to the last turn with calls."""
        self.passed.update(message.passed)
        if message.speaker == "model":
            self._add_turn(message)
        for result in message.results:
            self._add_result(result)
        if message.speaker == "model":
            return
        if message.speaker == "system" and not self.turns:
            self.system = "\n\n".join(filter(None, (self.system, message.text)))
        elif message.text:
            self._told.append(message.text)

    def done(self, keeps: Capture, tools: str = "", *, splits: bool = False) -> tuple[RecordedTurn, ...]:
        """Return the turns.

        Args:
            keeps: how much of the model's output the messages have if calls are split off.
            tools: the offered tools, as JSON text; empty for none.
            splits: whether its runtime always offers tools, so that calls are split off even if there are none.
        """
        self._close()
        calls = [call for turn in self.turns for call in turn.calls]
        capture = capture_of(calls, keeps, has_tools=splits or bool(tools))
        return tuple(replace(turn, capture=capture, tools=tools) for turn in self.turns)

    def _add_turn(self, message: Message) -> None:
        self._close()
        prompt = "\n\n".join(self._told) if self._told and not self.turns else None
        self._told.clear()
        for call in message.calls:
            if call.call_id:
                self._owners[call.call_id] = len(self.turns)
        if message.calls:
            self._last_with_calls = len(self.turns)
        turn = RecordedTurn(
            len(self.turns),
            message.text,
            prompt,
            occurred_at=message.occurred_at,
            external_id=message.message_id,
            calls=tuple(message.calls),
            usage=message.usage,
            model=message.model,
            reasoning=message.reasoning,
        )
        self.turns.append(turn)

    def _add_result(self, result: RecordedResult) -> None:
        owner = self._owners.get(result.call_id) if result.call_id else self._last_with_calls
        if owner is None:
            self.passed[LeftOutReason.NO_CALL, ""] += 1
            return
        turn = self.turns[owner]
        self.turns[owner] = replace(turn, results=(*turn.results, result))

    def _close(self) -> None:
        """Add the messages after the last turn to it as feedback."""
        if self.turns and self._told:
            self.turns[-1] = replace(self.turns[-1], feedback="\n\n".join(self._told))
            self._told.clear()


def conversation(messages: Iterable[Message]) -> MessageTurns:
    """Return the conversation in a list of messages."""
    whole = MessageTurns()
    for message in messages:
        whole.add(message)
    return whole


def capture_of(calls: Iterable[RecordedCall], keeps: Capture, *, has_tools: bool) -> Capture:
    """Return how much of the model's output was kept."""
    kinds = {isinstance(call.arguments, str) for call in calls}
    if kinds:
        return Capture.ARGUMENTS if kinds == {True} else Capture.CALLS
    return keeps if has_tools else Capture.TEXT


# Words of error results in formats without an error field: the text begins with them.
_SAYS = (
    r"(?i)^\s*(?:\[?(?:tool )?error\b|error executing tool\b|failed\b|exception\b|tool execution failed\b)"
)

WORDINGS: tuple[Wording, ...] = (
    Wording(
        _SAYS + r".{0,120}\b(?:rate limit|too many requests)",
        Reason.RATE_LIMIT,
        "Error: API rate limit exceeded",
        is_telling=True,
    ),
    Wording(
        _SAYS + r".{0,120}\b(?:timed? ?out|timeout)\b",
        Reason.TIMEOUT,
        "Error: the request timed out",
        is_telling=True,
    ),
    Wording(
        _SAYS + r".{0,120}\b(?:unknown tool|tool .{0,60}not found|no such tool)\b",
        Reason.UNKNOWN_ACTION,
        "Error: tool 'reader' not found",
        is_telling=True,
    ),
    Wording(
        _SAYS
        + r".{0,120}\b(?:validation|invalid (?:tool )?(?:arguments?|input|parameters?)|missing \d* ?required)",
        Reason.SCHEMA_ERROR,
        "Error: 1 validation error for get_weather",
        is_telling=True,
    ),
    Wording(
        _SAYS + r".{0,120}\b(?:no such file|not found|does not exist)\b",
        Reason.NOT_FOUND,
        "Error: file not found",
        is_telling=True,
    ),
    Wording(
        r"(?i)^\s*(?:\[?(?:tool )?error\]?\s*:|error executing tool\b|tool execution failed\b)",
        Reason.TOOL_ERROR,
        "Error executing tool search: no connection",
        is_telling=True,
    ),
)
"""The narrower wordings first."""
