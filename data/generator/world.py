"""What every kind of session has in common."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial

from generator.actions import Action, problem
from generator.draw import Draw
from generator.reply import Part, Prose, Reply
from generator.voice import Voice


class World(ABC):
    """A session's made-up surroundings: who asks for what, and what the system answers.

    A kind of session says which ``profile`` it is recorded under, which task set it belongs to (``task``), whether the
    system refuses a response without any block (``needs_block``), and what makes one ``more`` plausible action.

    Args:
        draw: the session's stream of chance.
        voice: how its model and user talk.
        length: how many turns are planned.
    """

    profile: str
    task: str
    needs_block: bool = False
    more: Callable[[], Action] | None = None

    def __init__(self, draw: Draw, voice: Voice, length: int) -> None:
        self.draw = draw
        self.voice = voice
        self.length = length
        self.step = 0
        indent = draw.weighted({2: 7.0, None: 2.0, 4: 1.0})
        self.dumps = partial(json.dumps, indent=indent, ensure_ascii=draw.chance(0.04))

    @abstractmethod
    def ask(self) -> str:
        """Return what the user asks for first."""

    @abstractmethod
    def compose(self) -> Reply:
        """Return the model's next response, without faults."""

    @abstractmethod
    def follow_up(self) -> str:
        """Return what is said to the model after the results, to keep it going; empty for nothing."""

    @abstractmethod
    def carry_out(self, action: Action) -> str:
        """Do what a valid action asks for and return what the system says about it."""

    def answers(self, reply: Reply) -> list[str]:
        """Return what the system says about each action of a response."""
        return [self.answer(action) for action in reply.actions]

    def answer(self, action: Action) -> str:
        """Return what the system says about one action."""
        wrong = problem(self.profile, action)
        return f"error: {wrong}" if wrong else self.carry_out(action)

    def again(self, parts: list[Part]) -> Reply:
        """Return the same actions once more, with an apology."""
        kept: list[Part] = [part for part in parts if not isinstance(part, Prose)]
        return self.reply([Prose(self.voice.line("apology")), *kept])

    def reply(self, parts: list[Part]) -> Reply:
        """Return a response of these parts."""
        return Reply(self.profile, parts, self.voice, self.more)

    def prose(self, section: str, share: float = 1.0) -> list[Part]:
        """Return a line of the section as a part, with the given probability."""
        return [Prose(self.voice.line(section))] if self.draw.chance(share) else []
