"""The context of executors: the trigger and the steps so far, shared by one sequence, and what all executors have in common.

Each looks at the state as it is when it runs, and no further than its action says.
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


# What sets the reasoner off.
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


@dataclass(frozen=True, slots=True)
class ActionResult:
    """An action that was carried out.

    Args:
        action: its name.
        context: what it was to focus on.
        summary: what came of it.
    """

    action: str
    context: str
    summary: str


@dataclass(frozen=True, slots=True)
class ExecutionContext:
    """One sequence so far; it is never changed, only followed by the next one.

    Args:
        trigger: what set it off; None if unknown.
        completed: what was carried out, in the order in which it ended.
        is_done: whether it has ended by itself.
    """

    trigger: Trigger | None = None
    completed: tuple[ActionResult, ...] = ()
    is_done: bool = False


class SharedContext:
    """Where the present sequence is; actions that run side by side share it."""

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
        """Add what was carried out."""
        with self._lock:
            self._context = replace(self._context, completed=(*self._context.completed, result))

    def end(self) -> None:
        """End the sequence: the persona says that it is complete."""
        with self._lock:
            self._context = replace(self._context, is_done=True)

    def go_on(self) -> None:
        """Let another sequence follow one that has ended; what was thought in it stays."""
        with self._lock:
            self._context = replace(self._context, is_done=False)


_Answer = TypeVar("_Answer")


def in_words(answer: SpokenAnswer) -> str:
    """Return what an answer says, as the persona keeps it; what is only thought is no answer."""
    if text := tidy(answer.text):
        return text
    message = (
        "The answer holds thoughts and nothing behind them; write the answer behind the thoughts."
        if answer.thoughts
        else "There is no text; say what it should be."
    )
    raise ActionError(Reason.BAD_LENGTH, message)


_LINES = 20
"""So much of the conversation an executor sees, in things said."""


@dataclass(frozen=True, slots=True)
class ExecutorContext:
    """What executors work with.

    Args:
        name: the action that is carried out.
        store: the persona.
        shared: the present sequence.
        cancelled: set when nobody waits for the action any more.
        model: what is asked; None to take contexts as they stand.
    """

    name: str
    store: PersonaStore
    shared: SharedContext
    cancelled: Event
    model: Model | None = None

    def answer(
        self, action: ReasonerAction, instruction: str, read: Callable[[SpokenAnswer], _Answer]
    ) -> _Answer:
        """Return what an action comes to.

        Args:
            action: it, with what it is to focus on.
            instruction: what the model is to answer with.
            read: takes an answer, told from its thoughts; it raises ``ActionError`` where it is none, and the model is
                told why and asked once more.
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
        """Return what the model says; run again for the record, what it said."""
        try:
            answer = str(draw("answer", lambda: model.complete(messages).text))
        except ModelError as error:
            raise ActionError(Reason.UNAVAILABLE, f"The model gave no answer: {error}") from error
        if self.cancelled.is_set():
            raise ActionError(Reason.STOPPED, "The answer came too late and was not used.")
        return answer

    def prompt(self, persona: Persona, action: ReasonerAction, instruction: str) -> str:
        """Return what the model is asked: the parts of the state that the action reads, what happened, what to answer with."""
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
        """Carry the action out and add it to the sequence."""
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
        """Do it; see ``execute``."""


def tidy(text: str) -> str:
    """Return a text as the persona keeps it: without blanks around it, storable, not too long."""
    return writable(text.strip())[:MAX_TEXT]


def on_one_line(text: str) -> str:
    """Return a text without line breaks, so that it looks like nothing else where the state is told."""
    return " ".join(text.split())
