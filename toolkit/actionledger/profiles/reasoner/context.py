"""The executors' context: the trigger and the steps so far, shared by one sequence, and the executors' common code.

Each executor sees only the state at its time, and only the parts that its action reads.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from threading import Event, Lock
from typing import TypeVar

from actionledger.core.canonical import JsonDict
from actionledger.core.draws import draw
from actionledger.core.errors import ActionError
from actionledger.core.text import writable
from actionledger.core.vocabulary import Reason
from actionledger.profiles.reasoner.actions import ReasonerAction
from actionledger.profiles.reasoner.store import MAX_TEXT, SPEECH, THOUGHTS, Persona, PersonaStore
from actionledger.reading.said import SpokenAnswer, said
from actionledger.runtime.models import Message, Model, ModelError


# Events that start the reasoner.
class TriggerType(StrEnum):
    """Kinds of triggers."""

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
    """An event."""

    content: str  # the user's words, the tool's result, the timer's purpose, or the subject of a reflection
    type: TriggerType = TriggerType.USER_INPUT
    source: str = ""  # the tool or timer; empty for the others

    @property
    def described(self) -> str:
        """The event, described for the model."""
        source = f" ({self.source})" if self.source else ""
        return f"{_SAID[self.type]}{source}:\n{self.content}"


def user_input(content: str) -> Trigger:
    """Return the trigger for a user's words."""
    return Trigger(content)


def tool_result(tool: str, content: str) -> Trigger:
    """Return the trigger for a tool's result."""
    return Trigger(content, TriggerType.TOOL_RESULT, tool)


def timer(name: str, content: str) -> Trigger:
    """Return the trigger for a timer that has gone off; the timekeeper calls it."""
    return Trigger(content, TriggerType.TIMER, name)


def self_reflection(content: str = "What matters now?") -> Trigger:
    """Return the trigger for an unrequested reflection."""
    return Trigger(content, TriggerType.SELF_REFLECTION)


@dataclass(frozen=True, slots=True)
class ActionResult:
    """An executed action."""

    action: str
    context: str  # its focus
    summary: str


@dataclass(frozen=True, slots=True)
class ExecutionContext:
    """One sequence so far; it is immutable, and each step makes a new one."""

    trigger: Trigger | None = None  # what started it; None if unknown
    completed: tuple[ActionResult, ...] = ()  # the executed actions, in the order in which they ended
    is_done: bool = False  # whether an action has ended it


class SharedContext:
    """The state of the current sequence, shared by concurrent actions."""

    def __init__(self) -> None:
        self._context = ExecutionContext()
        self._lock = Lock()

    @property
    def context(self) -> ExecutionContext:
        """The sequence so far."""
        return self._context

    def begin(self, trigger: Trigger | None) -> None:
        """Begin a new sequence."""
        with self._lock:
            self._context = ExecutionContext(trigger)

    def complete(self, result: ActionResult) -> None:
        """Add an executed action."""
        with self._lock:
            self._context = replace(self._context, completed=(*self._context.completed, result))

    def end(self) -> None:
        """End the sequence, as the persona requests."""
        with self._lock:
            self._context = replace(self._context, is_done=True)

    def go_on(self) -> None:
        """Allow another sequence after one that has ended; its thoughts stay."""
        with self._lock:
            self._context = replace(self._context, is_done=False)


_Answer = TypeVar("_Answer")


def in_words(answer: SpokenAnswer) -> str:
    """Return an answer's text in the persona's form; thoughts alone are no answer."""
    if text := tidy(answer.text):
        return text
    message = (
        "The answer holds thoughts and nothing behind them; write the answer behind the thoughts."
        if answer.thoughts
        else "There is no text; say what it should be."
    )
    raise ActionError(Reason.BAD_LENGTH, message)


_LINES = 20
"""The number of spoken lines that an executor sees."""


@dataclass(frozen=True, slots=True)
class ExecutorContext:
    """An executor's tools."""

    name: str  # the executed action
    store: PersonaStore
    shared: SharedContext  # the current sequence
    cancelled: Event  # set once no caller waits for the action any more
    model: Model | None = None  # the model to ask; None to use contexts unchanged

    def answer(
        self, action: ReasonerAction, instruction: str, read: Callable[[SpokenAnswer], _Answer]
    ) -> _Answer:
        """Return an action's result.

        Args:
            action: the action, with its focus.
            instruction: what the model must answer with.
            read: reads an answer without its thoughts. It raises ``ActionError`` for an unusable one; the model is
                then told why and asked once more.
        """
        if self.model is None:
            return read(SpokenAnswer(action.context.strip(), ""))
        persona = self.store.persona
        messages = [
            Message("system", f"I am {persona.name}."),
            Message("user", self.prompt(persona, action, instruction)),
        ]
        answer = self._answer(self.model, messages)
        try:
            return read(said(answer))
        except ActionError as error:
            again = Message("user", f"{error}\n\n{instruction}")
        return read(said(self._answer(self.model, [*messages, Message("assistant", answer), again])))

    def _answer(self, model: Model, messages: Sequence[Message]) -> str:
        """Return the model's answer; in a replay, the recorded one."""
        try:
            answer = str(draw("answer", lambda: model.complete(messages).text))
        except ModelError as error:
            raise ActionError(Reason.UNAVAILABLE, f"The model gave no answer: {error}") from error
        if self.cancelled.is_set():
            raise ActionError(Reason.STOPPED, "The answer came too late and was not used.")
        return answer

    def prompt(self, persona: Persona, action: ReasonerAction, instruction: str) -> str:
        """Return the model's prompt: the parts of the state that the action reads, the event, the required answer."""
        context = self.shared.context
        parts = [persona.described(action.reads)]
        if SPEECH in action.reads:
            parts.append(
                "Conversation:\n"
                + "\n".join([line.described for line in self.store.conversation(_LINES)] or ["(nothing yet)"])
            )
        if context.trigger:
            parts.append(f"What happened. {context.trigger.described}")
        thoughts = [done.summary for done in context.completed if done.action == "think"]
        if THOUGHTS in action.reads and thoughts:
            parts.append("My thoughts so far:\n" + "\n".join(thoughts))
        parts += [f"Focus: {action.context}", instruction]
        return "\n\n".join(filter(None, parts))


class ActionExecutor(ABC):
    """Carries out one action."""

    def execute(self, action: ReasonerAction, given: ExecutorContext) -> JsonDict:
        """Execute the action and add it to the sequence."""
        if given.shared.context.is_done:
            raise ActionError(
                Reason.STOPPED,
                "The sequence has ended: done stands before this action. Plan another sequence.",
            )
        result = self.carry_out(action, given)
        given.shared.complete(ActionResult(given.name, action.context, result["summary"]))
        return result

    @abstractmethod
    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> JsonDict:
        """Perform the action; see ``execute``."""


def tidy(text: str) -> str:
    """Return a text in the persona's form: stripped, storable, not too long."""
    return writable(text.strip())[:MAX_TEXT]


def on_one_line(text: str) -> str:
    """Return a text without line breaks, so that it can't imitate other lines of the state."""
    return " ".join(text.split())
