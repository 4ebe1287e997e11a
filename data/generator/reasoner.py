"""Sessions of the reasoner: a persona plans what to think, feel, remember and say."""

from generator.actions import Action, known
from generator.draw import Draw
from generator.reply import Block, Part
from generator.session import Session
from generator.voice import Voice
from generator.words import bank, names

_STATE = tuple(name for name in known("reasoner") if name not in {"think", "speak", "done"})


class Reasoner(Session):
    """A persona and somebody who talks to it."""

    profile = "reasoner"

    def __init__(self, draw: Draw, length: int) -> None:
        first = [bank("reasoner")]
        if draw.chance(0.15):
            spoken = bank(f"languages/{draw.pick(names('lists/languages', '.txt'))}")
            first.insert(0, {section: spoken[section] for section in ("think", "speak", "chat")})
        super().__init__(draw, Voice(draw, *first), length)
        self.voice.fix("persona", "trade", "place")
        self.task = f"persona-{self.voice.fixed['persona'].lower().replace('í', 'i')}"
        self._mood = draw.between(2, 9)

    def compose(self) -> list[Part]:
        self.voice.fix("object", "theme")
        value = {
            "actions": self._sequence(),
            "can_extend": self.draw.chance(0.35),
            "reasoning": " ".join(self.voice.line("reasoning") for _ in range(self.draw.between(1, 2))),
        }
        block = Block("json", value, self.dumps)
        return [*self.prose("opener?0.5"), block, *self.prose("closer?0.2")]

    def follow_up(self) -> str:
        return f"User: {self.voice.line('follow')}"

    def carry_out(self, action: Action) -> str:
        name = action["action"]
        if name == "update_mood":
            self._mood = max(1, min(9, self._mood + self.draw.between(-3, 3)))
            return f"update_mood: {self.voice.one('feeling')}, intensity 0.{self._mood}"
        if name in {"think", "speak"}:
            return f"{name}: {self.draw.between(12, 90)} words"
        return f"{name}: finished"

    def _sequence(self) -> list[Action]:
        plan = self.draw.wanted("think?0.75")
        plan += self.draw.some(_STATE, self.draw.weighted({0: 1, 1: 5, 2: 5, 3: 3, 4: 1}))
        plan += self.draw.wanted("think?0.1")
        if self.draw.chance(0.8) or not plan:
            plan.append("speak")
        plan += self.draw.wanted("done?0.6")
        return [{"action": name, "context": self._context(name)} for name in plan]

    def _context(self, name: str) -> str:
        lines = [self.voice.line(name)]
        if name in {"think", "speak"} and self.draw.chance(0.25):
            lines.append(self.voice.line(name))
        return self.draw.pick(("; ", ". ", "\n")).join(lines)
