"""One session from its first turn to its last, and how often which fault went into it."""

import copy
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from generator.assistant import Assistant, Iterative
from generator.cast import LENGTHS, PROFILES, SKILL, shares
from generator.coder import Coder
from generator.draw import Draw
from generator.faults.table import Fault, inject
from generator.orchestrator import Orchestrator
from generator.reasoner import Reasoner
from generator.reply import Reply
from generator.world import World

MAX_TURNS = 8
_WORLDS: dict[str, Callable[[Draw, int], World]] = {
    world.profile: world for world in (Assistant, Iterative, Orchestrator, Coder, Reasoner)
}
_RETRY = 0.6
_SAYS_NOTHING = 0.2
_ENDS_UNSAID = 0.4
_UNJUDGED = 0.06


@dataclass
class Tally:
    """What went into the sessions: never written beside the responses, only summed up.

    Args:
        responses: how many, by model.
        intended: how many were meant to act, by model.
        well_formed: how many of those keep to the grammar, by model.
        faults: how often a fault was put in, by its name and the model.
    """

    responses: Counter[str] = field(default_factory=Counter)
    intended: Counter[str] = field(default_factory=Counter)
    well_formed: Counter[str] = field(default_factory=Counter)
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, model: str, faults: list[Fault]) -> None:
        """Count one response."""
        kinds = {fault.kind for fault in faults}
        self.responses[model] += 1
        self.intended[model] += "silent" not in kinds
        self.well_formed[model] += not kinds & {"silent", "reading"}
        self.faults.update((fault.name, model) for fault in faults)


class Session:
    """A session while it is played.

    Args:
        name: what it goes by.
        start: when its first response came, UTC.
        draw: its stream of chance.
        tally: where its faults are counted.
    """

    def __init__(self, name: str, start: datetime, draw: Draw, tally: Tally) -> None:
        profile = draw.weighted(PROFILES)
        self._draw = draw
        self._tally = tally
        self._moment = start
        self._model = draw.weighted(shares(start.date()))
        self._planned = draw.weighted(LENGTHS[profile])
        self._world = _WORLDS[profile](draw, self._planned)
        self._head = {"profile": profile, "model": self._model, "task": self._world.task}
        self._name = name
        self._prompt = self._world.ask()
        self._retry: Reply | None = None
        self._rows: list[dict[str, Any]] = []
        self._troubles = 0
        self._is_lost = False

    def play(self) -> list[dict[str, Any]]:
        """Return its turns in order, as objects of the import format."""
        while not self._is_over():
            self._turn()
        if not self._draw.chance(_UNJUDGED):
            self._rows[-1]["success"] = self._draw.chance(self._chance_of_success())
        return self._rows

    def _is_over(self) -> bool:
        return len(self._rows) >= min(self._planned, MAX_TURNS)

    def _turn(self) -> None:
        """Add one turn, and decide whether the next one tries the same again."""
        reply = self._retry or self._world.compose()
        clean = copy.deepcopy(reply.parts)
        faults = inject(reply, self._model, self._moment.date(), self._draw)
        self._tally.add(self._model, faults)
        row: dict[str, Any] = {"session": self._name, "turn": len(self._rows)} | self._head
        row["at"] = f"{self._moment:%Y-%m-%dT%H:%M:%SZ}"
        if not self._rows:
            row["prompt"] = self._prompt
        row["text"] = reply.text()
        self._rows.append(row)
        kinds = {fault.kind for fault in faults}
        self._troubles += bool(kinds - {"unusual"})
        self._is_lost = "reading" in kinds or (self._world.needs_block and not reply.blocks)
        self._retry = self._world.again(clean) if self._is_lost and self._draw.chance(_RETRY) else None
        self._planned += self._retry is not None
        if feedback := self._feedback(reply):
            row["feedback"] = feedback
        pause = self._draw.between(12, 60) if self._retry else self._draw.between(25, 280)
        self._moment += timedelta(seconds=pause)

    def _feedback(self, reply: Reply) -> str:
        """Return what the model is told after a turn."""
        if not self._is_lost:
            lines = self._world.answers(reply)
        elif self._draw.chance(_SAYS_NOTHING):
            lines = []
        else:
            lines = [self._world.voice.one("complaint")]
        if self._is_over():
            return "" if self._draw.chance(_ENDS_UNSAID) else "\n".join(lines)
        if self._retry is None:
            lines.append(self._world.follow_up())
        return "\n".join(line for line in lines if line)

    def _chance_of_success(self) -> float:
        if self._is_lost:
            return 0.12
        skill = SKILL[self._model]
        return skill + (1 - skill) * 0.6 - 0.5 * self._troubles / len(self._rows)
