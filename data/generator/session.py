"""One session from its first turn to its last: who asks, what the model writes, what the system answers."""

import copy
import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from generator.actions import Action, problem
from generator.cast import SKILL
from generator.draw import Draw
from generator.faults.table import Fault, inject
from generator.reply import Part, Prose, Reply
from generator.voice import Voice

MAX_TURNS = 8
_RETRY = 0.6
_SAYS_NOTHING = 0.2
_ENDS_UNSAID = 0.4
_UNJUDGED = 0.06

Turn = tuple[dict[str, Any], list[Fault]]
"""An object of the import format, and the faults that went into it, which are never written beside it."""


class Session(ABC):
    """A session while it is played.

    A kind of session says which ``profile`` it is recorded under, which task set it belongs to (``task``), whether the
    system refuses a response without any block (``needs_block``), and what makes one ``more`` plausible action.

    Args:
        draw: its stream of chance.
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
        self.dumps = partial(
            json.dumps, indent=draw.weighted({2: 7.0, None: 2.0, 4: 1.0}), ensure_ascii=draw.chance(0.04)
        )
        self._retry: list[Part] = []
        self._is_lost = False

    def ask(self) -> str:
        """Return what the user asks for first."""
        return self.voice.line("ask")

    @abstractmethod
    def compose(self) -> list[Part]:
        """Return the parts of the model's next response, without faults."""

    @abstractmethod
    def follow_up(self) -> str:
        """Return what is said to the model after the results, to keep it going; empty for nothing."""

    @abstractmethod
    def carry_out(self, action: Action) -> str:
        """Do what a valid action asks for and return what the system says about it."""

    def answer(self, action: Action) -> str:
        """Return what the system says about an action."""
        wrong = problem(self.profile, action)
        return f"error: {wrong}" if wrong else self.carry_out(action)

    def prose(self, *sections: str) -> list[Part]:
        """Return a line of each section that is wanted, now and then where it ends with ``?`` and a share."""
        return [Prose(self.voice.line(section)) for name in sections for section in self.draw.wanted(name)]

    def play(self, name: str, model: str, moment: datetime) -> list[Turn]:
        """Return its turns in order.

        Args:
            name: what the session goes by.
            model: whose it is.
            moment: when its first response comes, UTC.
        """
        turns: list[Turn] = []
        planned, first = self.length, {"prompt": self.ask()}
        while len(turns) < min(planned, MAX_TURNS):
            reply = Reply(self.profile, self._retry or self.compose(), self.voice, self.more)
            self.step += not self._retry
            faults = self._spoil(reply, model, moment)
            planned += bool(self._retry)
            row = {
                "session": name,
                "turn": len(turns),
                "profile": self.profile,
                "model": model,
                "task": self.task,
            }
            row |= {"at": f"{moment:%Y-%m-%dT%H:%M:%SZ}"} | first | {"text": reply.text()}
            turns.append((row, faults))
            if said := self._feedback(reply, is_last=len(turns) >= min(planned, MAX_TURNS)):
                row["feedback"] = said
            pause = self.draw.between(12, 60) if self._retry else self.draw.between(25, 280)
            moment, first = moment + timedelta(seconds=pause), {}
        if not self.draw.chance(_UNJUDGED):
            turns[-1][0]["success"] = self.draw.chance(self._chance_of_success(model, turns))
        return turns

    def _spoil(self, reply: Reply, model: str, moment: datetime) -> list[Fault]:
        """Put faults into the response, and decide whether the model will have to try the same again."""
        clean = copy.deepcopy([part for part in reply.parts if not isinstance(part, Prose)])
        faults = inject(reply, model, moment.date())
        is_read = all(fault.kind != "reading" for fault in faults)
        self._is_lost = not is_read or (self.needs_block and not reply.blocks)
        does_retry = self._is_lost and self.draw.chance(_RETRY)
        self._retry = [*self.prose("apology"), *clean] if does_retry else []
        return faults

    def _feedback(self, reply: Reply, *, is_last: bool) -> str:
        """Return what the model is told after a turn."""
        if not self._is_lost:
            lines = [self.answer(action) for action in reply.actions]
        else:
            lines = [] if self.draw.chance(_SAYS_NOTHING) else [self.voice.one("complaint")]
        if is_last:
            return "" if self.draw.chance(_ENDS_UNSAID) else "\n".join(lines)
        if not self._retry:
            lines.append(self.follow_up())
        return "\n".join(line for line in lines if line)

    def _chance_of_success(self, model: str, turns: list[Turn]) -> float:
        if self._is_lost:
            return 0.12
        troubles = sum(any(fault.kind != "unusual" for fault in faults) for _, faults in turns)
        return SKILL[model] + (1 - SKILL[model]) * 0.6 - 0.5 * troubles / len(turns)
