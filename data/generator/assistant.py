"""Sessions of the assistant: requests about tasks, memories, goals and documents, or one that it works on in rounds."""

from generator.actions import Action
from generator.draw import Draw
from generator.reply import Block, Part, Prose
from generator.requests import ListKeeper
from generator.words import table

_WEIGHTS = table("requests")


class Assistant(ListKeeper):
    """One request after the other."""

    profile = "assistant"

    def __init__(self, draw: Draw, length: int) -> None:
        super().__init__(draw, length)
        self._asked = self._plan()
        self.voice.fix("person", "thing")
        self.more = lambda: self.create(draw.pick(("task", "memory")))[0]

    def ask(self) -> str:
        request = self._request()
        return self.voice.line("ask") if request in {"capture", "plan"} else self._words(request)

    def compose(self) -> list[Part]:
        request = self._request()
        actions = self.actions(request)
        block = Block("actions", {"actions": actions}, self.dumps)
        section = "opener" if self.is_foreign else _WEIGHTS["openers"].get(request, "opener")
        return self._around(block, actions, section)

    def follow_up(self) -> str:
        self.voice.fix("thing")
        return f"User: {self._words(self._request())}"

    def _plan(self) -> list[str]:
        first, later = ("first_abroad", "later_abroad") if self.is_foreign else ("first", "later")
        return [
            self.draw.weighted(_WEIGHTS[section]) for section in (first, *(later for _ in range(self.length)))
        ]

    def _request(self) -> str:
        return self._asked[min(self.step, len(self._asked) - 1)]

    def _words(self, request: str) -> str:
        if self.is_foreign:
            return self.voice.line("ask" if request in {"capture", "plan"} else f"ask_{request}")
        if request in {"goal", "remember"}:
            self.voice.promise("goal" if request == "goal" else "memory")
        return self.voice.one(f"ask_{request}")

    def _around(self, block: Block, actions: list[Action], opener: str) -> list[Part]:
        before = self.prose(f"{opener if self.draw.chance(0.75) else 'opener'}?0.92")
        after = self.prose("closer?0.6")
        if not self.is_foreign:
            before += self._thoughts() + self.draw.maybe(0.2, lambda: self._listed(actions))
            after += self.draw.maybe(0.06, self._script)
        if self.draw.chance(0.12) and before:
            before[-1] = Prose(f"{before[-1].render()} {self.voice.one('emoji')}")
        return [block, *before, *after] if self.draw.chance(0.05) else [*before, block, *after]

    def _thoughts(self) -> list[Part]:
        count = self.draw.weighted({0: 65, 1: 22, 2: 7, 3: 4, 4: 2})
        lines = [self.voice.line("aside") for _ in range(count)]
        if count < 3:
            return [Prose(line) for line in lines]
        lead = self.draw.pick(("## What I considered\n\n", "**Before we start:**\n\n", ""))
        return [Prose(lead + "\n".join(f"{index}. {line}" for index, line in enumerate(lines, start=1)))]

    def _listed(self, actions: list[Action]) -> Part:
        lines = (f"- **{action['type'].replace('_', ' ')}**: {_summary(action)}" for action in actions)
        return Prose("\n".join((f"{self.voice.line('list_lead')}\n", *lines)))

    def _script(self) -> Part:
        language = self.draw.pick(("python", "bash", "sql"))
        code = self.voice.code(language)
        return Prose(f"{self.voice.line('script_lead')}\n\n{code}")


class Iterative(ListKeeper):
    """A model that works on one request over several rounds: one block each turn until it says that it is final."""

    profile = "assistant-iterative"
    needs_block = True

    def __init__(self, draw: Draw, length: int) -> None:
        super().__init__(draw, length, "iterative")
        self.voice.fix("person", "thing")

    def compose(self) -> list[Part]:
        is_first, is_final = self.step == 0, self.step + 1 >= self.length
        value = {
            "iteration": self.step + 1,
            "reasoning": self._reasoning(is_first=is_first, is_final=is_final),
            "observations": self._some("observation_first" if is_first else "observation"),
            "next_actions": self._actions(is_first=is_first, is_final=is_final),
            "insights_gained": [] if is_first else self._some("insight"),
            "is_final": is_final,
        }
        before = self.prose("opener?0.2")
        block = Block("iteration", value, self.dumps)
        return [*before, block, *self.prose(f"summary?{0.7 if is_final else 0}")]

    def follow_up(self) -> str:
        return f"Iteration {self.step} is done. Go on, or set is_final." if self.draw.chance(0.3) else ""

    def _reasoning(self, *, is_first: bool, is_final: bool) -> str:
        if is_first or is_final:
            return self.voice.line("reasoning_first" if is_first else "reasoning_final")
        lines = self._some("reasoning")
        return self.draw.pick((" ", "\n", "\n\n")).join(lines)

    def _some(self, section: str) -> list[str]:
        return [self.voice.line(section) for _ in range(self.draw.between(1, 3))]

    def _actions(self, *, is_first: bool, is_final: bool) -> list[Action]:
        if is_final and self.draw.chance(0.6):
            return []
        weights = _WEIGHTS["first_round" if is_first else "later_round"]
        requests = [self.draw.weighted(weights) for _ in range(self.draw.between(1, 2))]
        return [action for request in requests for action in self.actions(request)]


def _summary(action: Action) -> str:
    is_vault = action["type"].startswith("datavault")
    keys = ("filetype",) if is_vault else ("content", "query", "status", "notes")
    value = next((str(action[key]) for key in keys if key in action), "")
    return value.partition("\n")[0][:80] or "see below"
