"""What sets the reasoner off."""

from enum import StrEnum

from actionledger.core.records import dataclass


class TriggerType(StrEnum):
    """Kinds of what sets the reasoner off."""

    USER_INPUT = "user_input"
    TOOL_RESULT = "tool_result"
    TIMER = "timer"
    SELF_REFLECTION = "self_reflection"


_SAID = {
    TriggerType.USER_INPUT: "The user says",
    TriggerType.TOOL_RESULT: "A tool has given a result",
    TriggerType.TIMER: "A timer has gone off",
    TriggerType.SELF_REFLECTION: "Nobody asks for anything; I look back on how it goes",
}


@dataclass(frozen=True, slots=True)
class Trigger:
    """Something happened.

    Args:
        content: what: the user's words, the tool's result, what the timer is for, or what to look back on.
        type: what kind of thing.
        source: which tool or timer; empty for the others.
    """

    content: str
    type: TriggerType = TriggerType.USER_INPUT
    source: str = ""

    @property
    def described(self) -> str:
        """What happened, for the model."""
        source = f" ({self.source})" if self.source else ""
        return f"{_SAID[self.type]}{source}:\n{self.content}"


def user_input(content: str) -> Trigger:
    """Return the trigger of what a user says."""
    return Trigger(content)


def tool_result(tool: str, content: str) -> Trigger:
    """Return the trigger of what a tool has given."""
    return Trigger(content, TriggerType.TOOL_RESULT, tool)


def timer(name: str, content: str) -> Trigger:
    """Return the trigger of a timer that has gone off; whoever keeps time calls it."""
    return Trigger(content, TriggerType.TIMER, name)


def self_reflection(content: str = "What matters now?") -> Trigger:
    """Return the trigger of a look back that nobody asked for."""
    return Trigger(content, TriggerType.SELF_REFLECTION)
